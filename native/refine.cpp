// Joint refinement of every gate and response by limited-memory BFGS (Nocedal 1980), no Python between iterations.
//
// Line search: step halved or doubled until the weak Wolfe conditions hold (Lewis and Overton 2013); one pass of loss
// and gradient a trial, and the first trial is nearly always kept.
#include <cmath>
#include <vector>

#include "soft.hpp"

namespace softwood::soft {
namespace {

using Vector = std::vector<double>;

constexpr double kSufficient = 1e-4, kCurvature = 0.9;  // the usual constants of the Wolfe conditions
constexpr int kTrials = 20;
constexpr std::size_t kStall = 3;  // iterations judged together: one may save little and the next one much

// Eight sums side by side: a single one would have each addition wait for the last.
double dot(const Vector& a, const Vector& b) {
  constexpr std::size_t lanes = 8;
  double sum[lanes] = {}, rest = 0;
  std::size_t i = 0;
  for (; i + lanes <= a.size(); i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  for (; i < a.size(); ++i) rest += a[i] * b[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) + rest;
}

template <class T>
struct Objective {
  const SoftRows<T>& rows;
  const Shape& shape;
  Price price;
  int n_threads;
  int passes = 0;

  double operator()(const Vector& at, Vector& gradient) {
    ++passes;
    double value = loss_and_gradient(rows, shape, at.data(), gradient.data(), n_threads);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double strength = price.strength[i], away = at[i] - price.centre[i], eased = price.ease[i] * away * away;
      if (strength < 0) {
        gradient[i] = 0;
        continue;
      }
      value += 0.5 * strength * (eased > 0 ? std::log1p(eased) / price.ease[i] : away * away);
      gradient[i] += strength * away / (1 + eased);
    }
    return value;
  }
};

// The last steps and how the gradient changed along them; turns a gradient into a quasi-Newton direction.
class History {
 public:
  explicit History(std::size_t memory) : memory_(memory) {}

  void add(Vector step, Vector change) {
    const double bend = dot(step, change);
    if (!(bend > 1e-12 * dot(change, change))) return;  // not convex along this step: nothing to learn from it
    if (steps_.size() == memory_) {
      steps_.erase(steps_.begin());
      changes_.erase(changes_.begin());
      bends_.erase(bends_.begin());
    }
    steps_.push_back(std::move(step));
    changes_.push_back(std::move(change));
    bends_.push_back(bend);
  }

  Vector direction(const Vector& gradient) const {
    Vector d(gradient);
    Vector part(steps_.size());
    for (std::size_t i = steps_.size(); i-- > 0;) {
      part[i] = dot(steps_[i], d) / bends_[i];
      for (std::size_t j = 0; j < d.size(); ++j) d[j] -= part[i] * changes_[i][j];
    }
    const double scale = steps_.empty() ? 1.0 / std::max(1.0, std::sqrt(dot(gradient, gradient)))
                                        : bends_.back() / dot(changes_.back(), changes_.back());
    for (double& v : d) v *= scale;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const double back = part[i] - dot(changes_[i], d) / bends_[i];
      for (std::size_t j = 0; j < d.size(); ++j) d[j] += back * steps_[i][j];
    }
    for (double& v : d) v = -v;
    return d;
  }

  bool empty() const { return steps_.empty(); }
  void clear() {
    steps_.clear();
    changes_.clear();
    bends_.clear();
  }

 private:
  std::size_t memory_;
  std::vector<Vector> steps_, changes_;
  Vector bends_;
};

struct Point {
  Vector at, gradient;
  double value = 0;
};

// Moves `point` along `direction`; false if no step lowers the objective.
template <class T>
bool search(Objective<T>& objective, Point& point, const Vector& direction) {
  const double slope = dot(point.gradient, direction);
  if (!(slope < 0)) return false;
  double step = 1, low = 0, high = INFINITY;
  Point trial{point.at, point.gradient, 0}, best = point;
  for (int i = 0; i < kTrials; ++i) {
    for (std::size_t j = 0; j < trial.at.size(); ++j) trial.at[j] = point.at[j] + step * direction[j];
    trial.value = objective(trial.at, trial.gradient);
    const bool lower = trial.value <= point.value + kSufficient * step * slope;  // false for NaN too
    if (lower && trial.value <= best.value) best = trial;
    if (!lower)
      high = step;
    else if (dot(trial.gradient, direction) < kCurvature * slope)
      low = step;
    else
      break;
    step = std::isfinite(high) ? 0.5 * (low + high) : 2 * step;
  }
  const bool moved = best.value < point.value;
  point = std::move(best);
  return moved;
}

bool has_stalled(const Vector& values, double tol) {
  if (values.size() <= kStall) return false;
  const double then = values[values.size() - 1 - kStall];
  return then - values.back() <= kStall * tol * std::abs(then);
}

}  // namespace

template <class T>
std::pair<double, int> refine(const SoftRows<T>& rows, const Shape& shape, double* parameters, const Price& price,
                              const Refinement& how, int n_threads) {
  Objective<T> objective{rows, shape, price, n_threads};
  const std::size_t size = shape.parameters();
  Point point{Vector(parameters, parameters + size), Vector(size), 0};
  point.value = objective(point.at, point.gradient);
  History history(static_cast<std::size_t>(how.memory));
  Vector values{point.value};  // one an iteration
  for (int iteration = 0; iteration < how.max_iter; ++iteration) {
    const Point before = point;
    if (!search(objective, point, history.direction(point.gradient))) {
      if (history.empty()) break;
      history.clear();  // a stale model of the curvature: try once more down the gradient
      continue;
    }
    values.push_back(point.value);
    if (has_stalled(values, how.tol)) break;
    Vector step(size), change(size);
    for (std::size_t i = 0; i < size; ++i) {
      step[i] = point.at[i] - before.at[i];
      change[i] = point.gradient[i] - before.gradient[i];
    }
    history.add(std::move(step), std::move(change));
  }
  std::copy(point.at.begin(), point.at.end(), parameters);
  return {point.value, objective.passes};
}

template std::pair<double, int> refine(const SoftRows<double>&, const Shape&, double*, const Price&, const Refinement&,
                                       int);
template std::pair<double, int> refine(const SoftRows<float>&, const Shape&, double*, const Price&, const Refinement&,
                                       int);

}  // namespace softwood::soft
