// Columns that are scaled inputs; the reference is src/softwood/kernels/reference/linear_columns.py.
#pragma once

#include <cstdint>
#include <vector>

#include "core/views.hpp"

namespace softwood::linear_columns {

// Weighted mean and standard deviation of every column, and its largest absolute value. `whole`: no value is missing;
// otherwise nothing else is computed.
struct Moments {
  bool whole = true;
  std::vector<double> mean, spread, largest;
};
Moments find_moments(const Table& X, const double* weight);

// phi[i][j] = X[i][feature[j]] * scale[j] + shift[j], a missing value as when_missing[j]; rows x features, row by row.
void make(const Table& X, const std::vector<int>& feature, const double* when_missing, const double* scale,
          const double* shift, double* phi);

}  // namespace softwood::linear_columns
