// Losses of numbers, for one output and target; the twin of src/softwood/kernels/formulas/losses.py, which has the
// formulas.
#pragma once

#include <algorithm>

#include "core/kinds.hpp"
#include "core/machine.hpp"
#include "simd/scalar_exp.hpp"
#include "simd/scalar_log.hpp"

namespace softwood::soft {

// The loss and its slope by the output.
template <class T>
struct LossTerm {
  T value, slope;
};

template <class T>
SOFTWOOD_INLINE T held_within(T value, T width) {
  return value < -width ? -width : (value > width ? width : value);
}

template <class T>
SOFTWOOD_INLINE LossTerm<T> huber(T width, T output, T target) {
  const T error = output - target, held = held_within(error, width);
  return {held * (error - T(0.5) * held), held};
}

// Rounded within kWidth of the target.
template <class T>
SOFTWOOD_INLINE LossTerm<T> quantile(T level, T output, T target) {
  constexpr T kWidth = T(0.1);
  const T tilt = 2 * level - 1, below = target - output, held = held_within(below, kWidth);
  return {tilt * below + held * (below - T(0.5) * held) / kWidth + T(0.5) * tilt * tilt * kWidth,
          -tilt - held / kWidth};
}

template <class T>
SOFTWOOD_INLINE T log_of_target(T target) {
  constexpr T kTiny = T(1e-30);
  return simd::vector_log(target < kTiny ? kTiny : target);
}

template <class T>
SOFTWOOD_INLINE LossTerm<T> poisson(T, T output, T target) {
  const T mean = simd::vector_exp(output);
  return {mean - target * output + target * (log_of_target(target) - 1), mean - target};
}

template <class T>
SOFTWOOD_INLINE LossTerm<T> gamma(T, T output, T target) {
  const T ratio = target * simd::vector_exp(-output);
  return {ratio - 1 + output - log_of_target(target), 1 - ratio};
}

template <class T>
SOFTWOOD_INLINE LossTerm<T> tweedie(T power, T output, T target) {
  const T one = power - 1, two = 2 - power;
  const T rise = simd::vector_exp(two * output), fall = target * simd::vector_exp(-one * output);
  const T least = target > 0 ? simd::vector_exp(two * log_of_target(target)) / (one * two) : T(0);
  return {rise / two + fall / one - least, rise - fall};
}

// The second derivative by which splits are looked for: a bound of it, or what is expected.
SOFTWOOD_INLINE double expected_curvature(LossKind loss, double parameter, double output) {
  constexpr double kFlat = 1e-4;
  return loss == LossKind::tweedie ? simd::vector_exp((2 - parameter) * output) + kFlat : 1.0;
}

// Calls `use` with the formula of a loss of numbers: a loop over rows inside it has no branch.
template <class T, class Use>
SOFTWOOD_INLINE void with_number_loss(LossKind loss, T parameter, const Use& use) {
  if (loss == LossKind::huber)
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return huber(parameter, output, target); });
  else if (loss == LossKind::quantile)
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return quantile(parameter, output, target); });
  else if (parameter == T(1))
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return poisson(parameter, output, target); });
  else if (parameter == T(2))
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return gamma(parameter, output, target); });
  else
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return tweedie(parameter, output, target); });
}

}  // namespace softwood::soft
