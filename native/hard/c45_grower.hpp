// Growing a C4.5 tree, the native twin of src/softwood/kernels/reference/c45.py. Rules:
// src/softwood/kernels/contracts/c45.py.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/views.hpp"

namespace softwood {

struct C45Problem {
  Table X;
  std::vector<int> n_levels;  // per feature, 0 for a number
  const std::int32_t* code;   // class of every row
  const double* weight;
  int n_classes;
  double min_cases;
  bool subsets;
};

struct C45Node {
  std::int32_t first_child = -1, n_children = 0, feature = -1, default_slot = 0;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  double fraction = std::numeric_limits<double>::quiet_NaN();
  double gain = 0;
  std::vector<std::int32_t> slot;  // of every level, for a category
};

struct C45Tree {
  std::vector<C45Node> node;
  std::vector<double> value;  // nodes x classes
};

C45Tree grow_c45(const C45Problem& problem, int n_threads);

}  // namespace softwood
