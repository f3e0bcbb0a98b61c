// How a gradient moves numbers: AdaGrad, plain descent, Adam.
#pragma once

#include <cmath>

#include "budding_lanes.hpp"

namespace softwood::budding {

constexpr double kTiny = 1e-12;  // added to squares: no division by 0
constexpr double kFade = 0.9, kFadeSquares = 0.999, kAdamTiny = 1e-8;

// AdaGrad on N vectors whose slope is factor * x; `step` is multiplied by kRoot already.
template <int N, class T>
SOFTWOOD_INLINE void adagrad_some(T* __restrict number, T* __restrict memory, const T* x, T factor, T step) {
  Four<T> move[N], squares[N], now[N];
  SOFTWOOD_EACH move[i] = factor * four(x + i * kLanes);
  SOFTWOOD_EACH squares[i] = fused_four<T>(move[i], move[i], four(memory + i * kLanes));
  SOFTWOOD_EACH now[i] = four(number + i * kLanes);
  SOFTWOOD_EACH four(memory + i * kLanes) = squares[i];
  SOFTWOOD_EACH squares[i] = squares[i] + static_cast<T>(kTiny);
  SOFTWOOD_EACH move[i] = -step * move[i];
  inverse_roots<N, T>(squares);
  SOFTWOOD_EACH four(number + i * kLanes) = fused_four<T>(move[i], squares[i], now[i]);
}

// AdaGrad on n numbers in whole lanes.
template <class T>
SOFTWOOD_INLINE void adagrad(T* number, T* memory, const T* x, T factor, std::size_t n, T step) {
  step *= kRoot<T>;
  std::size_t at = 0;
  for (; at + 4 * kLanes <= n; at += 4 * kLanes) adagrad_some<4>(number + at, memory + at, x + at, factor, step);
  const std::size_t left = (n - at + kLanes - 1) / kLanes;
  if (left == 3) return adagrad_some<3>(number + at, memory + at, x + at, factor, step);
  if (left == 2) return adagrad_some<2>(number + at, memory + at, x + at, factor, step);
  for (; at < n; at += kLanes) adagrad_some<1>(number + at, memory + at, x + at, factor, step);
}

template <class T>
SOFTWOOD_INLINE void descend(T* __restrict number, const T* __restrict slope, std::size_t n, T step) {
  for (std::size_t i = 0; i < n; ++i) number[i] -= step * slope[i];
}

// `age` is that of one node, whose numbers these are.
template <class T>
SOFTWOOD_INLINE void adam(T* number, T* memory, T* speed, const T* slope, std::size_t n, T step, std::int64_t age) {
  const T warm = static_cast<T>(1 / (1 - std::pow(kFade, double(age))));
  const T warm_squares = static_cast<T>(1 / (1 - std::pow(kFadeSquares, double(age))));
  for (std::size_t i = 0; i < n; ++i) {
    speed[i] += static_cast<T>(1 - kFade) * (slope[i] - speed[i]);
    memory[i] += static_cast<T>(1 - kFadeSquares) * (slope[i] * slope[i] - memory[i]);
    number[i] -= step * (speed[i] * warm) / (std::sqrt(memory[i] * warm_squares) + static_cast<T>(kAdamTiny));
  }
}

}  // namespace softwood::budding
