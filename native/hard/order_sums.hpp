// Quantiles of rows that are added or removed one by one: two structures over the ranks of their targets.
#pragma once

#include <cstdint>
#include <vector>

#include "hard/sorted_columns.hpp"

namespace softwood::hard {

// Sums over ranks 0 ... n - 1, updated and searched in log n.
class Fenwick {
 public:
  explicit Fenwick(std::size_t n) : weight_(n + 1), moment_(n + 1) {
    while (2 * top_ <= n) top_ *= 2;
  }
  void add(std::size_t rank, double w, double wy) {
    for (std::size_t i = rank + 1; i < weight_.size(); i += i & (~i + 1)) weight_[i] += w, moment_[i] += wy;
    total_weight_ += w;
    total_moment_ += wy;
  }
  struct Place {
    std::size_t rank;       // of the smallest value whose cumulative weight reaches the proportion
    double weight, moment;  // sums strictly below it
  };
  // Where a proportion of the weight is reached; a sum that meets it up to rounding is found with a proportion TIE
  // smaller, and the next value with TIE larger.
  Place reach(double part) const {
    const double want = total_weight_ * part;
    Place found{0, 0, 0};
    for (std::size_t step = top_; step; step /= 2) {
      const std::size_t next = found.rank + step;
      if (next < weight_.size() && found.weight + weight_[next] < want) {
        found.rank = next;
        found.weight += weight_[next];
        found.moment += moment_[next];
      }
    }
    return found;
  }
  double total_weight() const { return total_weight_; }
  double total_moment() const { return total_moment_; }

 private:
  std::size_t top_ = 1;
  std::vector<double> weight_, moment_;
  double total_weight_ = 0, total_moment_ = 0;
};

// The distinct values of some rows of weight 1, linked in order. Rows are removed one by one: the quantile then moves
// by at most one place, so reading it is free. (Rows cannot be inserted: their neighbours would have to be searched.)
class LinkedValues {
 public:
  LinkedValues(const std::vector<double>& value, double level)
      : value_(value), level_(level), count_(value.size()), before_(value.size()), after_(value.size()) {}

  void add(std::size_t rank) { ++count_[rank]; }

  // Links the values of the added rows.
  void link() {
    std::size_t last = none();
    for (std::size_t rank = 0; rank < count_.size(); ++rank) {
      if (count_[rank] == 0) continue;
      before_[rank] = static_cast<std::uint32_t>(last);
      if (last != none()) after_[last] = static_cast<std::uint32_t>(rank);
      last = rank;
      weight_ += count_[rank];
      moment_ += count_[rank] * value_[rank];
      if (at_ == NONE) at_ = static_cast<std::uint32_t>(rank);
    }
    if (last != none()) after_[last] = NONE;
    settle();
  }

  void remove(std::size_t rank) {
    --count_[rank], --weight_;
    moment_ -= value_[rank];
    if (rank < at_) --below_, moment_below_ -= value_[rank];
    if (count_[rank] == 0) unlink(rank);
    settle();
  }

  double weight() const { return weight_; }
  double quantile() const { return value_[at_]; }
  // The next value if the rows up to the quantile are exactly its proportion, else the quantile.
  double next() const {
    const bool meets = below_ + count_[at_] <= (level_ + TIE) * weight_ && after_[at_] != NONE;
    return meets ? value_[after_[at_]] : quantile();
  }
  // Distances to the quantile, those of rows below it times `below`, others times `above`.
  double loss(double below, double above) const {
    const double q = quantile();
    return below * (q * below_ - moment_below_) + above * ((moment_ - moment_below_) - q * (weight_ - below_));
  }

 private:
  static constexpr std::uint32_t NONE = 0xffffffff;
  static constexpr std::size_t none() { return NONE; }

  void unlink(std::size_t rank) {
    const std::uint32_t before = before_[rank], after = after_[rank];
    if (before != NONE) after_[before] = after;
    if (after != NONE) before_[after] = before;
    if (rank != at_) return;
    at_ = after != NONE ? after : before;
    if (after == NONE && before != NONE) step_below();
  }

  void step_below() {
    below_ -= count_[at_];
    moment_below_ -= count_[at_] * value_[at_];
  }

  // The quantile is the smallest value with this proportion of the rows up to it.
  void settle() {
    if (at_ == NONE) return;
    const double want = (level_ - TIE) * weight_;
    while (below_ >= want && before_[at_] != NONE) {
      at_ = before_[at_];
      step_below();
    }
    while (below_ + count_[at_] < want) {
      below_ += count_[at_];
      moment_below_ += count_[at_] * value_[at_];
      at_ = after_[at_];
    }
  }

  const std::vector<double>& value_;
  const double level_;
  std::vector<double> count_;
  std::vector<std::uint32_t> before_, after_;
  std::uint32_t at_ = NONE;
  double weight_ = 0, moment_ = 0, below_ = 0, moment_below_ = 0;  // of all rows, and of those below the quantile
};

}  // namespace softwood::hard
