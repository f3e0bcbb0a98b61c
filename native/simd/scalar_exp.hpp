// exp of one number without branches or tables, double and float: a plain loop over rows becomes vector code of any
// width. (simd/exp.hpp has the packed twin for double that gives the same answer on every machine to the last bit.)
//
//   exp(x) = 2^k * exp(r),  k = round(x / ln 2),  r = x - k ln 2 in [-0.35, 0.35],  exp(r) by its Taylor polynomial
//
// Below 2 ulp in double, 1 ulp in float. NaN stays NaN, overflow is inf, results below the normal range are 0.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace softwood::simd {

inline double vector_exp(double x) {
  constexpr double kLow = -708.3, kHigh = 709.78271289338397;
  constexpr double kMagic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer in the low bits
  const double held = x < kLow ? kLow : (x > kHigh ? kHigh : x);
  const double shifted = held * 1.4426950408889634 + kMagic;
  const double k = shifted - kMagic;
  const double r = (held - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  // In pairs (Estrin), not one long chain: the pairs are computed side by side.
  const double r2 = r * r, r4 = r2 * r2;
  const double a = (1.0 + r) + (0.5 + r * (1.0 / 6)) * r2;
  const double b = (1.0 / 24 + r * (1.0 / 120)) + (1.0 / 720 + r * (1.0 / 5040)) * r2;
  const double c = (1.0 / 40320 + r * (1.0 / 362880)) + (1.0 / 3628800 + r * (1.0 / 39916800)) * r2;
  const double d = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
  const double p = a + (b + (c + d * r4) * r4) * r4;
  // 2^k in two factors: k reaches 1024, one more than an exponent holds.
  const auto bits = std::bit_cast<std::uint64_t>(shifted) << 52;
  const double half = std::bit_cast<double>(bits + (std::uint64_t{1022} << 52));
  const double value = p * half * 2.0;
  return x < kLow ? 0.0 : (x > kHigh ? std::numeric_limits<double>::infinity() : value);
}

inline float vector_exp(float x) {
  constexpr float kLow = -87.3f, kHigh = 88.72283f;
  constexpr float kMagic = 12582912.0f;  // 1.5 * 2^23
  const float held = x < kLow ? kLow : (x > kHigh ? kHigh : x);
  const float shifted = held * 1.44269504f + kMagic;
  const float k = shifted - kMagic;
  const float r = (held - k * 0.693359375f) - k * -2.12194440e-4f;
  float p = 1.0f / 5040.0f;
  p = p * r + 1.0f / 720.0f;
  p = p * r + 1.0f / 120.0f;
  p = p * r + 1.0f / 24.0f;
  p = p * r + 1.0f / 6.0f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const auto bits = std::bit_cast<std::uint32_t>(shifted) << 23;
  const float half = std::bit_cast<float>(bits + (std::uint32_t{126} << 23));
  const float value = p * half * 2.0f;
  return x < kLow ? 0.0f : (x > kHigh ? std::numeric_limits<float>::infinity() : value);
}

}  // namespace softwood::simd
