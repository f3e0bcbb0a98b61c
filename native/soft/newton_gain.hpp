// The decrease of the loss by the best (Newton) steps of a node's outputs, from sums [slope of every output][curvature
// of every output] of the loss.
#pragma once

#include <cstddef>

#include "simd/sums.hpp"

namespace softwood::soft {

using simd::total;

// Twice the decrease of the loss by the best step, given [slope, curvature] of every output.
SOFTWOOD_INLINE double newton_gain(const double* all, std::size_t outputs, double ridge) {
  return total(outputs,
               [&](std::size_t q) SOFTWOOD_INLINE_LAMBDA { return all[q] * all[q] / (all[outputs + q] + ridge); });
}

// The same for two sides, where the second is all minus the first; a / b + c / d takes one division.
SOFTWOOD_INLINE double newton_gain_of_sides(const double* all, const double* first, std::size_t outputs, double ridge) {
  return total(outputs, [&](std::size_t q) SOFTWOOD_INLINE_LAMBDA {
    const double a = first[q], b = first[outputs + q] + ridge;
    const double c = all[q] - a, d = all[outputs + q] - first[outputs + q] + ridge;
    return (a * a * d + c * c * b) / (b * d);
  });
}

}  // namespace softwood::soft
