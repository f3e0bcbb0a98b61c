#include "predict/block_predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "predict/basis.hpp"
#include "predict/child_slot.hpp"

namespace softwood {
namespace {

// The rest of the ramp: share of the first child at distance x != 0 within `width` of the threshold.
double slide(double x, double width) { return 0.5 - 0.5 * x / width; }

// Share of the first child where x is the distance to the threshold.
double ramp(double x, double below, double above) {
  if (x < 0.0) return x <= -below ? 1.0 : slide(x, below);
  if (x > 0.0) return x >= above ? 0.0 : slide(x, above);
  return 0.5;
}

}  // namespace

Needs::Needs(const Tree& tree, std::size_t root)
    : low(tree.n_features, std::numeric_limits<double>::lowest()),
      high(tree.n_features, std::numeric_limits<double>::max()) {
  std::vector<bool> input(tree.n_features), used(tree.basis.size());
  const std::size_t columns = tree.basis.size();
  for (const std::size_t m : tree.reached_from(root)) {
    const Gate& gate = tree.gate[m];
    for (std::int32_t j = gate.weight_begin; j < gate.weight_end; ++j) used[tree.weight_column[j]] = true;
    if (!gate.keeps_all() && gate.score != Score::linear && gate.score != Score::constant) input[gate.feature] = true;
    for (std::int32_t s = gate.surrogate_begin; s < gate.surrogate_end; ++s) input[tree.surrogate[s].feature] = true;
    if (gate.slope_row < 0) continue;
    const double* slope = tree.slope.data() + static_cast<std::size_t>(gate.slope_row) * columns * tree.n_outputs;
    for (std::size_t i = 0; i < columns * tree.n_outputs; ++i) {
      if (slope[i] != 0.0) used[i / tree.n_outputs] = true;
    }
  }
  for (std::size_t c = 0; c < used.size(); ++c) {
    if (!used[c]) continue;
    column.push_back(static_cast<std::int32_t>(c));
    const Column& of = tree.basis[c];
    input[of.feature] = true;
    low[of.feature] = std::max(low[of.feature], of.low), high[of.feature] = std::min(high[of.feature], of.high);
  }
  for (std::size_t f = 0; f < input.size(); ++f) {
    if (input[f]) feature.push_back(static_cast<std::int32_t>(f));
  }
}

Block::Block(const Tree& tree, const Needs& needs)
    : tree_(tree),
      needs_(needs),
      x_(std::make_unique_for_overwrite<double[]>(tree.n_features * LANES)),
      phi_(tree.basis.size() * LANES),
      share_(2 * LANES) {}

void Block::load(const Table& rows, const std::size_t* row, std::size_t n) {
  n_ = n;
  const double* from[LANES];
  for (std::size_t i = 0; i < n; ++i) from[i] = &rows.at(row[i], 0);
  for (const std::int32_t feature : needs_.feature) {
    double* x = x_.get() + static_cast<std::size_t>(feature) * LANES;
    const std::ptrdiff_t offset = feature * rows.column_stride;
    for (std::size_t i = 0; i < n; ++i) x[i] = from[i][offset];
  }
  for (const std::int32_t column : needs_.column) {
    const Column& of = tree_.basis[column];
    const bool far = is_beyond(values(of.feature), n, of.low, of.high);
    (far ? expand_far : expand)(of, values(of.feature), phi_.data() + static_cast<std::size_t>(column) * LANES, n,
                                true);
  }
}

void Block::pop(Visit visit, Arrivals& at) {
  to_visit_.pop_back();
  at.n = visit.n;
  std::copy(lane_.end() - visit.n, lane_.end(), at.lane.begin());
  std::copy(reach_.end() - visit.n, reach_.end(), at.reach.begin());
  lane_.resize(lane_.size() - visit.n);
  reach_.resize(reach_.size() - visit.n);
}

void Block::push_children(const Gate& gate, const Arrivals& at) {
  share_.resize(std::max(share_.size(), static_cast<std::size_t>(gate.n_children) * LANES));
  find_shares(gate, at);
  double passed[LANES];
  for (std::size_t i = 0; i < at.n; ++i) passed[i] = at.reach[i] * (1.0 - gate.leafness);
  for (std::int32_t slot = gate.n_children; slot-- > 0;) {
    push(gate.first_child + slot, at, passed, share_.data() + static_cast<std::size_t>(slot) * LANES);
  }
}

// Pushes a child on the stack, with the rows that reach it.
void Block::push(std::int32_t node, const Arrivals& at, const double* passed, const double* share) {
  const std::size_t begin = reach_.size();
  reach_.resize(begin + at.n);
  lane_.insert(lane_.end(), at.lane.begin(), at.lane.begin() + at.n);
  std::size_t n = at.n;
  if (!multiply_lanes(passed, share, reach_.data() + begin, n)) {
    n = 0;
    for (std::size_t i = 0; i < at.n; ++i) {
      const double reach = reach_[begin + i];
      reach_[begin + n] = reach;
      lane_[begin + n] = at.lane[i];
      n += reach != 0.0;
    }
    reach_.resize(begin + n);
    lane_.resize(begin + n);
  }
  if (n > 0) to_visit_.push_back({node, static_cast<std::uint32_t>(n)});
}

void Block::find_shares(const Gate& gate, const Arrivals& at) {
  if (gate.score == Score::constant) {
    for (std::size_t i = 0; i < at.n; ++i) place(gate, i, SPLIT);
    return;
  }
  if (gate.score == Score::linear) return find_linear_shares(gate, at);
  if (gate.squash != Squash::step) return find_soft_shares(gate, at);
  const double* x = values(gate.feature);
  std::fill_n(share_.begin(), static_cast<std::size_t>(gate.n_children) * LANES, 0.0);
  for (std::size_t i = 0; i < at.n; ++i) {
    const std::int32_t slot = read_slot(tree_, gate, x[at.lane[i]]);
    place(gate, i, slot >= 0 ? slot : replace_missing(gate, at.lane[i]));
  }
}

void Block::find_linear_shares(const Gate& gate, const Arrivals& at) {
  const std::int32_t* column = tree_.weight_column.data() + gate.weight_begin;
  const double* weight = tree_.weight.data() + gate.weight_begin;
  const auto n_weights = static_cast<std::size_t>(gate.weight_end - gate.weight_begin);
  double* first = share_.data();
  if (is_full(at)) {
    score_lanes(phi_.data(), column, weight, n_weights, gate.bias, first, at.n);
  } else {
    std::fill_n(first, at.n, gate.bias);
    for (std::size_t j = 0; j < n_weights; ++j) {
      const double* phi = phi_.data() + static_cast<std::size_t>(column[j]) * LANES;
      for (std::size_t i = 0; i < at.n; ++i) first[i] += weight[j] * phi[at.lane[i]];
    }
  }
  if (gate.squash == Squash::step) {
    for (std::size_t i = 0; i < at.n; ++i) first[i] = first[i] >= 0.0 ? 1.0 : 0.0;
  } else {
    sigmoid_lanes(first, at.n);
  }
  for (std::size_t i = 0; i < at.n; ++i) first[LANES + i] = 1.0 - first[i];
}

void Block::find_soft_shares(const Gate& gate, const Arrivals& at) {
  const double* x = values(gate.feature);
  double* first = share_.data();
  for (std::size_t i = 0; i < at.n; ++i) first[i] = x[at.lane[i]] - gate.threshold;
  if (gate.squash == Squash::sigmoid) {
    for (std::size_t i = 0; i < at.n; ++i) first[i] = -first[i] / gate.below;
    sigmoid_lanes(first, at.n);
  } else {
    for (std::size_t i = 0; i < at.n; ++i) first[i] = ramp(first[i], gate.below, gate.above);
  }
  for (std::size_t i = 0; i < at.n; ++i) first[LANES + i] = 1.0 - first[i];
  for (std::size_t i = 0; i < at.n; ++i) {
    if (std::isnan(x[at.lane[i]])) place(gate, i, replace_missing(gate, at.lane[i]));
  }
}

// Sends the i-th arrival to one slot, or to all of them by their fractions.
void Block::place(const Gate& gate, std::size_t i, std::int32_t slot) {
  for (std::int32_t c = 0; c < gate.n_children; ++c) {
    const double share = slot == SPLIT ? tree_.fraction[gate.first_child + c] : (c == slot ? 1.0 : 0.0);
    share_[static_cast<std::size_t>(c) * LANES + i] = share;
  }
}

std::int32_t Block::replace_missing(const Gate& gate, std::uint8_t lane) const {
  return missing_slot(tree_, gate, [&](std::int32_t feature) { return values(feature)[lane]; });
}

void Block::add_response(std::int32_t node, const Arrivals& at, const double* kept, double* sum) const {
  const std::int32_t slope_row = tree_.gate[node].slope_row;
  const std::size_t n_columns = tree_.basis.size(), n_outputs = tree_.n_outputs;
  const double* response = tree_.response.data() + static_cast<std::size_t>(node) * n_outputs;
  for (std::size_t k = 0; k < n_outputs; ++k, sum += LANES) {
    if (slope_row < 0 && is_full(at)) {
      add_lanes(sum, kept, response[k], at.n);
      continue;
    }
    double value[LANES];
    std::fill_n(value, at.n, response[k]);
    for (std::size_t c = 0; slope_row >= 0 && c < n_columns; ++c) {
      const double slope = tree_.slope[(static_cast<std::size_t>(slope_row) * n_columns + c) * n_outputs + k];
      if (slope == 0.0) continue;  // a column of another tree
      const double* phi = phi_.data() + c * LANES;
      for (std::size_t i = 0; i < at.n; ++i) value[i] += slope * phi[at.lane[i]];
    }
    for (std::size_t i = 0; i < at.n; ++i) sum[at.lane[i]] += kept[i] * value[i];
  }
}

}  // namespace softwood
