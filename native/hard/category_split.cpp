#include "hard/category_split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/interrupt.hpp"
#include "hard/center_losses.hpp"

namespace softwood::hard {

Levels read_levels(const Columns& columns, const Objective& objective, const std::uint32_t* entries, std::size_t known,
                   std::size_t n, std::size_t feature, bool with_missing) {
  Levels levels;
  const int width = objective.width();
  for (std::size_t i = 0; i < (with_missing ? n : known); ++i) {
    const bool starts = i == 0 || i == known || (i < known && !(entries[i] & SAME));
    if (starts) {
      levels.code.push_back(i >= known ? columns.n_levels[feature] : columns.code(entries[i] & ROW, feature));
      levels.begin.push_back(i);
      levels.state.resize(levels.state.size() + width);
    }
    objective.add(levels.state.data() + levels.state.size() - width, entries[i] & ROW);
  }
  levels.begin.push_back(with_missing ? n : known);
  return levels;
}

namespace {

constexpr std::size_t OFTEN = 64;  // levels between two polls for an interrupt

// Levels in increasing order of the key; keys that are equal up to rounding (`slack`) are ordered by code.
std::vector<int> order_by(const std::vector<double>& key, double slack) {
  std::vector<int> order(key.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key[a] < key[b]; });
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end = std::find_if(begin, order.end(), [&](int l) { return key[l] - key[*begin] > slack; });
    std::sort(begin, end);
    begin = end;
  }
  return order;
}

double part_mean(const Objective& objective, const Levels& levels, std::size_t level, int part) {
  const double* state = levels.state.data() + level * objective.width();
  return state[1] > 0 ? state[2 + part] / state[1] : 0;
}

double level_center(const Objective& objective, const Levels& levels, std::size_t level, int target,
                    const std::uint32_t* entries) {
  std::vector<std::pair<double, double>> items;
  for (std::size_t i = levels.begin[level]; i < levels.begin[level + 1]; ++i) {
    const std::uint32_t row = entries[i] & ROW;
    items.emplace_back(objective.y[static_cast<std::size_t>(row) * objective.parts + target], objective.weight[row]);
  }
  return find_center(objective, target, std::move(items));
}

// First principal component of the levels' means, weighted by W, by power iteration from the coordinate of largest
// variance; the projection of every level on it.
std::vector<double> project_on_component(const Objective& objective, const Levels& levels) {
  const int k = objective.parts;
  std::vector<double> center(k), spread(static_cast<std::size_t>(k) * k), axis(k), next(k);
  double W = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    W += levels.state[l * objective.width() + 1];
    for (int c = 0; c < k; ++c) center[c] += levels.state[l * objective.width() + 2 + c];
  }
  for (double& x : center) x /= W;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (l % OFTEN == 0) poll_interrupt();
    for (int a = 0; a < k; ++a)
      for (int b = 0; b < k; ++b)
        spread[static_cast<std::size_t>(a) * k + b] += levels.state[l * objective.width() + 1] *
                                                       (part_mean(objective, levels, l, a) - center[a]) *
                                                       (part_mean(objective, levels, l, b) - center[b]);
  }
  int largest = 0;
  for (int c = 1; c < k; ++c)
    if (spread[static_cast<std::size_t>(c) * k + c] >
        spread[static_cast<std::size_t>(largest) * k + largest] * (1 + TIE))
      largest = c;
  axis[largest] = 1;
  for (int step = 0; step < POWER_STEPS; ++step) {
    double norm = 0;
    for (int a = 0; a < k; ++a) {
      next[a] = 0;
      for (int b = 0; b < k; ++b) next[a] += spread[static_cast<std::size_t>(a) * k + b] * axis[b];
      norm += next[a] * next[a];
    }
    if (norm <= 0) break;
    for (int a = 0; a < k; ++a) axis[a] = next[a] / std::sqrt(norm);
  }
  std::vector<double> key(levels.size());
  for (std::size_t l = 0; l < levels.size(); ++l)
    for (int c = 0; c < k; ++c) key[l] += axis[c] * (part_mean(objective, levels, l, c) - center[c]);
  return key;
}

// Every subset with the first level, in increasing order of its bit mask over the levels present.
Grouping try_subsets(SplitSelector& selector, const Levels& levels, const double* base, const double* total,
                     int missing_slot) {
  const int width = selector.objective.width(), n = static_cast<int>(levels.size());
  Grouping grouping{std::vector<bool>(levels.size())};
  std::vector<double> first(width);
  for (std::size_t mask = 1; mask + 1 < (std::size_t{1} << n); mask += 2) {
    std::copy(base, base + width, first.begin());
    for (int l = 0; l < n; ++l)
      if (mask >> l & 1)
        for (int i = 0; i < width; ++i) first[i] += levels.state[static_cast<std::size_t>(l) * width + i];
    const double before = selector.bar();
    selector.offer(first.data(), total, mask, missing_slot);
    if (selector.bar() == before) continue;
    for (int l = 0; l < n; ++l) grouping.first[l] = mask >> l & 1;
  }
  return grouping;
}

Grouping try_prefixes(SplitSelector& selector, const Levels& levels, const std::vector<std::vector<int>>& orders,
                      const double* base, const double* total, int missing_slot) {
  const int width = selector.objective.width();
  const std::vector<int>* best = nullptr;  // the order of the best prefix, and how many levels that has
  std::size_t taken = 0;
  std::vector<double> first(width);
  for (const auto& order : orders) {
    std::copy(base, base + width, first.begin());
    for (std::size_t p = 0; p + 1 < order.size(); ++p) {
      if (p % OFTEN == 0) poll_interrupt();
      for (int i = 0; i < width; ++i) first[i] += levels.state[static_cast<std::size_t>(order[p]) * width + i];
      const double before = selector.bar();
      selector.offer(first.data(), total, p + 1, missing_slot);
      if (selector.bar() == before) continue;
      best = &order;
      taken = p + 1;
    }
  }
  Grouping grouping{std::vector<bool>(levels.size())};
  for (std::size_t q = 0; q < taken; ++q) grouping.first[(*best)[q]] = true;
  return grouping;
}

}  // namespace

std::vector<std::vector<int>> level_orders(const Objective& objective, const Levels& levels,
                                           const std::uint32_t* entries, double slack) {
  const bool centers = objective.has_centers();
  const bool two = objective.classes && objective.parts == 2;
  std::vector<std::vector<int>> orders;
  for (int part = two ? 1 : 0; part < objective.parts; ++part) {
    std::vector<double> key(levels.size());
    for (std::size_t l = 0; l < levels.size(); ++l)
      key[l] = centers ? level_center(objective, levels, l, part, entries) : part_mean(objective, levels, l, part);
    orders.push_back(order_by(key, slack));
  }
  if (objective.parts > (two ? 2 : 1) && !centers)
    orders.push_back(order_by(project_on_component(objective, levels), slack));
  return orders;
}

Grouping group_levels(SplitSelector& selector, const Levels& levels, const std::uint32_t* entries, const double* base,
                      const double* total, int missing_slot) {
  const bool one_order = selector.objective.parts == 1 || (selector.objective.classes && selector.objective.parts == 2);
  if (!one_order && levels.size() <= EXACT_LEVELS) return try_subsets(selector, levels, base, total, missing_slot);
  return try_prefixes(selector, levels, level_orders(selector.objective, levels, entries, selector.bounds.slack), base,
                      total, missing_slot);
}

}  // namespace softwood::hard
