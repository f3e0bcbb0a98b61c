// Four numbers at a time, with one rounding a product and sum where the machine can (fused.hpp). Sums run over four
// lanes on every machine, so that all give the same answer.
#pragma once

#include <type_traits>

#include "budding.hpp"
#include "fused.hpp"

namespace softwood::budding {

template <class T>
struct Lane {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  typedef T Four __attribute__((vector_size(kLanes * sizeof(T)), aligned(sizeof(T))));
  typedef Word Bits __attribute__((vector_size(kLanes * sizeof(T)), aligned(sizeof(T))));
};

template <class T>
using Four = typename Lane<T>::Four;

template <class T>
SOFTWOOD_INLINE auto& four(T* at) {
  return *reinterpret_cast<Four<T>*>(at);
}
template <class T>
SOFTWOOD_INLINE const auto& four(const T* at) {
  return *reinterpret_cast<const Four<T>*>(at);
}

template <class T>
SOFTWOOD_INLINE Four<T> all(T value) {
  return Four<T>{value, value, value, value};
}

// a * b + c
template <class T>
SOFTWOOD_INLINE Four<T> fused_four(Four<T> a, Four<T> b, Four<T> c) {
#if defined(__aarch64__)
  if constexpr (sizeof(T) == 4) return (Four<T>)soft::fused((float32x4_t)a, (float32x4_t)b, (float32x4_t)c);
#endif
  Four<T> result;
  for (std::size_t lane = 0; lane < kLanes; ++lane) result[lane] = soft::fused(a[lane], b[lane], c[lane]);
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

// Two at once, each as by itself: neither waits for the other's sums.
template <class T>
SOFTWOOD_INLINE void dot_two(const T* a, const T* b, const T* x, std::size_t n, T& by_a, T& by_b) {
  Four<T> one = four(a) * four(x), two = four(b) * four(x);
  for (std::size_t i = kLanes; i < n; i += kLanes) {
    const Four<T> here = four(x + i);
    one = fused_four<T>(four(a + i), here, one);
    two = fused_four<T>(four(b + i), here, two);
  }
  by_a = sum<T>(one), by_b = sum<T>(two);
}

// 1 / sqrt(a), but for a factor (kRoot) that the caller has to multiply by anyway: no division, no root, runs on
// vectors of any machine. A first guess y by the bits of a leaves u = a y^2 within 7 % of its middle. For float,
// u^(-1/2) by the parabola that errs least there, written as kRoot ((u + b)^2 + c): 2e-5 of a step's length. For
// double, four steps of Newton's, to the last bits.
template <class T>
constexpr T kRoot = sizeof(T) == 4 ? T(0.49104745594689747) : T(1);

// A chain of a dozen operations is mostly waiting, so N vectors take each step side by side.
#define SOFTWOOD_EACH for (int i = 0; i < N; ++i)

template <int N, class T>
SOFTWOOD_INLINE void inverse_roots(Four<T> (&a)[N]) {
  using Bits = typename Lane<T>::Bits;
  constexpr auto guess = static_cast<typename Lane<T>::Word>(sizeof(T) == 4 ? 0x5f2c0000ull : 0x5fe6eb50c7b537a9ull);
  Four<T> y[N];
  SOFTWOOD_EACH y[i] = reinterpret_cast<Four<T>>(guess - (reinterpret_cast<Bits>(a[i]) >> 1));
  if constexpr (sizeof(T) == 4) {
    SOFTWOOD_EACH a[i] = a[i] * y[i];
    SOFTWOOD_EACH a[i] = a[i] * y[i];
    SOFTWOOD_EACH a[i] = a[i] + T(-1.4973279871022738);
    SOFTWOOD_EACH a[i] = a[i] * a[i];
    SOFTWOOD_EACH a[i] = a[i] + T(1.789816230309687);
    SOFTWOOD_EACH a[i] = a[i] * y[i];
  } else {
    for (int steps = 0; steps < 4; ++steps) SOFTWOOD_EACH y[i] = y[i] * (T(1.5) - (T(0.5) * a[i] * y[i]) * y[i]);
    SOFTWOOD_EACH a[i] = y[i];
  }
}

}  // namespace softwood::budding
