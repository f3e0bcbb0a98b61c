#include "hard/center_losses.hpp"

#include <algorithm>
#include <cmath>

#include "hard/huber_sums.hpp"
#include "hard/order_sums.hpp"

namespace softwood::hard {

Centers::Centers(const Objective& objective, const std::vector<std::uint32_t>& rows, std::vector<std::uint32_t>& rank)
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
  if (objective.criterion != Criterion::huber) return;
  // Values about the node's median, to keep digits far from zero. Points keep their address.
  origin_.resize(value_.size());
  points_.reserve(value_.size());
  for (std::size_t t = 0; t < value_.size(); ++t) {
    origin_[t] = value_[t][value_[t].size() / 2];
    for (double& y : value_[t]) y -= origin_[t];
    points_.emplace_back(value_[t], objective.parameter[t]);
  }
}

Centers::Prefix Centers::prefixes(const std::vector<std::uint32_t>& rows,
                                  const std::vector<std::uint32_t>& base) const {
  Prefix prefix;
  prefix.loss.assign(rows.size() + 1, 0);
  prefix.center.assign((rows.size() + 1) * objective_.parts, 0);
  double count = 0;
  for (const std::uint32_t row : base) count += objective_.weight[row];
  prefix.count.push_back(count);
  for (const std::uint32_t row : rows) prefix.count.push_back(count += objective_.weight[row]);
  for (int t = 0; t < objective_.parts; ++t) {
    if (objective_.criterion == Criterion::huber)
      add_huber(rows, base, t, prefix);
    else
      objective_.plain ? take_out(rows, base, t, prefix) : add_target(rows, base, t, prefix);
  }
  return prefix;
}

void Centers::take_out(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base, int target,
                       Prefix& prefix) const {
  const int parts = objective_.parts;
  LinkedValues values(value_[target], objective_.level(target));
  for (const std::uint32_t row : base) values.add(rank_[at(row, target)]);
  for (const std::uint32_t row : rows) values.add(rank_[at(row, target)]);
  values.link();
  for (std::size_t i = rows.size() + 1; i-- > 0;) {
    if (i < rows.size()) values.remove(rank_[at(rows[i], target)]);
    if (values.weight() <= 0) continue;
    prefix.loss[i] += std::max(0.0, values.loss(objective_.below(target), objective_.above(target))) / parts;
    prefix.center[i * parts + target] = values.quantile() / 2 + values.next() / 2;
  }
}

void Centers::add_target(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base, int target,
                         Prefix& prefix) const {
  const std::vector<double>& value = value_[target];
  const int parts = objective_.parts;
  const double level = objective_.level(target), low = objective_.below(target), high = objective_.above(target);
  Fenwick sums(value.size());
  auto add = [&](std::uint32_t row) {
    const std::uint32_t rank = rank_[at(row, target)];
    const double w = objective_.weight[row];
    sums.add(rank, w, w * value[rank]);
  };
  auto read = [&](std::size_t i) {
    if (sums.total_weight() <= 0) return;
    const auto place = sums.reach(level - TIE);
    const double q = value[std::min(place.rank, value.size() - 1)];
    const double below = q * place.weight - place.moment;
    const double above = (sums.total_moment() - place.moment) - q * (sums.total_weight() - place.weight);
    prefix.loss[i] += std::max(0.0, low * below + high * above) / parts;
    const std::size_t next = std::min(sums.reach(level + TIE).rank, value.size() - 1);
    prefix.center[i * parts + target] = q / 2 + value[next] / 2;
  };
  for (const std::uint32_t row : base) add(row);
  read(0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add(rows[i]);
    read(i + 1);
  }
}

void Centers::add_huber(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base, int target,
                        Prefix& prefix) const {
  const auto t = static_cast<std::size_t>(target);
  const int parts = objective_.parts;
  HuberSums sums(points_[t]);
  auto read = [&](std::size_t i) {
    if (sums.total_weight() <= 0) return;
    const auto found = sums.read();
    prefix.loss[i] += found.loss / parts;
    prefix.center[i * parts + target] = origin_[t] + found.center;
  };
  for (const std::uint32_t row : base) sums.add(rank_[at(row, target)], objective_.weight[row]);
  read(0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sums.add(rank_[at(rows[i], target)], objective_.weight[rows[i]]);
    read(i + 1);
  }
}

void pass_centers(SplitSelector& selector, const Centers& centers, const std::vector<std::uint32_t>& ordered,
                  std::size_t known, bool missing_first, bool place_missing) {
  std::vector<std::uint32_t> rows, missing;
  for (std::size_t i = 0; i < known; ++i) rows.push_back(ordered[i] & ROW);
  if (place_missing)
    for (std::size_t i = known; i < ordered.size(); ++i) missing.push_back(ordered[i] & ROW);
  const std::vector<std::uint32_t> none;
  const auto first = centers.prefixes(rows, missing_first ? missing : none);
  std::reverse(rows.begin(), rows.end());
  const auto second = centers.prefixes(rows, missing_first ? none : missing);
  const std::size_t n = rows.size();
  const double all = (missing_first ? first : second).loss.back();  // the one with the missing rows, if any
  const int parts = selector.objective.parts;
  auto center = [&](const Centers::Prefix& prefix, std::size_t i) {
    return std::vector<double>(&prefix.center[i * parts], &prefix.center[i * parts] + parts);
  };
  for (std::size_t i = 1; i < n; ++i) {
    if (ordered[i] & SAME) continue;
    const double gain = all - first.loss[i] - second.loss[n - i];
    if (!(gain > selector.bar()) || !selector.enough(first.count[i], first.count[i] + second.count[n - i])) continue;
    if (in_order(selector.bounds, selector.sign, center(first, i), center(second, n - i)))
      selector.take(gain, i, place_missing && !missing.empty() ? (missing_first ? 0 : 1) : -1);
  }
}

void offer_present(SplitSelector& selector, const Centers& centers, const std::vector<std::uint32_t>& ordered,
                   std::size_t known) {
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t entry : ordered) rows.push_back(entry & ROW);
  const std::vector<std::uint32_t> present(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(known));
  const std::vector<std::uint32_t> missing(rows.begin() + static_cast<std::ptrdiff_t>(known), rows.end());
  if (present.empty() || missing.empty()) return;
  const auto all = centers.prefixes(rows, {}), first = centers.prefixes(present, {}),
             second = centers.prefixes(missing, {});
  const double gain = all.loss.back() - first.loss.back() - second.loss.back();
  if (!(gain > selector.bar()) || !selector.enough(first.count.back(), all.count.back())) return;
  const int parts = selector.objective.parts;
  const std::vector<double> q1(first.center.end() - parts, first.center.end());
  const std::vector<double> q2(second.center.end() - parts, second.center.end());
  if (in_order(selector.bounds, selector.sign, q1, q2)) selector.take(gain, known, 1);
}

double find_center(const Objective& objective, int target, std::vector<std::pair<double, double>> items) {
  if (items.empty()) return 0;
  std::sort(items.begin(), items.end());
  if (objective.criterion == Criterion::huber) {
    const double origin = items[items.size() / 2].first;
    std::vector<double> value;
    for (const auto& [y, weight] : items)
      if (value.empty() || y - origin != value.back()) value.push_back(y - origin);
    const HuberPoints points(value, objective.parameter[static_cast<std::size_t>(target)]);
    HuberSums sums(points);
    std::size_t rank = 0;
    for (const auto& [y, weight] : items) {
      while (value[rank] != y - origin) ++rank;
      sums.add(rank, weight);
    }
    return sums.total_weight() > 0 ? origin + sums.read().center : 0;
  }
  double total = 0, sum = 0;
  for (const auto& item : items) total += item.second;
  const double wanted = objective.level(target) * total, slack = TIE * total;
  for (std::size_t i = 0; i < items.size(); ++i) {
    sum += items[i].second;
    if (sum < wanted - slack) continue;
    std::size_t next = i + 1;
    while (next < items.size() && items[next].second <= 0) ++next;
    if (sum <= wanted + slack && next < items.size()) return items[i].first / 2 + items[next].first / 2;
    return items[i].first;
  }
  return items.back().first;
}

}  // namespace softwood::hard
