// Scaling for streams: rows as columns, each row scaled by the mean and spread of the rows so far, including itself.
// Twin, equal to the bit: kernels/reference/running_scale.py.
#pragma once

#include "core/views.hpp"

namespace softwood::budding {

// Sums so far of each column, about its first value; changed in place.
struct RunningMoments {
  double *first, *weight, *total, *squares, *low, *high;
};

// Where columns end, the scale of indicators, and the relative spread below which a column is constant.
struct ScaleRule {
  double limit, indicator_scale, least_spread, constant;
};

// The input of each column, and its kind: code < 0, the number; NaN, whether it is missing; else whether it is that
// level.
struct ColumnCodes {
  const std::int32_t* feature;
  const double* code;
  std::size_t columns;
};

// Writes phi (rows, columns), a row every `stride`; false if squares are no longer finite.
bool scale_running(const Table& X, const ColumnCodes& of, const double* weight, const RunningMoments& moments,
                   const ScaleRule& rule, double* phi, std::size_t stride);

}  // namespace softwood::budding
