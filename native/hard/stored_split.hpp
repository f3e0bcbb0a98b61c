// The search for a split in the columns of a sparse table: like hard/threshold_split.hpp, group by group, with the rows
// of 0 by subtraction.
#pragma once

#include <cstdint>
#include <vector>

#include "hard/best_split.hpp"
#include "hard/stored_sums.hpp"

namespace softwood::hard {

constexpr std::size_t ALL_KNOWN = ZERO - 1;  // position of the split between known and missing values

// A cell is [rows, sum y] if that is enough, [rows, parts] if all weights are 1, else [rows, count, W, parts].
class StoredCells {
 public:
  explicit StoredCells(const Objective& objective) : objective_(objective) {}

  std::size_t width() const;
  // Whether cells are [rows, sum y].
  bool is_short() const { return objective_.plain && objective_.moments(); }
  // Sums of whole numbers, whose subtraction is exact.
  bool is_exact() const { return objective_.plain && objective_.classes; }
  void read(const double* cell, double* state) const;

  // Calls use(add), where add(cell, row, times) adds a row to a cell.
  template <class Use>
  void with_adder(const Use& use) const {
    const Objective& o = objective_;
    if (is_short() && o.classes)
      use([y = o.is_one.data()](double* cell, std::uint32_t row, double times) {
        cell[0] += times;
        cell[1] += times * y[row];
      });
    else if (is_short())
      use([y = o.y.data()](double* cell, std::uint32_t row, double times) {
        cell[0] += times;
        cell[1] += times * y[row];
      });
    else if (o.plain && o.classes)
      use([code = o.code.data()](double* cell, std::uint32_t row, double times) {
        cell[0] += times;
        cell[1 + code[row]] += times;
      });
    else
      use([&](double* cell, std::uint32_t row, double times) { add_state(cell, row, times); });
  }

 private:
  const Objective& objective_;  // whose weights may be fractions

  void add_state(double* cell, std::uint32_t row, double times) const;
};

// The data for the passes of one column: states of its groups, and the positions of 0 and of missing values. One object
// is reused for all columns, so that its memory is allocated once.
class StoredPass {
 public:
  // n: rows of the node.  total: its state.
  void load(const StoredColumns& columns, const StoredCells& cells, const Objective& objective, std::size_t feature,
            const GroupSums& sums, std::size_t n, const double* total);

  bool has_missing() const { return missing_rows_ > 0; }
  bool any_known() const { return known_rows_ > 0; }
  const std::vector<double>& missing() const { return missing_; }
  const std::vector<double>& known() const { return known_; }

  // Offers the position after every group but the last; position is the group, or ZERO. `base` is the initial state of
  // the first child.
  void offer_all(SplitSelector& selector, const double* base, const double* total, int missing_slot);

 private:
  const Objective* objective_ = nullptr;
  GroupSums sums_{};
  std::size_t width_ = 0, below_ = 0, known_end_ = 0;  // groups before 0, and those of numbers
  double zero_rows_ = 0, known_rows_ = 0, missing_rows_ = 0;
  std::vector<double> state_, missing_, known_, above_, first_;

  void offer(SplitSelector& selector, const double* total, std::uint32_t last, int missing_slot) const;
};

// The pass over short cells of a column without missing values, as in StoredPass; group_of(i) is the group of the i-th
// cell, and empty cells are skipped.
template <class GroupOf>
void offer_short(SplitSelector& selector, const double* cell, std::size_t n, std::uint32_t zero_at, double zeros,
                 const double* total, const GroupOf& group_of) {
  const double W = total[1], sum_all = total[selector.objective.width() - 1], mean = sum_all / W,
               scale = selector.objective.moments_scale();
  double rows_above = 0, sum_above = 0, W1 = 0, sum = 0, need = selector.moments_bar(scale * W);
  std::size_t below = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (group_of(i) < zero_at) {
      below = i + 1;
      zeros -= cell[2 * i];
    } else {
      rows_above += cell[2 * i];
      sum_above += cell[2 * i + 1];
    }
  }
  zeros -= rows_above;
  std::uint32_t last = 0;
  const auto go_on = [&](std::uint32_t group) {
    const double d = sum - W1 * mean;
    if (W1 > 0 && d * d > need * W1 * (W - W1) && selector.offer_moments(W1, W1, sum, d, scale, total, last, -1)) {
      selector.best.next = group;
      need = selector.moments_bar(scale * W);
    }
    last = group;
  };
  const auto take = [&](std::size_t i) {
    if (!(cell[2 * i] > 0)) return;
    go_on(group_of(i));
    W1 += cell[2 * i];
    sum += cell[2 * i + 1];
  };
  for (std::size_t i = 0; i < below; ++i) take(i);
  if (zeros > 0) {
    go_on(ZERO);
    W1 = W - rows_above;
    sum = sum_all - sum_above;
  }
  for (std::size_t i = below; i < n; ++i) take(i);
}

// The threshold of the best split of a column.
double stored_threshold(const StoredColumns& columns, std::size_t feature, const Best& best);

}  // namespace softwood::hard
