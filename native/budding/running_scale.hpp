// Scaling for streams: rows as columns, each row scaled by the mean and spread of the rows so far, itself among them.
// Twin: kernels/reference/running_scale.py, to the bit.
#pragma once

#include "core/views.hpp"

namespace softwood::budding {

// Sums so far of each column, about its first value; they change in place.
struct RunningMoments {
  double *first, *weight, *total, *squares, *low, *high;
};

// Where columns end, how indicators are scaled, and below what part of the mean, and of the size, nothing varies.
struct ScaleRule {
  double limit, indicator_scale, least_spread, constant;
};

// Which input each column looks at, and what for: code < 0, its number; NaN, whether it is missing; else whether it is
// that level.
struct ColumnCodes {
  const std::int32_t* feature;
  const double* code;
  std::size_t columns;
};

// Writes phi (rows, columns), a row every `stride`; false where squares are no longer finite.
bool scale_running(const Table& X, const ColumnCodes& of, const double* weight, const RunningMoments& moments,
                   const ScaleRule& rule, double* phi, std::size_t stride);

}  // namespace softwood::budding
