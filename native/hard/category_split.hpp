// Splits on categories: the levels of a node, the orders to try, all subsets if there are few.
#pragma once

#include <cstdint>
#include <vector>

#include "hard/best_split.hpp"
#include "hard/sorted_columns.hpp"

namespace softwood::hard {

constexpr int EXACT_LEVELS = 10;
constexpr int POWER_STEPS = 50;

struct Levels {
  std::vector<int> code;           // levels present, increasing; the last may be n_levels, the missing rows
  std::vector<double> state;       // one state per level (sums; unused for losses about centres)
  std::vector<std::size_t> begin;  // start of each level's entries, one more than levels
  std::size_t size() const { return code.size(); }
};

// Levels in a list of entries ordered by code; the entries from `known` on become one more level if `with_missing`.
Levels read_levels(const Columns& columns, const Objective& objective, const std::uint32_t* entries, std::size_t known,
                   std::size_t n, std::size_t feature, bool with_missing);

// Orders of the levels (indices into Levels) whose prefixes are candidates; `slack` is the rounding error of a key.
std::vector<std::vector<int>> level_orders(const Objective& objective, const Levels& levels,
                                           const std::uint32_t* entries, double slack);

struct Grouping {
  std::vector<bool> first;  // per level present: whether it is in the first child
};

// The best division of the levels in two, offered to the selector; base is the initial state of the first child.
Grouping group_levels(SplitSelector& selector, const Levels& levels, const std::uint32_t* entries, const double* base,
                      const double* total, int missing_slot);

}  // namespace softwood::hard
