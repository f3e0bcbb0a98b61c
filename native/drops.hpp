// What the best steps of a node's answers save, from sums [slope of every output][curvature of every output] of the
// loss.
#pragma once

#include <cstddef>

#include "machine.hpp"

namespace softwood::soft {

constexpr std::size_t kSide = 8;  // sums side by side: a single one would have each addition wait for the last

// The sum of part(0) to part(n - 1).
template <class Part>
SOFTWOOD_INLINE double total(std::size_t n, Part&& part) {
  double sum[kSide] = {}, rest = 0;
  std::size_t i = 0;
  for (; i + kSide <= n; i += kSide)
    for (std::size_t lane = 0; lane < kSide; ++lane) sum[lane] += part(i + lane);
  for (; i < n; ++i) rest += part(i);
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) + rest;
}

// Twice what the best step saves, given [slope, curvature] of every output.
SOFTWOOD_INLINE double drop(const double* all, std::size_t outputs, double ridge) {
  return total(outputs,
               [&](std::size_t q) SOFTWOOD_INLINE_LAMBDA { return all[q] * all[q] / (all[outputs + q] + ridge); });
}

// The same of two sides, of which the second is all less the first; a / b + c / d takes one division.
SOFTWOOD_INLINE double drop_apart(const double* all, const double* first, std::size_t outputs, double ridge) {
  return total(outputs, [&](std::size_t q) SOFTWOOD_INLINE_LAMBDA {
    const double a = first[q], b = first[outputs + q] + ridge;
    const double c = all[q] - a, d = all[outputs + q] - first[outputs + q] + ridge;
    return (a * a * d + c * c * b) / (b * d);
  });
}

}  // namespace softwood::soft
