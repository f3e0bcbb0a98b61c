// New splits of one leaf of a soft tree, learned row by row with all other nodes fixed; several trials side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "soft/soft_rows.hpp"

namespace softwood::soft {

// Rows for the leaf to split: offset is the output of the other leaves, reach the share that arrives.
struct SplitRows {
  const double *x, *target, *weight, *offset, *reach;
  std::size_t rows, columns, outputs;
  LossKind loss;

  std::size_t parameters() const { return columns + 1 + 2 * outputs; }
};

// order : (epochs, rows), the same for all trials.
struct Descent {
  const std::int64_t* order;
  std::size_t epochs;
  double momentum, decay;
};

// Splits, one per row of `values` (weights, bias, responses of the first child, of the second), each with its own step.
void descend(const SplitRows& rows, const Descent& how, const std::vector<double>& steps, double* values,
             int n_threads);

}  // namespace softwood::soft
