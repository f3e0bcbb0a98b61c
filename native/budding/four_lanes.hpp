// Four numbers at a time, with fused multiply-add if the machine has it (simd/vector.hpp). Sums run over four lanes on
// every machine, so that all give the same result.
#pragma once

#include "budding/online_update.hpp"
#include "simd/sigmoid.hpp"
#include "simd/vector.hpp"

namespace softwood::budding {

template <class T>
using Lane = simd::Vector<T, kLanes>;

template <class T>
using Four = typename Lane<T>::Pack;

template <class T>
SOFTWOOD_INLINE Four<T> four(const T* at) {
  return *reinterpret_cast<const typename Lane<T>::Stored*>(at);
}
template <class T>
SOFTWOOD_INLINE void set_four(T* at, Four<T> value) {
  *reinterpret_cast<typename Lane<T>::Stored*>(at) = value;
}

// Four masks, and whether any bit of them is set.
template <class T>
using Bits = typename Lane<T>::Bits;
template <class T>
SOFTWOOD_INLINE Bits<T> masks(const typename Lane<T>::Word* at) {
  return *reinterpret_cast<const typename Lane<T>::StoredBits*>(at);
}
template <class T>
SOFTWOOD_INLINE bool any(Bits<T> mask) {
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

template <class T>
SOFTWOOD_INLINE Four<T> all(T value) {
  return Four<T>{value, value, value, value};
}

// a * b + c
template <class T>
SOFTWOOD_INLINE Four<T> fused_four(Four<T> a, Four<T> b, Four<T> c) {
#if defined(__aarch64__)
  if constexpr (sizeof(T) == 4) return (Four<T>)simd::fused((float32x4_t)a, (float32x4_t)b, (float32x4_t)c);
#endif
  Four<T> result;
  for (std::size_t lane = 0; lane < kLanes; ++lane) result[lane] = simd::fused(a[lane], b[lane], c[lane]);
  return result;
}

template <class T>
SOFTWOOD_INLINE T sum(Four<T> a) {
  return (a[0] + a[2]) + (a[1] + a[3]);
}

template <class T>
SOFTWOOD_INLINE T dot(const T* a, const T* x, std::size_t n) {
  Four<T> one = four(a) * four(x);
  for (std::size_t i = kLanes; i < n; i += kLanes) one = fused_four<T>(four(a + i), four(x + i), one);
  return sum<T>(one);
}

// Four sums at once, each computed independently, with the results side by side.
template <class T>
SOFTWOOD_INLINE Four<T> dot_four(const T* const (&a)[kLanes], const T* x, std::size_t n) {
  Four<T> one = four(a[0]) * four(x), two = four(a[1]) * four(x);
  Four<T> three = four(a[2]) * four(x), last = four(a[3]) * four(x);
  for (std::size_t i = kLanes; i < n; i += kLanes) {
    const Four<T> here = four(x + i);
    one = fused_four<T>(four(a[0] + i), here, one);
    two = fused_four<T>(four(a[1] + i), here, two);
    three = fused_four<T>(four(a[2] + i), here, three);
    last = fused_four<T>(four(a[3] + i), here, last);
  }
  const Four<T> front = Four<T>{one[0], one[1], two[0], two[1]} + Four<T>{one[2], one[3], two[2], two[3]};
  const Four<T> back = Four<T>{three[0], three[1], last[0], last[1]} + Four<T>{three[2], three[3], last[2], last[3]};
  return Four<T>{front[0], front[2], back[0], back[2]} + Four<T>{front[1], front[3], back[1], back[3]};
}

// Numbers outside to the nearest end; NaN stays NaN.
template <class T>
SOFTWOOD_INLINE Four<T> clamp_four(Four<T> a, T lowest, T highest) {
#if defined(__aarch64__)
  if constexpr (sizeof(T) == 4) return (Four<T>)simd::clamp((float32x4_t)a, lowest, highest);
#endif
  const Four<T> raised = a < lowest ? all(lowest) : a;
  return raised > highest ? all(highest) : raised;
}

// Sigmoids of scores.
template <class T>
SOFTWOOD_INLINE Four<T> squash_four(Four<T> score) {
  using S = simd::Sigmoid<T>;
  Four<T> part, whole;
  simd::split_share<S, Bits<T>>(clamp_four<T>(score * S::kToBits, S::kLow, S::kHigh), part, whole);
  return part / whole;
}

// A chain of a dozen operations is mostly latency, so N vectors take each step side by side.
template <int N, class Step>
SOFTWOOD_INLINE void each(Step&& step) {
  for (int i = 0; i < N; ++i) step(i);
}

// (3 - a * b) / 2 with one rounding: one instruction on ARM, and halving is exact.
template <class T>
SOFTWOOD_INLINE Four<T> three_less(Four<T> a, Four<T> b) {
#if defined(__aarch64__)
  if constexpr (sizeof(T) == 4) return (Four<T>)vrsqrtsq_f32((float32x4_t)a, (float32x4_t)b);
#endif
  return fused_four<T>(T(-0.5) * a, b, all(T(1.5)));
}

// kRoot y z = 1 / sqrt(y): no division, no root, runs on vectors of any machine. A first guess by the bits of y, then
// Newton's y (3 - a y^2) / 2: for float twice, for double five times; the last product is left to the caller, who has
// to multiply anyway. Two steps for float err to one side by at most 4.6e-6, so kRoot leaves half of that.
template <class T>
constexpr T kRoot = sizeof(T) == 4 ? T(1.0000023) : T(1);

template <int N, class T>
SOFTWOOD_INLINE void inverse_roots(Four<T> (&y)[N], Four<T> (&z)[N]) {
  constexpr auto guess = static_cast<typename Lane<T>::Word>(sizeof(T) == 4 ? 0x5f375a00ull : 0x5fe6eb50c7b537a9ull);
  Four<T> a[N];
  each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA { a[i] = y[i]; });
  each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA {
    y[i] = reinterpret_cast<Four<T>>(guess - (reinterpret_cast<Bits<T>>(a[i]) >> 1));
  });
  for (int steps = sizeof(T) == 4 ? 1 : 4; steps > 0; --steps) {
    each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA { z[i] = a[i] * y[i]; });
    each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA { z[i] = three_less<T>(z[i], y[i]); });
    each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA { y[i] = y[i] * z[i]; });
  }
  each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA { z[i] = a[i] * y[i]; });
  each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA { z[i] = three_less<T>(z[i], y[i]); });
}

}  // namespace softwood::budding
