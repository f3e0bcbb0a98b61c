// Joint refinement of every gate and response by limited-memory BFGS (Nocedal 1980), no Python between iterations.
//
// Line search: step halved or doubled until the weak Wolfe conditions hold (Lewis and Overton 2013); one pass of loss
// and gradient per trial, and the first trial is nearly always kept.
#include "soft/lbfgs.hpp"

#include <cmath>
#include <vector>

#include "core/interrupt.hpp"
#include "core/machine.hpp"
#include "simd/scalar_log.hpp"
#include "simd/sums.hpp"
#include "soft/soft_rows.hpp"
#include "soft/stored_rows.hpp"

namespace softwood::soft {
namespace {

using Vector = std::vector<double>;

constexpr double kSufficient = 1e-4, kCurvature = 0.9;  // the usual constants of the Wolfe conditions
constexpr int kTrials = 20;
constexpr std::size_t kStall = 3;  // iterations compared together, since gains are uneven

struct PenaltyTerm {
  double value, slope;
};

SOFTWOOD_INLINE PenaltyTerm penalty_of(double strength, double log_penalty, double away) {
  const double square = away * away, scaled = log_penalty * square;
  return {0.5 * strength * (log_penalty > 0 ? vector_log1p(scaled) / log_penalty : square),
          strength * away / (1 + scaled)};
}

}  // namespace

SOFTWOOD_CLONED(void, move_along, (const double* from, double factor, const double* along, double* to, std::size_t n),
                (from, factor, along, to, n)) {
  for (std::size_t i = 0; i < n; ++i) to[i] = from[i] + factor * along[i];
}

SOFTWOOD_CLONED(double, add_penalty, (const double* at, const Penalty& penalty_terms, double* gradient, std::size_t n),
                (at, penalty_terms, gradient, n)) {
  return total(n, [&](std::size_t i) SOFTWOOD_INLINE_LAMBDA {
    const double strength = penalty_terms.strength[i];
    const PenaltyTerm term =
        penalty_of(strength < 0 ? 0 : strength, penalty_terms.log_penalty[i], at[i] - penalty_terms.centre[i]);
    gradient[i] = strength < 0 ? 0 : gradient[i] + term.slope;
    return term.value;
  });
}

bool has_stalled(const Vector& values, double tol) {
  if (values.size() <= kStall) return false;
  const double then = values[values.size() - 1 - kStall];
  return then - values.back() <= kStall * tol * std::abs(then);
}

namespace {

struct Point {
  Vector at, gradient;
  double value = INFINITY;

  explicit Point(std::size_t size) : at(size), gradient(size) {}
};

template <class Rows>
struct Objective {
  const Rows& rows;
  const Shape& shape;
  Penalty penalty_terms;
  int n_threads;
  int passes = 0;

  void value(Point& point) {
    poll_interrupt();
    ++passes;
    point.value = loss_and_gradient(rows, shape, point.at.data(), point.gradient.data(), n_threads);
    point.value += add_penalty(point.at.data(), penalty_terms, point.gradient.data(), point.at.size());
  }
};

// The last steps and changes of the gradient; turns a gradient into a quasi-Newton direction.
class History {
 public:
  History(std::size_t size, std::size_t memory)
      : size_(size),
        memory_(memory),
        steps_(size * memory),
        changes_(size * memory),
        curvatures_(memory),
        part_(memory) {}

  // Adds the step from one point to another, unless it was not convex.
  void add(const Point& from, const Point& to) {
    double *step = steps_.data() + next_ * size_, *change = changes_.data() + next_ * size_;
    move_along(to.at.data(), -1, from.at.data(), step, size_);
    move_along(to.gradient.data(), -1, from.gradient.data(), change, size_);
    const double curvature = dot(step, change, size_), square = dot(change, change, size_);
    if (!(curvature > 1e-12 * square)) return;
    curvatures_[next_] = curvature;
    scale_ = curvature / square;
    next_ = (next_ + 1) % memory_;
    count_ = std::min(count_ + 1, memory_);
  }

  void find_direction(const Vector& gradient, Vector& d) {
    if (empty()) scale_ = 1.0 / std::max(1.0, std::sqrt(dot(gradient.data(), gradient.data(), size_)));
    d = gradient;
    for (std::size_t i = count_; i-- > 0;) {
      const std::size_t at = place(i);
      part_[at] = dot(step(at), d.data(), size_) / curvatures_[at];
      move_along(d.data(), -part_[at], change(at), d.data(), size_);
    }
    for (double& v : d) v *= -scale_;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t at = place(i);
      const double back = part_[at] + dot(change(at), d.data(), size_) / curvatures_[at];
      move_along(d.data(), -back, step(at), d.data(), size_);
    }
  }

  bool empty() const { return count_ == 0; }
  void clear() { count_ = next_ = 0; }

 private:
  const double* step(std::size_t at) const { return steps_.data() + at * size_; }
  const double* change(std::size_t at) const { return changes_.data() + at * size_; }
  std::size_t place(std::size_t i) const { return (next_ + memory_ - count_ + i) % memory_; }  // the oldest is 0

  std::size_t size_, memory_, count_ = 0, next_ = 0;
  double scale_ = 1;
  Vector steps_, changes_, curvatures_, part_;
};

// A lower point along `direction`, into `best`; false if no step lowers the objective. `trial` is room to try.
template <class Rows>
bool search(Objective<Rows>& objective, const Point& point, const Vector& direction, Point& trial, Point& best) {
  const std::size_t n = direction.size();
  const double slope = dot(point.gradient.data(), direction.data(), n);
  if (!(slope < 0)) return false;
  double step = 1, low = 0, high = INFINITY;
  best.value = point.value;
  bool moved = false;
  for (int i = 0; i < kTrials; ++i) {
    move_along(point.at.data(), step, direction.data(), trial.at.data(), n);
    objective.value(trial);
    const bool lower = trial.value <= point.value + kSufficient * step * slope;  // false for NaN too
    const bool too_steep = lower && dot(trial.gradient.data(), direction.data(), n) < kCurvature * slope;
    if (lower && trial.value <= best.value) {
      moved = moved || trial.value < point.value;
      std::swap(trial, best);
    }
    if (lower && !too_steep) break;
    (lower ? low : high) = step;
    step = std::isfinite(high) ? 0.5 * (low + high) : 2 * step;
  }
  return moved;
}

template <class Rows>
std::pair<double, int> refine_on(const Rows& rows, const Shape& shape, double* parameters, const Penalty& penalty_terms,
                                 const Refinement& how, int n_threads) {
  Objective<Rows> objective{rows, shape, penalty_terms, n_threads};
  const std::size_t size = shape.parameters();
  Point point(size), trial(size), better(size);
  std::copy_n(parameters, size, point.at.data());
  objective.value(point);
  History history(size, static_cast<std::size_t>(how.memory));
  Vector direction(size), values{point.value};  // one value per iteration
  for (int iteration = 0; iteration < how.max_iter; ++iteration) {
    history.find_direction(point.gradient, direction);
    if (!search(objective, point, direction, trial, better)) {
      if (history.empty()) break;
      history.clear();  // the curvature model is outdated: try once more along the gradient
      continue;
    }
    history.add(point, better);
    std::swap(point, better);
    values.push_back(point.value);
    if (has_stalled(values, how.tol)) break;
  }
  std::copy(point.at.begin(), point.at.end(), parameters);
  return {point.value, objective.passes};
}

}  // namespace

template <class T>
std::pair<double, int> refine(const SoftRows<T>& rows, const Shape& shape, double* parameters,
                              const Penalty& penalty_terms, const Refinement& how, int n_threads) {
  return refine_on(rows, shape, parameters, penalty_terms, how, n_threads);
}

std::pair<double, int> refine(const StoredRows& rows, const Shape& shape, double* parameters,
                              const Penalty& penalty_terms, const Refinement& how, int n_threads) {
  return refine_on(rows, shape, parameters, penalty_terms, how, n_threads);
}

template std::pair<double, int> refine(const SoftRows<double>&, const Shape&, double*, const Penalty&,
                                       const Refinement&, int);
template std::pair<double, int> refine(const SoftRows<float>&, const Shape&, double*, const Penalty&, const Refinement&,
                                       int);

}  // namespace softwood::soft
