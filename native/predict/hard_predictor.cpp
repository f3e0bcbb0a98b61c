#include "predict/hard_predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "predict/child_slot.hpp"

namespace softwood {
namespace {

// Prefetches a row: within a block, rows are read in an unpredictable order.
void prefetch_row(const Table& rows, std::size_t row) {
  constexpr std::size_t CACHE_LINE = 8, MOST = 64;  // numbers; of a wider row a path reads few
  if (row >= rows.rows) return;
  const double* x = &rows.at(row, 0);
  for (std::size_t column = 0; column < std::min(rows.columns, MOST); column += CACHE_LINE)
    __builtin_prefetch(x + column);
}

}  // namespace

bool HardPredictor::suits(const Tree& tree) {
  return std::all_of(tree.gate.begin() + tree.is_joined(), tree.gate.end(), [](const Gate& gate) {
    const bool goes_one_way = gate.keeps_all() || (gate.leafness == 0.0 && gate.squash == Squash::step);
    return goes_one_way && gate.score != Score::linear && gate.score != Score::constant && gate.slope_row < 0;
  });
}

HardPredictor::HardPredictor(const Tree& tree) : tree_(tree), step_(tree.n_nodes()) {
  for (std::size_t m = tree.is_joined(); m < tree.n_nodes(); ++m) {
    const Gate& gate = tree.gate[m];
    if (gate.keeps_all()) {
      // The feature stays that of the parent, which is known to be readable.
      step_[m].threshold = std::numeric_limits<double>::infinity();
      step_[m].first_child = static_cast<std::int32_t>(m);
      continue;
    }
    step_[m] = {gate.threshold, gate.feature, gate.first_child};
    for (std::int32_t c = 0; c < gate.n_children; ++c) step_[gate.first_child + c].feature = gate.feature;
    thresholds_only_ = thresholds_only_ && gate.score == Score::threshold;
  }
}

void HardPredictor::find_nodes(const Table& rows, std::int32_t root, std::size_t begin, std::size_t n,
                               std::int32_t* arrived) const {
  if (ends(root)) {
    std::fill_n(arrived, n, root);
  } else if (!thresholds_only_) {
    for (std::size_t i = 0; i < n; ++i) arrived[i] = walk_one(rows, root, begin + i);
  } else if (rows.column_stride == 1) {
    walk_thresholds<true>(rows, root, begin, n, arrived);
  } else {
    walk_thresholds<false>(rows, root, begin, n, arrived);
  }
}

// One row, with all special cases.
std::int32_t HardPredictor::walk_one(const Table& rows, std::int32_t root, std::size_t row) const {
  const auto value = [&](std::int32_t feature) { return rows(row, feature); };
  std::int32_t node = root;
  while (!ends(node)) {
    const Gate& gate = tree_.gate[node];
    std::int32_t slot = read_slot(tree_, gate, value(gate.feature));
    if (slot == UNREADABLE) slot = missing_slot(tree_, gate, value);
    if (slot == SPLIT) return IN_PARTS;
    node = gate.first_child + slot;
  }
  return node;
}

template <bool Adjacent>
void HardPredictor::walk_thresholds(const Table& rows, std::int32_t root, std::size_t begin, std::size_t n,
                                    std::int32_t* arrived) const {
  RowOnPath on_path[ROWS + GROUP];
  double value_sum[ROWS + GROUP];
  for (std::size_t i = 0; i < n; ++i) {
    on_path[i] = {&rows.at(begin + i, 0), root, static_cast<std::uint32_t>(i)};
    if (Adjacent) prefetch_row(rows, begin + ROWS + i);
  }
  for (std::size_t left = n; left > 0;) {
    std::fill_n(on_path + left, GROUP, on_path[0]);  // the last group is always full
    for (std::size_t i = 0; i < left; i += GROUP) descend<Adjacent>(on_path + i, value_sum + i, rows.column_stride);
    std::size_t still = 0;
    for (std::size_t i = 0; i < left; ++i) {
      const RowOnPath row_on_path = on_path[i];
      if (std::isnan(value_sum[i])) [[unlikely]] {
        arrived[row_on_path.row] = walk_one(rows, root, begin + row_on_path.row);
        continue;
      }
      arrived[row_on_path.row] = row_on_path.node;
      on_path[still] = row_on_path;
      still += !ends(row_on_path.node);
    }
    left = still;
  }
}

// LEVELS steps of a group. value_sum is the sum of the values read: if one was missing it is NaN (and perhaps with
// infinite values; then the row is evaluated alone for nothing).
template <bool Adjacent>
void HardPredictor::descend(RowOnPath* group, double* value_sum, std::ptrdiff_t column_stride) const {
  const Step* const steps = step_.data();
  const double* x[GROUP];
  std::int32_t node[GROUP];
  double sum[GROUP];
  for (std::size_t g = 0; g < GROUP; ++g) {
    x[g] = group[g].x;
    node[g] = group[g].node;
    sum[g] = 0.0;
  }
  for (std::size_t level = 0; level < LEVELS; ++level) {
    for (std::size_t g = 0; g < GROUP; ++g) {
      const Step step = steps[node[g]];
      const double value = x[g][Adjacent ? step.feature : step.feature * column_stride];
      node[g] = step.first_child + (value > step.threshold);
      sum[g] += value;
    }
  }
  for (std::size_t g = 0; g < GROUP; ++g) {
    group[g].node = node[g];
    value_sum[g] = sum[g];
  }
}

}  // namespace softwood
