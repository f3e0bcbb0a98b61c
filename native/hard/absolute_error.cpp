#include "hard/absolute_error.hpp"

#include <algorithm>
#include <cmath>

namespace softwood::hard {

namespace {

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
  struct Half {
    std::size_t rank;       // of the smallest value whose cumulative weight reaches half
    double weight, moment;  // sums strictly below it
  };
  // `slack` says which way a sum goes that meets half exactly, up to rounding: -TIE finds it, TIE the value after it.
  Half half(double slack) const {
    const double want = total_weight_ * (0.5 + slack);
    Half found{0, 0, 0};
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

// The distinct values of some rows that weigh 1 each, linked in their order. Rows are taken out one by one: the median
// then moves by a place at most, so reading it costs nothing. (Rows cannot be put in: their neighbours would have to be
// looked for.)
class LinkedValues {
 public:
  explicit LinkedValues(const std::vector<double>& value)
      : value_(value), count_(value.size()), before_(value.size()), after_(value.size()) {}

  void add(std::size_t rank) { ++count_[rank]; }

  // Links the values that rows were added of.
  void link() {
    std::size_t last = none();
    for (std::size_t rank = 0; rank < count_.size(); ++rank) {
      if (count_[rank] == 0) continue;
      before_[rank] = static_cast<std::uint32_t>(last);
      if (last != none()) after_[last] = static_cast<std::uint32_t>(rank);
      last = rank;
      weight_ += count_[rank];
      moment_ += count_[rank] * value_[rank];
      if (median_ == NONE) median_ = static_cast<std::uint32_t>(rank);
    }
    if (last != none()) after_[last] = NONE;
    settle();
  }

  void remove(std::size_t rank) {
    --count_[rank], --weight_;
    moment_ -= value_[rank];
    if (rank < median_) --below_, moment_below_ -= value_[rank];
    if (count_[rank] == 0) unlink(rank);
    settle();
  }

  double weight() const { return weight_; }
  double median() const { return value_[median_]; }
  // The next value where the rows up to the median are half of them, else the median.
  double next() const {
    const bool half = 2 * (below_ + count_[median_]) == weight_ && after_[median_] != NONE;
    return half ? value_[after_[median_]] : median();
  }
  double loss() const {
    const double m = median();
    return (m * below_ - moment_below_) + ((moment_ - moment_below_) - m * (weight_ - below_));
  }

 private:
  static constexpr std::uint32_t NONE = 0xffffffff;
  static constexpr std::size_t none() { return NONE; }

  void unlink(std::size_t rank) {
    const std::uint32_t before = before_[rank], after = after_[rank];
    if (before != NONE) after_[before] = after;
    if (after != NONE) before_[after] = before;
    if (rank != median_) return;
    median_ = after != NONE ? after : before;
    if (after == NONE && before != NONE) step_below();
  }

  void step_below() {
    below_ -= count_[median_];
    moment_below_ -= count_[median_] * value_[median_];
  }

  // The median is the least value that half of the rows are not above.
  void settle() {
    if (median_ == NONE) return;
    while (2 * below_ >= weight_ && before_[median_] != NONE) {
      median_ = before_[median_];
      step_below();
    }
    while (2 * (below_ + count_[median_]) < weight_) {
      below_ += count_[median_];
      moment_below_ += count_[median_] * value_[median_];
      median_ = after_[median_];
    }
  }

  const std::vector<double>& value_;
  std::vector<double> count_;
  std::vector<std::uint32_t> before_, after_;
  std::uint32_t median_ = NONE;
  double weight_ = 0, moment_ = 0, below_ = 0, moment_below_ = 0;  // of all rows, and of those below the median
};

}  // namespace

Medians::Medians(const Objective& objective, const std::vector<std::uint32_t>& rows, std::vector<std::uint32_t>& rank)
    : objective_(objective), rank_(rank) {
  rank.resize(objective.y.size());
  std::vector<std::pair<double, std::uint32_t>> ordered(rows.size());
  for (int t = 0; t < objective.parts; ++t) {
    for (std::size_t i = 0; i < rows.size(); ++i) ordered[i] = {objective.y[at(rows[i], t)], rows[i]};
    std::sort(ordered.begin(), ordered.end());
    std::vector<double> value;
    for (const auto& [y, row] : ordered) {
      if (value.empty() || y != value.back()) value.push_back(y);
      rank[at(row, t)] = static_cast<std::uint32_t>(value.size() - 1);
    }
    value_.push_back(std::move(value));
  }
}

Medians::Prefix Medians::prefixes(const std::vector<std::uint32_t>& rows,
                                  const std::vector<std::uint32_t>& base) const {
  Prefix prefix;
  prefix.loss.assign(rows.size() + 1, 0);
  prefix.median.assign((rows.size() + 1) * objective_.parts, 0);
  double count = 0;
  for (const std::uint32_t row : base) count += objective_.weight[row];
  prefix.count.push_back(count);
  for (const std::uint32_t row : rows) prefix.count.push_back(count += objective_.weight[row]);
  for (int t = 0; t < objective_.parts; ++t)
    objective_.plain ? take_out(rows, base, t, prefix) : add_target(rows, base, t, prefix);
  return prefix;
}

void Medians::take_out(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base, int target,
                       Prefix& prefix) const {
  const int parts = objective_.parts;
  LinkedValues values(value_[target]);
  for (const std::uint32_t row : base) values.add(rank_[at(row, target)]);
  for (const std::uint32_t row : rows) values.add(rank_[at(row, target)]);
  values.link();
  for (std::size_t i = rows.size() + 1; i-- > 0;) {
    if (i < rows.size()) values.remove(rank_[at(rows[i], target)]);
    if (values.weight() <= 0) continue;
    prefix.loss[i] += std::max(0.0, values.loss()) / parts;
    prefix.median[i * parts + target] = values.median() / 2 + values.next() / 2;
  }
}

void Medians::add_target(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base, int target,
                         Prefix& prefix) const {
  const std::vector<double>& value = value_[target];
  const int parts = objective_.parts;
  Fenwick sums(value.size());
  auto add = [&](std::uint32_t row) {
    const std::uint32_t rank = rank_[at(row, target)];
    const double w = objective_.weight[row];
    sums.add(rank, w, w * value[rank]);
  };
  auto read = [&](std::size_t i) {
    if (sums.total_weight() <= 0) return;
    const auto half = sums.half(-TIE);
    const double m = value[std::min(half.rank, value.size() - 1)];
    const double below = m * half.weight - half.moment;
    const double above = (sums.total_moment() - half.moment) - m * (sums.total_weight() - half.weight);
    prefix.loss[i] += std::max(0.0, below + above) / parts;
    const std::size_t next = std::min(sums.half(TIE).rank, value.size() - 1);
    prefix.median[i * parts + target] = m / 2 + value[next] / 2;
  };
  for (const std::uint32_t row : base) add(row);
  read(0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add(rows[i]);
    read(i + 1);
  }
}

void pass_absolute(SplitSelector& selector, const Medians& medians, const std::vector<std::uint32_t>& ordered,
                   std::size_t known, bool missing_first, bool place_missing) {
  std::vector<std::uint32_t> rows, missing;
  for (std::size_t i = 0; i < known; ++i) rows.push_back(ordered[i] & ROW);
  if (place_missing)
    for (std::size_t i = known; i < ordered.size(); ++i) missing.push_back(ordered[i] & ROW);
  const std::vector<std::uint32_t> none;
  const auto first = medians.prefixes(rows, missing_first ? missing : none);
  std::reverse(rows.begin(), rows.end());
  const auto second = medians.prefixes(rows, missing_first ? none : missing);
  const std::size_t n = rows.size();
  const double all = (missing_first ? first : second).loss.back();  // the one that has the missing rows, if any are
  const int parts = selector.objective.parts;
  auto median = [&](const Medians::Prefix& prefix, std::size_t i) {
    return std::vector<double>(&prefix.median[i * parts], &prefix.median[i * parts] + parts);
  };
  for (std::size_t i = 1; i < n; ++i) {
    if (ordered[i] & SAME) continue;
    const double gain = all - first.loss[i] - second.loss[n - i];
    if (!(gain > selector.bar()) || !selector.enough(first.count[i], first.count[i] + second.count[n - i])) continue;
    if (in_order(selector.bounds, selector.sign, median(first, i), median(second, n - i)))
      selector.take(gain, i, place_missing && !missing.empty() ? (missing_first ? 0 : 1) : -1);
  }
}

void offer_present(SplitSelector& selector, const Medians& medians, const std::vector<std::uint32_t>& ordered,
                   std::size_t known) {
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t entry : ordered) rows.push_back(entry & ROW);
  const std::vector<std::uint32_t> present(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(known));
  const std::vector<std::uint32_t> missing(rows.begin() + static_cast<std::ptrdiff_t>(known), rows.end());
  if (present.empty() || missing.empty()) return;
  const auto all = medians.prefixes(rows, {}), first = medians.prefixes(present, {}),
             second = medians.prefixes(missing, {});
  const double gain = all.loss.back() - first.loss.back() - second.loss.back();
  if (!(gain > selector.bar()) || !selector.enough(first.count.back(), all.count.back())) return;
  const int parts = selector.objective.parts;
  const std::vector<double> q1(first.median.end() - parts, first.median.end());
  const std::vector<double> q2(second.median.end() - parts, second.median.end());
  if (in_order(selector.bounds, selector.sign, q1, q2)) selector.take(gain, known, 1);
}

double weighted_median(std::vector<std::pair<double, double>> items) {
  std::sort(items.begin(), items.end());
  double total = 0, sum = 0;
  for (const auto& item : items) total += item.second;
  const double half = total / 2, slack = TIE * total;
  for (std::size_t i = 0; i < items.size(); ++i) {
    sum += items[i].second;
    if (sum < half - slack) continue;
    std::size_t next = i + 1;
    while (next < items.size() && items[next].second <= 0) ++next;
    if (sum <= half + slack && next < items.size()) return items[i].first / 2 + items[next].first / 2;
    return items[i].first;
  }
  return items.empty() ? 0 : items.back().first;
}

}  // namespace softwood::hard
