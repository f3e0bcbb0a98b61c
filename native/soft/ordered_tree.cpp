// Bounded refinement of a tree with ordered predictions: two-metric projection (Bertsekas 1982) with the memory of
// L-BFGS. The step is halved until the objective decreases enough along the projected path.
#include "soft/ordered_tree.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/interrupt.hpp"
#include "soft/lbfgs.hpp"

namespace softwood::soft {
namespace {

using Numbers = std::vector<double>;

constexpr double kEnough = 1e-4, kLeastCurvature = 1e-12;
constexpr int kMostTrials = 20;

// Values of items from free numbers, and slopes back; the words are those of kernels/formulas/node_order.py.
class OrderedItems {
 public:
  explicit OrderedItems(const NodeOrder& order) : order_(order), value_(order.items * order.outputs) {}

  const double* values(const double* z) {
    for (std::size_t i = 0; i < order_.items; ++i)
      for (std::size_t k = 0; k < order_.outputs; ++k) value(i, k) = value_of(i, k, z[i * order_.outputs + k]);
    return value_.data();
  }

  // `total` has the slopes by the values and takes on those that go up to the middles; `slope` are those by z.
  void slopes(const double* z, double* total, double* slope) {
    const std::size_t n = order_.outputs;
    for (std::size_t i = order_.items; i-- > 0;)
      for (std::size_t k = 0; k < n; ++k) {
        const double mine = total[i * n + k], part = z[i * n + k];
        const std::int64_t below = order_.below[i], above = order_.above[i];
        double to_below = 0, to_above = 0;
        if (below >= 0 && above >= 0) {
          slope[i * n + k] = mine * (known(above, k) - known(below, k));
          to_below = (1 - part) * mine, to_above = part * mine;
        } else {
          slope[i * n + k] = above >= 0 ? -mine : mine;
          (above >= 0 ? to_above : to_below) = mine;
        }
        if (below >= 2) total[(below - 2) * n + k] += to_below;
        if (above >= 2) total[(above - 2) * n + k] += to_above;
      }
  }

 private:
  double& value(std::size_t i, std::size_t k) { return value_[i * order_.outputs + k]; }
  double known(std::int64_t place, std::size_t k) {
    return place < 2 ? order_.ends[place * order_.outputs + k] : value(place - 2, k);
  }

  double value_of(std::size_t i, std::size_t k, double z) {
    const std::int64_t below = order_.below[i], above = order_.above[i];
    if (below < 0 && above < 0) return z;
    if (above < 0) return known(below, k) + z;
    if (below < 0) return known(above, k) - z;
    const double low = known(below, k), high = std::max(known(above, k), low);
    return std::clamp(low + z * (high - low), low, high);
  }

  const NodeOrder& order_;
  Numbers value_;
};

struct FreePoint {
  Numbers at, gradient;
  double value = INFINITY;

  explicit FreePoint(std::size_t size) : at(size), gradient(size) {}
};

template <class T>
class OrderedObjective {
 public:
  OrderedObjective(const SoftRows<T>& rows, const Shape& shape, const NodeOrder& order, const Penalty& penalty_terms,
                   int n_threads)
      : rows_(rows),
        shape_(shape),
        order_(order),
        items_(order),
        penalty_(penalty_terms),
        n_threads_(n_threads),
        parameters_(shape.parameters()),
        gradient_(shape.parameters()),
        total_(order.items * order.outputs) {}

  void value(FreePoint& point) {
    poll_interrupt();
    ++passes;
    unpack(point.at.data(), parameters_.data());
    point.value = loss_and_gradient(rows_, shape_, parameters_.data(), gradient_.data(), n_threads_);
    point.value += add_penalty(parameters_.data(), penalty_, gradient_.data(), gradient_.size());
    const std::size_t gates = shape_.response_begin(), skipped = order_.middles * order_.outputs;
    std::fill_n(total_.begin(), skipped, 0.0);
    std::copy(gradient_.begin() + gates, gradient_.begin() + shape_.slope_begin(), total_.begin() + skipped);
    std::copy_n(gradient_.begin(), gates, point.gradient.begin());
    items_.slopes(point.at.data() + gates, total_.data(), point.gradient.data() + gates);
    std::copy(gradient_.begin() + shape_.slope_begin(), gradient_.end(),
              point.gradient.begin() + gates + total_.size());
  }

  void unpack(const double* free, double* parameters) {
    const std::size_t gates = shape_.response_begin(), skipped = order_.middles * order_.outputs;
    const double* value = items_.values(free + gates);
    std::copy_n(free, gates, parameters);
    std::copy(value + skipped, value + total_.size(), parameters + gates);
    std::copy_n(free + gates + total_.size(), shape_.parameters() - shape_.slope_begin(),
                parameters + shape_.slope_begin());
  }

  int passes = 0;

 private:
  const SoftRows<T>& rows_;
  const Shape& shape_;
  const NodeOrder& order_;
  OrderedItems items_;
  Penalty penalty_;
  int n_threads_;
  Numbers parameters_, gradient_, total_;
};

// The last steps and changes of the gradient, restricted to the free numbers for their directions.
class BoundedHistory {
 public:
  BoundedHistory(std::size_t size, std::size_t memory)
      : size_(size), memory_(memory), masked_step_(size * memory), masked_change_(size * memory) {}

  void add(const FreePoint& from, const FreePoint& to) {
    Numbers step(size_), change(size_);
    move_along(to.at.data(), -1, from.at.data(), step.data(), size_);
    move_along(to.gradient.data(), -1, from.gradient.data(), change.data(), size_);
    if (!is_convex(step.data(), change.data())) return;
    if (steps_.size() == memory_) steps_.erase(steps_.begin()), changes_.erase(changes_.begin());
    steps_.push_back(std::move(step)), changes_.push_back(std::move(change));
  }

  // Sets numbers that are not free to 0.
  void find_direction(const Numbers& gradient, const Numbers& free, Numbers& d) {
    Numbers down(size_);
    mask(gradient.data(), free, down.data());
    place_.clear(), curvature_.clear();
    double scale = 1.0 / std::max(1.0, std::sqrt(dot(down.data(), down.data(), size_)));
    const double plain = scale;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      double *step = masked_step_.data() + i * size_, *change = masked_change_.data() + i * size_;
      mask(steps_[i].data(), free, step), mask(changes_[i].data(), free, change);
      if (!is_convex(step, change)) continue;
      place_.push_back(i), curvature_.push_back(dot(step, change, size_));
      scale = curvature_.back() / dot(change, change, size_);
    }
    d = down;
    part_.assign(place_.size(), 0.0);
    for (std::size_t i = place_.size(); i-- > 0;) {
      part_[i] = dot(masked_step_.data() + place_[i] * size_, d.data(), size_) / curvature_[i];
      move_along(d.data(), -part_[i], masked_change_.data() + place_[i] * size_, d.data(), size_);
    }
    for (double& v : d) v *= -scale;
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const double back = part_[i] + dot(masked_change_.data() + place_[i] * size_, d.data(), size_) / curvature_[i];
      move_along(d.data(), -back, masked_step_.data() + place_[i] * size_, d.data(), size_);
    }
    if (!(dot(d.data(), down.data(), size_) < 0))
      for (std::size_t i = 0; i < size_; ++i) d[i] = -plain * down[i];
  }

  bool empty() const { return steps_.empty(); }
  void clear() { steps_.clear(), changes_.clear(); }

 private:
  bool is_convex(const double* step, const double* change) const {
    return dot(step, change, size_) > kLeastCurvature * dot(change, change, size_);
  }
  void mask(const double* from, const Numbers& free, double* to) const {
    for (std::size_t i = 0; i < size_; ++i) to[i] = free[i] > 0 ? from[i] : 0.0;
  }

  std::size_t size_, memory_;
  std::vector<Numbers> steps_, changes_;
  Numbers masked_step_, masked_change_, curvature_, part_;
  std::vector<std::size_t> place_;
};

// A lower point along the bounded path, into `best`; false if there is none. While nothing is known of the curvature
// the step is doubled as long as that lowers the objective further.
template <class T>
bool search_within(OrderedObjective<T>& objective, const FreePoint& point, const Numbers& direction,
                   const Bounds& bounds, bool is_new, FreePoint& trial, FreePoint& best) {
  const std::size_t n = direction.size();
  double step = 1, factor = 0.5;
  best.value = point.value;
  bool moved = false;
  for (int i = 0; i < kMostTrials; ++i) {
    double along = 0;
    for (std::size_t j = 0; j < n; ++j) {
      trial.at[j] = std::min(std::max(point.at[j] + step * direction[j], bounds.low[j]), bounds.high[j]);
      along += point.gradient[j] * (trial.at[j] - point.at[j]);
    }
    objective.value(trial);
    if (along < 0 && trial.value <= point.value + kEnough * along && trial.value < best.value) {
      moved = true;
      std::swap(trial, best);
      if (!(is_new && (i == 0 || factor == 2))) return true;
      factor = 2;
    } else if (factor == 2) {
      return moved;
    }
    step *= factor;
  }
  return moved;
}

// 1 if a number may move: it is inside its bounds, or at a bound that the gradient leads away from.
bool find_free(const FreePoint& point, const Bounds& bounds, Numbers& free) {
  bool moves = false;
  for (std::size_t i = 0; i < free.size(); ++i) {
    const double at = point.at[i], slope = point.gradient[i];
    free[i] = (at <= bounds.low[i] && slope > 0) || (at >= bounds.high[i] && slope < 0) ? 0 : 1;
    moves = moves || (free[i] > 0 && slope != 0);
  }
  return moves;
}

}  // namespace

template <class T>
std::pair<double, int> refine_ordered(const SoftRows<T>& rows, const Shape& shape, const NodeOrder& order,
                                      const Bounds& bounds, double* free, double* parameters,
                                      const Penalty& penalty_terms, const Refinement& how, int n_threads) {
  OrderedObjective<T> objective(rows, shape, order, penalty_terms, n_threads);
  const std::size_t size = shape.parameters() + order.middles * order.outputs;
  FreePoint point(size), trial(size), better(size);
  for (std::size_t i = 0; i < size; ++i) point.at[i] = std::min(std::max(free[i], bounds.low[i]), bounds.high[i]);
  objective.value(point);
  BoundedHistory history(size, static_cast<std::size_t>(how.memory));
  Numbers direction(size), may_move(size), values{point.value};
  for (int iteration = 0; iteration < how.max_iter && find_free(point, bounds, may_move); ++iteration) {
    history.find_direction(point.gradient, may_move, direction);
    if (!search_within(objective, point, direction, bounds, history.empty(), trial, better)) {
      if (history.empty()) break;
      history.clear();  // the curvature model is outdated: try once more along the gradient
      continue;
    }
    history.add(point, better);
    std::swap(point, better);
    values.push_back(point.value);
    if (has_stalled(values, how.tol)) break;
  }
  std::copy(point.at.begin(), point.at.end(), free);
  objective.unpack(free, parameters);
  return {point.value, objective.passes};
}

template std::pair<double, int> refine_ordered(const SoftRows<double>&, const Shape&, const NodeOrder&, const Bounds&,
                                               double*, double*, const Penalty&, const Refinement&, int);
template std::pair<double, int> refine_ordered(const SoftRows<float>&, const Shape&, const NodeOrder&, const Bounds&,
                                               double*, double*, const Penalty&, const Refinement&, int);

}  // namespace softwood::soft
