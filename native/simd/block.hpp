// Rows lie in blocks of 64, transposed: [block][column][64], so that inner loops run across rows.
#pragma once

#include <cstddef>

namespace softwood::simd {

constexpr std::size_t kBlock = 64;

}  // namespace softwood::simd
