// Sigmoids of many numbers, double or float, without branches, tables or library:
//
//     share = 1 / (1 + exp(-score)) = 1 / (1 + 2^u),   u = -score log2(e)
//     2^u   = 2^k 2^f,   k = round(u),   f = u - k,   |f| <= 1/2
//     2^f   = (A + B) / (A - B),   B / A = tanh(f ln 2 / 2)
//     share = (A - B) / (A - B + 2^k (A + B))
//
// A is even in f and B odd, so a quotient of two short polynomials replaces one long one, and the division is needed
// anyway. B / A equals the tangent at the Chebyshev points, which leaves an error of 2^f below 1e-18 (double, A and B
// of degree 4 and 5) and 1e-10 (float, degree 2 and 3). u is computed instead of the score at no cost, with weights and
// bias times kToBits. In predictions, steps are not fused, so every machine gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/machine.hpp"
#include "simd/vector.hpp"

namespace softwood::simd {

template <class T>
struct Sigmoid;

template <>
struct Sigmoid<double> {
  static constexpr double kToBits = -0x1.71547652b82fep0;  // u = kToBits * score
  static constexpr double kInteger = 0x1.8p52 + 1023;      // adding it rounds; the exponent of 2^k is in the low bits
  static constexpr int kExponentAt = 52;
  static constexpr double kLow = -1022, kHigh = 1024;  // 2^kHigh is inf and its share 0

  template <class Pack>
  SOFTWOOD_INLINE static Pack even(const Pack& s) {
    return (s * 0x1.e0180e89df438p-13 + 0x1.b54e547b38aecp-5) * s + 1.0;
  }
  template <class Pack>
  SOFTWOOD_INLINE static Pack odd(const Pack& s) {
    return (s * 0x1.62c88587d37b1p-18 + 0x1.2f171e102aa55p-8) * s + 0x1.62e42fefa39efp-2;
  }
};

template <>
struct Sigmoid<float> {
  static constexpr float kToBits = -0x1.715476p0f;
  static constexpr float kInteger = 0x1.8p23f + 127;
  static constexpr int kExponentAt = 23;
  static constexpr float kLow = -126, kHigh = 128;

  template <class Pack>
  SOFTWOOD_INLINE static Pack even(const Pack& s) {
    return s * 0x1.897cfap-5f + 1.0f;
  }
  template <class Pack>
  SOFTWOOD_INLINE static Pack odd(const Pack& s) {
    return s * 0x1.6b34bap-9f + 0x1.62e43p-2f;
  }
};

// 1 / (1 + 2^u) = part / whole, both still to be divided; `Bits` is an unsigned Pack, u within kLow and kHigh.
template <class S, class Bits, class Pack>
SOFTWOOD_INLINE void split_share(const Pack& u, Pack& part, Pack& whole) {
  const Pack shifted = u + S::kInteger, f = u - (shifted - S::kInteger), s = f * f;
  const Pack a = S::even(s), b = f * S::odd(s);
  part = a - b;
  whole = part + (Pack)((Bits)shifted << S::kExponentAt) * (a + b);
}

// value[i] = 1 / (1 + 2^value[i]), in steps of PACKS packs: n is a multiple of them.
template <int PACKS, class T>
SOFTWOOD_INLINE void squash_bits(T* value, std::size_t n) {
  using S = Sigmoid<T>;
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kWidth = Lanes<T>::kWidth;
  for (std::size_t at = 0; at < n; at += PACKS * kWidth) {
    Pack part[PACKS], whole[PACKS];
    for (int i = 0; i < PACKS; ++i) {
      const Pack u = clamp(Pack(load(value + at + i * kWidth)), S::kLow, S::kHigh);
      split_share<S, typename Lanes<T>::Bits>(u, part[i], whole[i]);
    }
    // Divisions last: they are slow, and overlap with the next packs' polynomials.
    for (int i = 0; i < PACKS; ++i) store(value + at + i * kWidth, Pack(part[i] / whole[i]));
  }
}

// Reach of the two children of a branch, which passes on the share `passes` of its reach. Not second = passed - first,
// which would lose all digits for shares near 1.
template <class T>
SOFTWOOD_INLINE void split_reach(const T* __restrict reach, const T* __restrict share, T passes, T* __restrict first,
                                 T* __restrict second, std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) {
    const T passed = reach[row] * passes;
    first[row] = passed * share[row];
    second[row] = passed * (T(1) - share[row]);
  }
}

}  // namespace softwood::simd
