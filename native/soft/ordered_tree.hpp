// All parameters of a soft tree refined together within bounds, with ordered predictions; twin of
// kernels/formulas/ordered_tree.py, which explains it.
#pragma once

#include <cstdint>
#include <utility>

#include "soft/soft_rows.hpp"

namespace softwood::soft {

// The middles of ordered gates, parents before children, then the answers of the leaves: each lies between the values
// at `below` and `above`: 0 and 1 are the ends of the whole tree, 2 + i is middle i, -1 is no bound. ends is
// (2, outputs).
struct NodeOrder {
  const std::int64_t *below, *above;
  std::size_t items, middles, outputs;
  const double* ends;
};

// Free numbers: [gate][column, bias] [item][output] [slope][output][column], between low and high.
struct Bounds {
  const double *low, *high;
};

// Bounded L-BFGS from the free numbers `free`, which it replaces; the tree's parameters go to `parameters`. Returns the
// objective reached and the passes over the rows made.
template <class T>
std::pair<double, int> refine_ordered(const SoftRows<T>& rows, const Shape& shape, const NodeOrder& order,
                                      const Bounds& bounds, double* free, double* parameters,
                                      const Penalty& penalty_terms, const Refinement& how, int n_threads);

}  // namespace softwood::soft
