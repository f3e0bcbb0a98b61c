// Sums of products of hats over rows: B'WB of a sum of piecewise linear curves (kernels/reference/hat_products.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softwood::evidence {

struct HatRows {
  const std::int32_t* segment;  // (inputs, rows): the column of its input that a row lies at, or just above
  const double* part;           // (inputs, rows): how far towards the next column
  std::size_t inputs, rows;
  const std::int64_t* begin;  // (inputs + 1,): the first column of each input
};

// Each pair of inputs is one piece of work over the rows in order: the same sum for any number of threads.
std::vector<double> hat_products(const HatRows& rows, const double* weight, int n_threads);

}  // namespace softwood::evidence
