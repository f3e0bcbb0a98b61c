// Losses that are sums over outputs, for one output and target; the twin of src/softwood/kernels/formulas/losses.py,
// which has the formulas.
#pragma once

#include <algorithm>

#include "core/kinds.hpp"
#include "core/machine.hpp"
#include "simd/scalar_exp.hpp"
#include "simd/scalar_log.hpp"

namespace softwood::soft {

// The loss and its derivative by the output.
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

// The smallest regular output: below it the loss continues as its tangent.
constexpr double kLeastAnswer = 1e-6;

// The same for an output that is the mean; `formula` uses the logarithm of the mean.
template <class T, class Formula>
SOFTWOOD_INLINE LossTerm<T> by_mean(const Formula& formula, T output, T target) {
  constexpr T kLeast = static_cast<T>(kLeastAnswer);
  const T mean = output < kLeast ? kLeast : output;
  const LossTerm<T> term = formula(simd::vector_log(mean), target);
  const T slope = term.slope / mean;
  return {term.value + slope * (output - mean), slope};
}

// Minus the log of the probability of the target, of the second of two classes.
template <class T>
SOFTWOOD_INLINE LossTerm<T> probability(T output, T target) {
  constexpr T kLeast = static_cast<T>(kLeastAnswer), kMost = T(1) - kLeast;
  const T p = output < kLeast ? kLeast : (output > kMost ? kMost : output), rest = T(1) - p;
  const T slope = (p - target) / (p * rest);
  return {slope * (output - p) - target * simd::vector_log(p) - (T(1) - target) * simd::vector_log(rest), slope};
}

// The term of one of several classes.
template <class T>
SOFTWOOD_INLINE LossTerm<T> class_probability(T output, T target) {
  constexpr T kLeast = static_cast<T>(kLeastAnswer);
  const T p = output < kLeast ? kLeast : output, slope = -target / p;
  return {slope * (output - p) - target * simd::vector_log(p), slope};
}

// The expected second derivative of a deviance by the logarithm of the mean.
SOFTWOOD_INLINE double deviance_curvature(double power, double output) {
  constexpr double kFlat = 1e-4;
  return simd::vector_exp((2 - power) * output) + kFlat;
}

// The second derivative for the search of splits: a bound, or its expectation.
SOFTWOOD_INLINE double expected_curvature(LossKind loss, double parameter, double output) {
  if (mixes_answers(loss)) {
    const double most = loss == LossKind::probability ? 1 - kLeastAnswer : output;
    const double answer = std::max(std::min(output, most), kLeastAnswer);
    if (loss == LossKind::probability) return 1 / (answer * (1 - answer));
    if (loss == LossKind::probabilities) return 1 / answer;
    return deviance_curvature(parameter, simd::vector_log(answer)) / (answer * answer);
  }
  return loss == LossKind::tweedie ? deviance_curvature(parameter, output) : 1.0;
}

// Calls `use` with the formula of a deviance, by the logarithm of the mean.
template <class T, class Use>
SOFTWOOD_INLINE void with_deviance(T power, const Use& use) {
  if (power == T(1))
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return poisson(power, output, target); });
  else if (power == T(2))
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return gamma(power, output, target); });
  else
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return tweedie(power, output, target); });
}

// Calls `use` with the formula of a loss that is a sum over outputs: a loop over rows inside it has no branch.
template <class T, class Use>
SOFTWOOD_INLINE void with_number_loss(LossKind loss, T parameter, const Use& use) {
  if (loss == LossKind::probability)
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return probability(output, target); });
  else if (loss == LossKind::probabilities)
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return class_probability(output, target); });
  else if (loss == LossKind::mean)
    with_deviance(parameter, [&](const auto& formula) SOFTWOOD_INLINE_LAMBDA {
      use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return by_mean(formula, output, target); });
    });
  else if (loss == LossKind::huber)
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return huber(parameter, output, target); });
  else if (loss == LossKind::quantile)
    use([=](T output, T target) SOFTWOOD_INLINE_LAMBDA { return quantile(parameter, output, target); });
  else
    with_deviance(parameter, use);
}

}  // namespace softwood::soft
