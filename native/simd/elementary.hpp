// Functions of one number that give the same bits on every machine. std::log, std::pow and std::cos do not: each C
// library has its own, and one library several, by processor. All are made of sums, products and quotients, which IEEE
// 754 fixes (products are not fused: CMakeLists.txt).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "simd/exp.hpp"
#include "simd/scalar_log.hpp"

namespace softwood::elementary {

namespace detail {
constexpr double SMALLEST_NORMAL = std::numeric_limits<double>::min(),
                 NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double LIFT = 0x1p54, LIFT_BITS = 54;  // makes any subnormal number normal

// `value` where x is positive; -inf at 0 and NaN below, as the logarithm has it.
inline double where_positive(double x, double value) { return x > 0 ? value : x == 0 ? -INFINITE : NOT_A_NUMBER; }
}  // namespace detail

// The exponential function of simd/exp.hpp, of one number.
inline double exp(double x) { return softwood::exp(x); }

// Natural logarithm, at most 3 ulp off; subnormal numbers too.
inline double log(double x) {
  const bool tiny = x < detail::SMALLEST_NORMAL;
  const double value = simd::vector_log(tiny ? x * detail::LIFT : x);
  return detail::where_positive(x, tiny ? value - detail::LIFT_BITS * 0x1.62e42fefa39efp-1 : value);
}

// Logarithm to base 2; of a power of two it is exact.
inline double log2(double x) {
  const bool tiny = x < detail::SMALLEST_NORMAL;
  const double lifted = tiny ? x * detail::LIFT : x;
  if (!(lifted > 0 && lifted < detail::INFINITE)) return log(x);
  constexpr std::uint64_t HALF_ROOT = 0x3fe6a09e667f3bcd, ONE = 0x3ff0000000000000, MANTISSA = 0x000fffffffffffff;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(lifted) + (ONE - HALF_ROOT);
  const double exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  const double mantissa = std::bit_cast<double>((bits & MANTISSA) + HALF_ROOT);
  return (tiny ? exponent - detail::LIFT_BITS : exponent) + simd::vector_log(mantissa) * 0x1.71547652b82fep0;
}

// log(1 + x) for x > -1: what the sum lost of a small x is given back.
inline double log1p(double x) {
  const double sum = 1 + x, value = log(sum) + (x - (sum - 1)) / sum;
  return x > -1 && x < detail::INFINITE ? value : log(sum);
}

// base^exponent by repeated squaring.
inline double power(double base, std::uint64_t exponent) {
  double value = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1) value *= base;
  return value;
}

// cos(2 pi turn) for turn in [0, 1], off by less than 2e-15: the Taylor series of the quarter turn that is next to it.
inline double cos_of_turn(double turn) {
  constexpr double TAU = 0x1.921fb54442d18p2;
  const double from_half = turn < 0.5 ? 0.5 - turn : turn - 0.5;  // cos(2 pi turn) = -cos(2 pi from_half)
  const bool is_far = from_half > 0.25;                           // then beyond the quarter: + cos
  const double angle = TAU * (is_far ? 0.5 - from_half : from_half), z = angle * angle;  // in [0, pi / 2]
  double series = 0;
  for (int k = 24; k > 0; k -= 2) series = (1 - series * z) / (k * (k - 1));
  const double cosine = 1 - z * series;
  return is_far ? cosine : -cosine;
}

}  // namespace softwood::elementary
