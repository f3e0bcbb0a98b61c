// exp without branches, eight numbers at a time; std::exp compilers do not run on vectors.
//
// There are three exponentials, and each has its place; to put one where another is changes bits of learned trees.
//
//   exp(Pack)    here            not fused, subnormal results as they should be: the same bits on every machine
//   vector_exp   scalar_exp.hpp  double and float, in loops over rows that the compiler turns into vectors, and fuses
//   Sigmoid      sigmoid.hpp     no exponential at all but a quotient of two polynomials, since it divides anyway
//
//     exp(x) = 2^k * exp(r),   k = round(x / ln 2),   r = x - k ln 2,   |r| <= ln 2 / 2
//
// ln 2 is taken off in two parts (Cody and Waite 1980). exp(r) = 1 + r + r^2 q(r), where q has degree 9 and meets
// (exp(r) - 1 - r) / r^2 at the Chebyshev points, which leaves an error below 2e-17; it is summed in pairs (Estrin
// 1960). At most 2 ulp off. The answer is the same on every machine: no fused operations, no tables, no library.
#pragma once

#include "simd/pack.hpp"

namespace softwood {

constexpr double INTEGER = 0x1.8p52;  // adding it rounds to an integer, which then stands in the lowest bits

// 2^k for integers k in [-1022, 1023], inf for 1024.
SOFTWOOD_INLINE Pack power_of_two(const Pack& k) { return shift_left(k + (INTEGER + 1023.0), 52); }

SOFTWOOD_INLINE Pack round(const Pack& x) { return (x + INTEGER) - INTEGER; }

// exp(x) = 2^k * fraction
struct ExpParts {
  Pack k, fraction;
};

SOFTWOOD_INLINE ExpParts split_exp(const Pack& x) {
  constexpr double LOG2E = 0x1.71547652b82fep0;
  constexpr double LN2_HIGH = 0x1.62e42fee00000p-1;  // 32 bits: times k it is exact
  constexpr double LN2_LOW = 0x1.a39ef35793c76p-33;
  constexpr double Q[] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d63p-5,  0x1.11111111109b3p-7,
                          0x1.6c16c1788bf1dp-10, 0x1.a01a01a7c42c9p-13, 0x1.a019b90ccaa6cp-16, 0x1.71de0dae2883ep-19,
                          0x1.289185d3af9d2p-22, 0x1.af38aa3dc1703p-26};
  const Pack k = round(x * LOG2E);
  const Pack r = (x - k * LN2_HIGH) - k * LN2_LOW;
  const Pack r2 = r * r, r4 = r2 * r2;
  const Pack high = (r * Q[5] + Q[4]) + r2 * (r * Q[7] + Q[6]) + r4 * (r * Q[9] + Q[8]);
  const Pack low = (r * Q[1] + Q[0]) + r2 * (r * Q[3] + Q[2]);
  return {k, (r + r2 * (low + r4 * high)) + 1.0};
}

// NaN gives NaN, overflow inf, underflow 0. 2^k comes in two halves so that subnormal results and overflow round as
// they should.
SOFTWOOD_INLINE Pack exp(const Pack& x) {
  const auto [k, fraction] = split_exp(clamp(x, -746.0, 710.0));
  const Pack half = round(k * 0.5);
  return (fraction * power_of_two(half)) * power_of_two(k - half);
}

}  // namespace softwood
