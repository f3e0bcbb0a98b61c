// Rows of a sparse table for soft trees, twin of kernels/sparse/stored_rows.py: passes in time of what is stored.
//
//   column c of a row = stored number (0 where there is none) + shift[c]
//
// The tree touches the columns in two products alone: all its linear sums of a row, from the row's stored numbers, and
// the gradient of all their weights, each column by itself over the rows in order. So neither depends on how many
// threads there are.
#pragma once

#include "soft/soft_rows.hpp"

namespace softwood::soft {

struct StoredRows {
  const std::int32_t *begin, *column;  // where each row begins; columns rise within a row
  const double *value, *shift;
  std::size_t columns;
  SoftRows<double> known;  // target, weight, offset and arrival; no columns
};

// Mean loss, and its gradient unless that is null.
double loss_and_gradient(const StoredRows& rows, const Shape& shape, const double* parameters, double* gradient,
                         int n_threads);

void evaluate_rows(const StoredRows& rows, const Shape& shape, const double* parameters, const Answers& answers,
                   int n_threads);

std::pair<double, int> refine(const StoredRows& rows, const Shape& shape, double* parameters,
                              const Penalty& penalty_terms, const Refinement& how, int n_threads);

}  // namespace softwood::soft
