#include "hard/stored_split.hpp"

#include <algorithm>
#include <limits>

namespace softwood::hard {

std::size_t StoredCells::width() const {
  const auto state = static_cast<std::size_t>(objective_.width());
  if (is_short()) return 2;
  return objective_.plain && objective_.classes ? state - 1 : state + 1;
}

void StoredCells::add_state(double* cell, std::uint32_t row, double times) const {
  const double w = times * objective_.weight[row];
  cell[0] += times;
  cell[1] += w;
  if (objective_.classes) {
    const double u = w * objective_.factor[objective_.code[row]];
    cell[2] += u;
    cell[3 + objective_.code[row]] += u;
    return;
  }
  cell[2] += w;
  for (int t = 0; t < objective_.parts; ++t)
    cell[3 + t] += w * objective_.y[static_cast<std::size_t>(row) * objective_.parts + t];
}

void StoredCells::read(const double* cell, double* state) const {
  const auto width = static_cast<std::size_t>(objective_.width());
  if (is_short()) {
    state[0] = state[1] = cell[0];
    if (objective_.classes) state[2] = cell[0] - cell[1];
    state[width - 1] = cell[1];
  } else if (objective_.plain && objective_.classes) {
    state[0] = state[1] = cell[0];
    std::copy_n(cell + 1, width - 2, state + 2);
  } else {
    std::copy_n(cell + 1, width, state);
  }
}

void StoredPass::load(const StoredColumns& columns, const StoredCells& cells, const Objective& objective,
                      std::size_t feature, const GroupSums& sums, std::size_t n, const double* total) {
  objective_ = &objective;
  sums_ = sums;
  width_ = static_cast<std::size_t>(objective.width());
  below_ = known_end_ = 0;
  zero_rows_ = static_cast<double>(n);
  missing_rows_ = 0;
  state_.resize(sums.n * width_);
  missing_.assign(width_, 0);
  above_.assign(width_, 0);
  known_.assign(total, total + width_);
  const std::size_t cell_width = cells.width();
  for (std::size_t i = 0; i < sums.n; ++i) {
    const double rows = sums.cell[i * cell_width];
    double* state = state_.data() + i * width_;
    cells.read(sums.cell + i * cell_width, state);
    zero_rows_ -= rows;
    if (columns.is_missing(feature, sums.group[i])) {
      missing_.assign(state, state + width_);
      missing_rows_ = rows;
      for (std::size_t j = 0; j < width_; ++j) known_[j] -= state[j];
      continue;
    }
    known_end_ = i + 1;
    if (sums.group[i] < columns.zero_at[feature])
      below_ = i + 1;
    else
      for (std::size_t j = 0; j < width_; ++j) above_[j] += state[j];
  }
  known_rows_ = static_cast<double>(n) - missing_rows_;
}

void StoredPass::offer(SplitSelector& selector, const double* total, std::uint32_t last, int missing_slot) const {
  if (!objective_->moments()) {
    selector.offer(first_.data(), total, last, missing_slot);
    return;
  }
  const double W = total[1], W1 = first_[1], sum = first_[width_ - 1], scale = objective_->moments_scale();
  const double d = sum - W1 * (total[width_ - 1] / W);
  if (d * d > selector.moments_bar(scale * W) * W1 * (W - W1))
    selector.offer_moments(first_[0], W1, sum, d, scale, total, last, missing_slot);
}

void StoredPass::offer_all(SplitSelector& selector, const double* base, const double* total, int missing_slot) {
  first_.assign(base, base + width_);
  bool started = false;
  std::uint32_t last = 0;
  const auto go_on = [&](std::uint32_t group) {
    if (started) offer(selector, total, last, missing_slot);
    if (started && selector.best.found && selector.best.position == last) selector.best.next = group;
    started = true;
    last = group;
  };
  for (std::size_t i = 0; i < known_end_; ++i) {
    if (i == below_ && zero_rows_ > 0) {
      go_on(ZERO);
      for (std::size_t j = 0; j < width_; ++j) first_[j] = base[j] + known_[j] - above_[j];
    }
    go_on(sums_.group[i]);
    for (std::size_t j = 0; j < width_; ++j) first_[j] += state_[i * width_ + j];
  }
  if (below_ == known_end_ && zero_rows_ > 0) go_on(ZERO);
}

double stored_threshold(const StoredColumns& columns, std::size_t feature, const Best& best) {
  if (best.position == ALL_KNOWN) return std::numeric_limits<double>::infinity();
  return columns.threshold_between(feature, static_cast<std::uint32_t>(best.position), best.next);
}

}  // namespace softwood::hard
