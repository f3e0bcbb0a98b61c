#include "describe.hpp"

#include <algorithm>
#include <cmath>

namespace softwood {

namespace {

void describe_classes(const Objective& objective, const std::vector<std::uint32_t>& rows, GrownNode& node,
                      double* value, const double* state) {
  std::fill_n(value, objective.parts, 0.0);
  for (const std::uint32_t row : rows) value[objective.code[row]] += objective.weight[row];
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

// Two passes: the spread about a known center does not suffer from a center far from zero.
double describe_target(const Objective& objective, const double* y, const std::vector<std::uint32_t>& rows,
                       GrownNode& node) {
  const auto stride = static_cast<std::size_t>(objective.parts);
  const bool absolute = objective.criterion == Criterion::absolute_error;
  double sum = 0, spread = 0;
  bool constant = true;
  for (const std::uint32_t row : rows) {
    sum += objective.weight[row] * y[row * stride];
    constant &= y[row * stride] == y[rows[0] * stride];
  }
  if (constant) return rows.empty() ? 0 : y[rows[0] * stride];
  double center = sum / node.count;
  if (absolute) {
    std::vector<std::pair<double, double>> items;
    items.reserve(rows.size());
    for (const std::uint32_t row : rows) items.emplace_back(y[row * stride], objective.weight[row]);
    center = weighted_median(std::move(items));
  }
  for (const std::uint32_t row : rows) {
    const double d = y[row * stride] - center;
    spread += objective.weight[row] * (absolute ? std::abs(d) : d * d);
  }
  node.impurity += spread / node.count / objective.parts;
  return center;
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
  for (const std::uint32_t row : rows) objective.add(state, row);
  node.count = state[0];
  node.impurity = 0;
  if (objective.classes)
    describe_classes(objective, rows, node, value, state);
  else
    for (int t = 0; t < objective.parts; ++t) value[t] = describe_target(objective, target.y + t, rows, node);
}

}  // namespace softwood
