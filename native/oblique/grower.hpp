// Grows a hard tree of linear gates, where asked for also of questions about one input. The definition is
// src/softwood/learners/oblique/grow.py with the splits of discriminant.py.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "oblique/partitioned_rows.hpp"

namespace softwood::oblique {

struct Limits {
  int max_depth;
  double min_samples_split, min_impurity_decrease;
};

struct GrownNode {
  std::int32_t first_child = -1;
  std::int32_t gate = -1;  // linear: which of the gates
  std::int32_t feature = -1, default_slot = 0;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  double bias = 0, count = 0, impurity = 0, gain = 0;
};

// Nodes level by level.
struct GrownTree {
  std::size_t parts = 1;
  std::vector<GrownNode> node;
  std::vector<double> value;                               // nodes x parts: weight by class, or means
  std::vector<double> weight;                              // gates x columns
  std::map<std::int32_t, std::vector<std::int32_t>> slot;  // of tests of a category
};

GrownTree grow(const Problem& problem, const Limits& limits, const SplitOptions& options);

}  // namespace softwood::oblique
