// Surrogate splits: the best imitations of a node's split on other features (Breiman et al. 1984, section 5.3).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "hard/splitter.hpp"

namespace softwood::hard {

struct Surrogate {
  int feature = -1;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  bool flip = false;  // values above the threshold go to slot 0
  LevelSlots slot;    // categories: slot of every level that it can place
  double agreement = 0, adjusted = 0;
};

constexpr double MIN_SMALLER_CHILD = 2;  // minimum count of the smaller child: one row is too little
constexpr std::uint8_t UNKNOWN = 3;      // side of a row whose primary value is missing

// The best surrogates of a node, best first. side[row] is the slot the split sends the row to, or UNKNOWN. The monotone
// signs of the splitter determine which features may replace which, and in which direction.
std::vector<Surrogate> find_surrogates(const Splitter& splitter, const Columns& columns, const Objective& objective,
                                       const NodeRows& rows, int primary, int default_slot,
                                       const std::vector<std::uint8_t>& side, int most, int n_threads);

// Slot for a row, -1 if its value is missing.
int surrogate_slot(const Surrogate& surrogate, const Columns& columns, std::uint32_t row);

}  // namespace softwood::hard
