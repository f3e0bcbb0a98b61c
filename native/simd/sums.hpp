// Sums of many numbers, several side by side: in a single sum each addition would wait for the previous one.
#pragma once

#include <cstddef>

#include "core/machine.hpp"

namespace softwood::simd {

constexpr std::size_t kSide = 8;

// part(0) + ... + part(n - 1)
template <class Part>
SOFTWOOD_INLINE double total(std::size_t n, Part&& part) {
  double sum[kSide] = {}, rest = 0;
  std::size_t i = 0;
  for (; i + kSide <= n; i += kSide)
    for (std::size_t lane = 0; lane < kSide; ++lane) sum[lane] += part(i + lane);
  for (; i < n; ++i) rest += part(i);
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) + rest;
}

}  // namespace softwood::simd
