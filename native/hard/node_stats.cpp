#include "hard/node_stats.hpp"

#include <algorithm>
#include <cmath>

namespace softwood::hard {

namespace {

void describe_classes(const Objective& objective, const std::vector<std::uint32_t>& rows, GrownNode& node,
                      double* value, const double* state) {
  if (objective.plain) {
    std::copy_n(state + 2, objective.parts, value);
  } else {
    std::fill_n(value, objective.parts, 0.0);
    for (const std::uint32_t row : rows) value[objective.code[row]] += objective.weight[row];
  }
  if (state[1] <= 0) return;  // classes of factor 0 only
  double sum = 0, largest = 0;
  for (int c = 0; c < objective.parts; ++c) {
    const double p = state[2 + c] / state[1];
    largest = std::max(largest, p);
    sum += objective.criterion == Criterion::entropy ? (p > 0 ? -p * std::log(p) : 0) : p * p;
  }
  switch (objective.criterion) {
    case Criterion::entropy:
      node.impurity = sum;
      break;
    case Criterion::error:
      node.impurity = 1 - largest;
      break;
    default:
      node.impurity = 1 - sum;
  }
  if (largest == 1) node.impurity = 0;
}

// Of rows that weigh 1 each, without sorting them all.
double plain_median(const double* y, std::size_t stride, const std::vector<std::uint32_t>& rows) {
  std::vector<double> value;
  value.reserve(rows.size());
  for (const std::uint32_t row : rows) value.push_back(y[row * stride]);
  const auto middle = value.begin() + static_cast<std::ptrdiff_t>(value.size() / 2);
  std::nth_element(value.begin(), middle, value.end());
  return value.size() % 2 ? *middle : *std::max_element(value.begin(), middle) / 2 + *middle / 2;
}

double row_median(const Objective& objective, const double* y, const std::vector<std::uint32_t>& rows) {
  if (objective.plain) return plain_median(y, static_cast<std::size_t>(objective.parts), rows);
  std::vector<std::pair<double, double>> items;
  items.reserve(rows.size());
  for (const std::uint32_t row : rows)
    items.emplace_back(y[static_cast<std::size_t>(row) * static_cast<std::size_t>(objective.parts)],
                       objective.weight[row]);
  return weighted_median(std::move(items));
}

// Adds the rows of one target to the node and returns its center. Two passes: the spread about a known center does not
// suffer from a center far from zero.
template <bool PLAIN>
double describe_target(const Objective& objective, const double* y, int target, const std::vector<std::uint32_t>& rows,
                       GrownNode& node, double& part) {
  const auto stride = static_cast<std::size_t>(objective.parts);
  const double *weight = objective.weight.data(), *about_mean = objective.y.data() + target;
  double sum = 0, spread = 0;
  bool constant = true;
  y += target;
  for (const std::uint32_t row : rows) {
    const double w = PLAIN ? 1 : weight[row];
    sum += w * y[row * stride];
    part += w * about_mean[row * stride];
    constant &= y[row * stride] == y[rows[0] * stride];
  }
  if (constant) return rows.empty() ? 0 : y[rows[0] * stride];
  const bool absolute = objective.criterion == Criterion::absolute_error;
  const double center = absolute ? row_median(objective, y, rows) : sum / node.count;
  for (const std::uint32_t row : rows) {
    const double d = y[row * stride] - center;
    spread += (PLAIN ? 1 : weight[row]) * (absolute ? std::abs(d) : d * d);
  }
  node.impurity += spread / node.count / objective.parts;
  return center;
}

void describe_numbers(const Objective& objective, const double* y, const std::vector<std::uint32_t>& rows,
                      GrownNode& node, double* value, double* state) {
  double count = static_cast<double>(rows.size());
  if (!objective.plain) {
    count = 0;
    for (const std::uint32_t row : rows) count += objective.weight[row];
  }
  node.count = state[0] = state[1] = count;
  for (int t = 0; t < objective.parts; ++t)
    value[t] = objective.plain ? describe_target<true>(objective, y, t, rows, node, state[2 + t])
                               : describe_target<false>(objective, y, t, rows, node, state[2 + t]);
}

}  // namespace

Objective make_objective(const Columns& columns, const Target& target, Criterion criterion) {
  Objective objective;
  const std::size_t n = columns.X.rows;
  const auto parts = static_cast<std::size_t>(target.parts);
  objective.criterion = criterion;
  objective.parts = target.parts;
  objective.classes = target.code != nullptr;
  objective.weight.assign(target.weight, target.weight + n);
  for (const double w : objective.weight) objective.plain &= w == 1 || w == 0;
  if (objective.classes) {
    objective.code.assign(target.code, target.code + n);
    objective.factor.assign(parts, 1);
    if (target.factor) objective.factor.assign(target.factor, target.factor + parts);
    for (const double factor : objective.factor) objective.plain &= factor == 1;
    if (criterion == Criterion::entropy && objective.plain)
      for (std::size_t x = 0; x <= n; ++x) objective.x_log_x_of.push_back(Objective::x_log_x(static_cast<double>(x)));
    if (parts == 2) objective.is_one.assign(objective.code.begin(), objective.code.end());
    return objective;
  }
  // Targets about their mean: sums of squares of a far-off target would drown its differences.
  objective.y.assign(target.y, target.y + n * parts);
  for (std::size_t t = 0; t < parts; ++t) {
    double sum = 0, W = 0;
    for (std::size_t row = 0; row < n; ++row) {
      sum += target.weight[row] * target.y[row * parts + t];
      W += target.weight[row];
    }
    objective.center.push_back(W > 0 ? sum / W : 0);
    for (std::size_t row = 0; row < n; ++row) objective.y[row * parts + t] -= objective.center.back();
  }
  return objective;
}

void describe(const Objective& objective, const Target& target, const std::vector<std::uint32_t>& rows, GrownNode& node,
              double* value, double* state) {
  std::fill_n(state, objective.width(), 0.0);
  node.impurity = 0;
  if (!objective.classes) {
    describe_numbers(objective, target.y, rows, node, value, state);
    return;
  }
  for (const std::uint32_t row : rows) objective.add(state, row);
  node.count = state[0];
  describe_classes(objective, rows, node, value, state);
}

}  // namespace softwood::hard
