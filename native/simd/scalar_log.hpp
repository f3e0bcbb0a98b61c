// log of one number without branches or tables, double and float: a plain loop over rows becomes vector code of any
// width, as simd/scalar_exp.hpp has it for exp.
//
//   log(x) = k ln 2 + log(m),  m in [sqrt(1/2), sqrt(2)),  log(m) = 2 artanh(s),  s = (m - 1) / (m + 1),  |s| < 0.172
//
// and artanh by its series, to below the last bit. For normal numbers above 0; inf stays inf, NaN stays NaN.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace softwood::simd {

inline double vector_log(double x) {
  constexpr std::uint64_t kRoot = 0x3fe6a09e667f3bcd, kOne = 0x3ff0000000000000, kMantissa = 0x000fffffffffffff;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) + (kOne - kRoot);
  // An integer below 2^52 in the low bits of 2^52 is a number without being converted, which old machines cannot.
  const double k = std::bit_cast<double>((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
  const double m = std::bit_cast<double>((bits & kMantissa) + kRoot), s = (m - 1) / (m + 1), z = s * s;
  const double z2 = z * z, z4 = z2 * z2;
  const double a = (1.0 + z * (1.0 / 3)) + (1.0 / 5 + z * (1.0 / 7)) * z2;
  const double b = (1.0 / 9 + z * (1.0 / 11)) + (1.0 / 13 + z * (1.0 / 15)) * z2;
  const double series = a + (b + (1.0 / 17 + z * (1.0 / 19)) * z4) * z4;
  const double value = k * 0x1.62e42fefa39efp-1 + 2 * s * series;
  return x < std::numeric_limits<double>::infinity() ? value : x;
}

inline float vector_log(float x) {
  constexpr std::uint32_t kRoot = 0x3f3504f3, kOne = 0x3f800000, kMantissa = 0x007fffff;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x) + (kOne - kRoot);
  const float k = std::bit_cast<float>((bits >> 23) | 0x4b000000u) - (0x1p23f + 127);
  const float m = std::bit_cast<float>((bits & kMantissa) + kRoot), s = (m - 1) / (m + 1), z = s * s;
  const float series = (1.0f + z * (1.0f / 3)) + ((1.0f / 5 + z * (1.0f / 7)) + z * z * (1.0f / 9)) * (z * z);
  const float value = k * 0x1.62e43p-1f + 2 * s * series;
  return x < std::numeric_limits<float>::infinity() ? value : x;
}

// log(1 + x) for x >= 0; what the sum lost of a small x is given back.
template <class T>
inline T vector_log1p(T x) {
  const T sum = T(1) + x, value = vector_log(sum) + (x - (sum - T(1))) / sum;
  return x < std::numeric_limits<T>::infinity() ? value : x;
}

}  // namespace softwood::simd
