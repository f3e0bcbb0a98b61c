// exp without branches, eight numbers at a time; compilers do not vectorise std::exp.
//
// There are three exponentials for different uses; replacing one by another changes bits of learned trees.
//
//   exp          here            of eight numbers or of one, the same bits; subnormal results as they should be
//   vector_exp   scalar_exp.hpp  double and float, in loops over rows that the compiler turns into vectors
//   Sigmoid      sigmoid.hpp     no exponential at all but a quotient of two polynomials, since it divides anyway
//
//     exp(x) = 2^k * exp(r),   k = round(x / ln 2),   r = x - k ln 2,   |r| <= ln 2 / 2
//
// ln 2 is taken off in two parts (Cody and Waite 1980). exp(r) = 1 + r + r^2 q(r), where q has degree 9 and meets
// (exp(r) - 1 - r) / r^2 at the Chebyshev points, which leaves an error below 2e-17; it is summed in pairs (Estrin
// 1960). At most 2 ulp off. The answer is the same on every machine: no fused operations, no tables, no library.
#pragma once

#include <bit>
#include <cstdint>

#include "simd/pack.hpp"

namespace softwood {

constexpr double INTEGER = 0x1.8p52;  // adding it rounds to an integer, which then stands in the lowest bits

// The operations of Pack, for one number.
inline double shift_left(double a, int bits) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) << bits); }
inline double clamp(double a, double lowest, double highest) { return a < lowest ? lowest : a > highest ? highest : a; }

// 2^k for integers k in [-1022, 1023], inf for 1024.
template <class T>
SOFTWOOD_INLINE T power_of_two(const T& k) {
  return shift_left(k + (INTEGER + 1023.0), 52);
}

template <class T>
SOFTWOOD_INLINE T round_to_integer(const T& x) {
  return (x + INTEGER) - INTEGER;
}

// exp(x) = 2^k * fraction
template <class T>
struct ExpParts {
  T k, fraction;
};

template <class T>
SOFTWOOD_INLINE ExpParts<T> split_exp(const T& x) {
  constexpr double LOG2E = 0x1.71547652b82fep0;
  constexpr double LN2_HIGH = 0x1.62e42fee00000p-1;  // 32 bits: times k it is exact
  constexpr double LN2_LOW = 0x1.a39ef35793c76p-33;
  constexpr double Q[] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d63p-5,  0x1.11111111109b3p-7,
                          0x1.6c16c1788bf1dp-10, 0x1.a01a01a7c42c9p-13, 0x1.a019b90ccaa6cp-16, 0x1.71de0dae2883ep-19,
                          0x1.289185d3af9d2p-22, 0x1.af38aa3dc1703p-26};
  const T k = round_to_integer(x * LOG2E);
  const T r = (x - k * LN2_HIGH) - k * LN2_LOW;
  const T r2 = r * r, r4 = r2 * r2;
  const T high = (r * Q[5] + Q[4]) + r2 * (r * Q[7] + Q[6]) + r4 * (r * Q[9] + Q[8]);
  const T low = (r * Q[1] + Q[0]) + r2 * (r * Q[3] + Q[2]);
  return {k, (r + r2 * (low + r4 * high)) + 1.0};
}

// NaN gives NaN, overflow inf, underflow 0. 2^k comes in two halves so that subnormal results and overflow round as
// they should.
template <class T>
SOFTWOOD_INLINE T exp(const T& x) {
  const auto [k, fraction] = split_exp(clamp(x, -746.0, 710.0));
  const T half = round_to_integer(k * 0.5);
  return (fraction * power_of_two(half)) * power_of_two(k - half);
}

}  // namespace softwood
