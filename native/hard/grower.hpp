// Grows a hard tree: opens nodes, divides their rows, stops by the rules of kernels/contracts/growth.py.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "hard/splitter.hpp"
#include "hard/surrogate.hpp"

namespace softwood::hard {

struct GrownNode {
  std::int32_t first_child = -1;
  std::int32_t feature = -1;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  double fraction = std::numeric_limits<double>::quiet_NaN();
  double count = 0, impurity = 0, gain = 0;
  std::int32_t default_slot = 0;
};

// Nodes in the order of creation. Data that few nodes have is stored separately.
struct GrownTree {
  std::vector<GrownNode> node;
  int parts = 1, quantities = 0;
  std::vector<double> value;                // nodes x parts
  std::vector<double> lower, upper;         // nodes x quantities: monotone bounds
  std::map<std::int32_t, LevelSlots> slot;  // of category splits
  std::map<std::int32_t, std::vector<Surrogate>> surrogates;
};

// The target, from Python.
struct Target {
  const std::int32_t* code = nullptr;  // classes
  const double* y = nullptr;           // numbers, rows x parts
  const double* weight = nullptr;
  const double* factor = nullptr;  // per class, or null: all 1
  int parts = 1;
};

GrownTree grow(const Columns& columns, const Target& target, Criterion criterion, const Growth& growth, int n_threads);

// Sends the rows down a grown tree and finds the surrogates of every branch. Reads first_child, feature, threshold,
// default_slot and slot.
void replay_surrogates(const Columns& columns, const double* weight, GrownTree& tree, int max_surrogates,
                       const std::vector<int>& monotone, int n_threads);

}  // namespace softwood::hard
