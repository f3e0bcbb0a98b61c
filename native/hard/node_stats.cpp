#include "hard/node_stats.hpp"

#include <algorithm>
#include <cmath>

#include "simd/elementary.hpp"

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
  if (state[1] <= 0) return;  // only classes with factor 0
  double sum = 0, largest = 0;
  for (int c = 0; c < objective.parts; ++c) {
    const double p = state[2 + c] / state[1];
    largest = std::max(largest, p);
    sum += objective.criterion == Criterion::entropy ? (p > 0 ? -p * elementary::log(p) : 0) : p * p;
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

// For rows of weight 1, without a full sort.
double plain_quantile(const double* y, std::size_t stride, const std::vector<std::uint32_t>& rows, double level) {
  std::vector<double> value;
  value.reserve(rows.size());
  for (const std::uint32_t row : rows) value.push_back(y[row * stride]);
  const auto n = static_cast<double>(value.size());
  const double rank = std::max(1.0, std::ceil((level - TIE) * n));  // rows up to the quantile
  const auto at = value.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(value.begin(), at, value.end());
  const bool meets = rank <= (level + TIE) * n && at + 1 != value.end();
  return meets ? *at / 2 + *std::min_element(at + 1, value.end()) / 2 : *at;
}

double row_center(const Objective& objective, const double* y, int target, const std::vector<std::uint32_t>& rows) {
  if (objective.plain && objective.criterion != Criterion::huber)
    return plain_quantile(y, static_cast<std::size_t>(objective.parts), rows, objective.level(target));
  std::vector<std::pair<double, double>> items;
  items.reserve(rows.size());
  for (const std::uint32_t row : rows)
    items.emplace_back(y[static_cast<std::size_t>(row) * static_cast<std::size_t>(objective.parts)],
                       objective.weight[row]);
  return find_center(objective, target, std::move(items));
}

// The loss of a target at a distance from the centre of its node.
double spread_of(const Objective& objective, double away, double center, int target) {
  switch (objective.criterion) {
    case Criterion::absolute_error:
      return std::abs(away);
    case Criterion::quantile:
      return away < 0 ? -objective.below(target) * away : objective.above(target) * away;
    case Criterion::huber: {
      const double size = std::abs(away), held = std::min(size, objective.parameter[target]);
      return held * (size - 0.5 * held);
    }
    case Criterion::poisson:
      return center * Objective::half_deviance(away / center);
    default:
      return away * away;
  }
}

// Adds the rows of one target to the node and returns its center. Two passes: the spread about a known center keeps its
// precision if the center is far from zero.
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
  const double center = objective.has_centers() ? row_center(objective, y, target, rows) : sum / node.count;
  if (objective.criterion == Criterion::squared_error) {
    for (const std::uint32_t row : rows) {
      const double d = y[row * stride] - center;
      spread += (PLAIN ? 1 : weight[row]) * (d * d);
    }
  } else {
    for (const std::uint32_t row : rows)
      spread += (PLAIN ? 1 : weight[row]) * spread_of(objective, y[row * stride] - center, center, target);
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

Objective make_objective(const Columns& columns, const Target& target, Criterion criterion,
                         const std::vector<double>& parameter) {
  Objective objective;
  objective.parameter = parameter;
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
  // Targets about their mean: sums of squares of targets far from zero lose their differences to rounding.
  objective.y.assign(target.y, target.y + n * parts);
  for (std::size_t t = 0; t < parts; ++t) {
    double sum = 0, W = 0;
    for (std::size_t row = 0; row < n; ++row) {
      sum += target.weight[row] * target.y[row * parts + t];
      W += target.weight[row];
    }
    objective.center.push_back(W > 0 && criterion != Criterion::poisson ? sum / W : 0);  // counts have an origin
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
