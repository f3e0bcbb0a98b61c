// Update rules: AdaGrad, plain descent, Adam.
#pragma once

#include <cmath>

#include "budding/four_lanes.hpp"
#include "simd/elementary.hpp"

namespace softwood::budding {

constexpr double kTiny = 1e-12;  // added to squares: no division by 0
constexpr double kFade = 0.9, kFadeSquares = 0.999, kAdamTiny = 1e-8;

// AdaGrad on N vectors of parameters, their squares and `slope`; `step` is already multiplied by kRoot.
template <int N, class T>
SOFTWOOD_INLINE void adagrad_vectors(Four<T> (&number)[N], Four<T> (&memory)[N], Four<T> (&slope)[N], T step) {
  Four<T> y[N], z[N];
  each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA { memory[i] = fused_four<T>(slope[i], slope[i], memory[i]); });
  each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA { y[i] = memory[i] + static_cast<T>(kTiny); });
  each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA { slope[i] = -step * slope[i]; });
  inverse_roots<N, T>(y, z);
  each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA { y[i] = slope[i] * y[i]; });
  each<N>([&](int i) SOFTWOOD_INLINE_LAMBDA { number[i] = fused_four<T>(y[i], z[i], number[i]); });
}

// Parameters that AdaGrad updates together: their slope is factor * x.
template <class T>
struct Moved {
  T *number, *memory;
  T factor;
};

// N vectors of each of G.
template <int N, std::size_t G, class T>
SOFTWOOD_INLINE void adagrad_some(const Moved<T> (&moved)[G], const T* x, std::size_t at, T step) {
  constexpr int kAll = N * static_cast<int>(G);
  Four<T> number[kAll], memory[kAll], slope[kAll];
  const auto place = [at](T* base, int i)
                         SOFTWOOD_INLINE_LAMBDA { return base + at + static_cast<std::size_t>(i % N) * kLanes; };
  for (int i = 0; i < kAll; ++i)
    slope[i] = moved[i / N].factor * four(x + at + static_cast<std::size_t>(i % N) * kLanes);
  for (int i = 0; i < kAll; ++i) memory[i] = four(place(moved[i / N].memory, i));
  for (int i = 0; i < kAll; ++i) number[i] = four(place(moved[i / N].number, i));
  adagrad_vectors<kAll, T>(number, memory, slope, step);
  for (int i = 0; i < kAll; ++i) set_four<T>(place(moved[i / N].memory, i), memory[i]);
  for (int i = 0; i < kAll; ++i) set_four<T>(place(moved[i / N].number, i), number[i]);
}

// AdaGrad on n numbers, rounded up to whole lanes, of each of G: six vectors side by side.
template <std::size_t G, class T>
SOFTWOOD_INLINE void adagrad(const Moved<T> (&moved)[G], const T* x, std::size_t n, T step) {
  constexpr std::size_t kBlock = 6 / G;
  step *= kRoot<T>, n = padded(n);
  std::size_t at = 0;
  for (; at + kBlock * kLanes <= n; at += kBlock * kLanes) adagrad_some<kBlock>(moved, x, at, step);
  const std::size_t left = (n - at) / kLanes;
  if constexpr (kBlock > 3) {
    if (left == 5) return adagrad_some<5>(moved, x, at, step);
    if (left == 4) return adagrad_some<4>(moved, x, at, step);
    if (left == 3) return adagrad_some<3>(moved, x, at, step);
  }
  if (left == 2) return adagrad_some<2>(moved, x, at, step);
  if (left == 1) return adagrad_some<1>(moved, x, at, step);
}

template <class T>
SOFTWOOD_INLINE void descend(T* __restrict number, const T* __restrict slope, std::size_t n, T step) {
  for (std::size_t i = 0; i < n; ++i) number[i] -= step * slope[i];
}

// `age` is that of the node that has these parameters.
template <class T>
SOFTWOOD_INLINE void adam(T* number, T* memory, T* speed, const T* slope, std::size_t n, T step, std::int64_t age) {
  const T warm = static_cast<T>(1 / (1 - elementary::power(kFade, static_cast<std::uint64_t>(age))));
  const T warm_squares = static_cast<T>(1 / (1 - elementary::power(kFadeSquares, static_cast<std::uint64_t>(age))));
  for (std::size_t i = 0; i < n; ++i) {
    speed[i] += static_cast<T>(1 - kFade) * (slope[i] - speed[i]);
    memory[i] += static_cast<T>(1 - kFadeSquares) * (slope[i] * slope[i] - memory[i]);
    number[i] -= step * (speed[i] * warm) / (std::sqrt(memory[i] * warm_squares) + static_cast<T>(kAdamTiny));
  }
}

}  // namespace softwood::budding
