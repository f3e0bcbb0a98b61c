// The enumerations that Python, C++ and files share, declared only here in native/. Names and numbers are those of
// src/softwood/kernels/kinds.py, which documents them: add to the end, never renumber.
#pragma once

#include <cstdint>

namespace softwood {

enum class Score : std::uint8_t { none, threshold, category, interval, linear, constant };
enum class Squash : std::uint8_t { step, ramp, sigmoid };
enum class Missing : std::uint8_t { direction, fraction, surrogate, category };
enum class Link : std::uint8_t { identity, sigmoid, softmax, log };
enum class Term : std::uint8_t { identity, square, hinge, category, missing };
enum class Criterion : std::uint8_t { gini, entropy, error, squared_error, absolute_error, poisson, quantile, huber };
enum class LossKind : std::uint8_t {
  squared,
  logistic,
  softmax,
  huber,
  quantile,
  tweedie,
  probability,
  probabilities,
  mean
};
constexpr LossKind kLastLoss = LossKind::mean;

// Whether leaves mix predictions after the link instead of outputs before it.
constexpr bool mixes_answers(LossKind loss) { return loss >= LossKind::probability; }

}  // namespace softwood
