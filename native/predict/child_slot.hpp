// The child to which a hard gate sends a row, also if it cannot read the row's value.
//
// `row` is anything with row(feature) -> double, so that rows may lie in a table or transposed in a block.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "predict/tree.hpp"

namespace softwood {

constexpr std::int32_t UNREADABLE = -1;  // the gate cannot place this value
constexpr std::int32_t SPLIT = -2;       // the row goes to every child, each its fraction

// Slot of a category code from the entries begin to end: one per code, or per code in `level`, if there are any. A
// missing value and a code outside the table cannot be placed.
inline std::int32_t read_group(const std::vector<std::int32_t>& group, const std::vector<std::int32_t>& level,
                               std::int32_t begin, std::int32_t end, double x) {
  if (level.empty()) return x >= 0.0 && x < end - begin ? group[begin + static_cast<std::int32_t>(x)] : UNREADABLE;
  if (!(x >= 0.0 && x <= std::numeric_limits<std::int32_t>::max())) return UNREADABLE;
  const auto code = static_cast<std::int32_t>(x);
  const auto at = std::lower_bound(level.begin() + begin, level.begin() + end, code);
  return at != level.begin() + end && *at == code ? group[at - level.begin()] : UNREADABLE;
}

inline std::int32_t read_slot(const Tree& tree, const Gate& gate, double x) {
  if (gate.score == Score::category) {
    return read_group(tree.group, tree.group_level, gate.group_begin, gate.group_end, x);
  }
  if (std::isnan(x)) return UNREADABLE;
  if (gate.score == Score::threshold) return x <= gate.threshold ? 0 : 1;
  const double* cut = tree.cut.data();
  return static_cast<std::int32_t>(std::lower_bound(cut + gate.cut_begin, cut + gate.cut_end, x) -
                                   (cut + gate.cut_begin));
}

inline std::int32_t read_surrogate(const Tree& tree, const Surrogate& surrogate, double x) {
  if (surrogate.group_end > surrogate.group_begin)
    return read_group(tree.surrogate_group, tree.surrogate_level, surrogate.group_begin, surrogate.group_end, x);
  if (std::isnan(x)) return UNREADABLE;
  return (x <= surrogate.threshold) == surrogate.flip ? 1 : 0;
}

// Slot of a row whose value the gate cannot read, or SPLIT.
template <class Row>
std::int32_t missing_slot(const Tree& tree, const Gate& gate, const Row& row) {
  if (gate.missing == Missing::fraction) return SPLIT;
  if (gate.missing == Missing::surrogate) {
    for (std::int32_t s = gate.surrogate_begin; s < gate.surrogate_end; ++s) {
      const Surrogate& surrogate = tree.surrogate[s];
      const std::int32_t slot = read_surrogate(tree, surrogate, row(surrogate.feature));
      if (slot >= 0) return slot;
    }
  }
  return gate.default_slot;
}

}  // namespace softwood
