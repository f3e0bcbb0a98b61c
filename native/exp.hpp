// exp without branches, so that compilers run it on vectors; std::exp they do not.
//
//     exp(x) = 2^k * exp(r),   k = round(x / ln 2),   r = x - k ln 2,   |r| <= ln 2 / 2
//
// ln 2 is taken off in two parts (Cody and Waite 1980). exp(r) = 1 + r + r^2 q(r), where q has degree 9 and meets
// (exp(r) - 1 - r) / r^2 at the Chebyshev points, which leaves an error below 2e-17; it is summed in pairs (Estrin
// 1960) because a long chain of steps leaves the processor waiting. At most 2 ulp off. The answer is the same on every
// machine: no fused operations, no tables, no library.
#pragma once

#include <bit>
#include <cstdint>

namespace softwood {

constexpr double INTEGER = 0x1.8p52;  // adding it rounds to an integer, which then stands in the lowest bits

// 2^k for an integer k in [-1022, 1023], inf for 1024.
inline double power_of_two(double k) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(k + (INTEGER + 1023.0)) << 52);
}

// yes or no by bit mask: `condition ? yes : no` compilers turn into branches around what follows, and those do not
// run on vectors.
inline double choose(bool condition, double yes, double no) {
  const std::uint64_t mask = -static_cast<std::uint64_t>(condition);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(yes) & mask) | (std::bit_cast<std::uint64_t>(no) & ~mask));
}

// A number outside to the nearest end; NaN stays NaN.
inline double clamp(double x, double lowest, double highest) {
  x = choose(x < lowest, lowest, x);
  return choose(x > highest, highest, x);
}

// exp(x) = 2^k * fraction
struct ExpParts {
  double k, fraction;
};

inline ExpParts split_exp(double x) {
  constexpr double LOG2E = 0x1.71547652b82fep0;
  constexpr double LN2_HIGH = 0x1.62e42fee00000p-1;  // 32 bits: times k it is exact
  constexpr double LN2_LOW = 0x1.a39ef35793c76p-33;
  constexpr double Q[] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d63p-5,  0x1.11111111109b3p-7,
                          0x1.6c16c1788bf1dp-10, 0x1.a01a01a7c42c9p-13, 0x1.a019b90ccaa6cp-16, 0x1.71de0dae2883ep-19,
                          0x1.289185d3af9d2p-22, 0x1.af38aa3dc1703p-26};
  const double k = (x * LOG2E + INTEGER) - INTEGER;
  const double r = (x - k * LN2_HIGH) - k * LN2_LOW;
  const double r2 = r * r, r4 = r2 * r2;
  const double low = (Q[0] + r * Q[1]) + r2 * (Q[2] + r * Q[3]);
  const double high = (Q[4] + r * Q[5]) + r2 * (Q[6] + r * Q[7]) + r4 * (Q[8] + r * Q[9]);
  return {k, 1.0 + (r + r2 * (low + r4 * high))};
}

// NaN gives NaN, overflow inf, underflow 0. 2^k comes in two halves so that subnormal results and overflow round as
// they should.
inline double exp(double x) {
  const auto [k, fraction] = split_exp(clamp(x, -746.0, 710.0));
  const double half = (0.5 * k + INTEGER) - INTEGER;
  return (fraction * power_of_two(half)) * power_of_two(k - half);
}

// 1 / (1 + exp(-x)); 0 already where that would be subnormal.
inline double sigmoid(double x) {
  const auto [k, fraction] = split_exp(clamp(-x, -708.0, 710.0));
  return 1.0 / (1.0 + fraction * power_of_two(k));
}

}  // namespace softwood
