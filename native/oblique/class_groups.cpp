#include "oblique/class_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/machine.hpp"
#include "oblique/tolerances.hpp"

namespace softwood::oblique {
namespace {

constexpr std::size_t BINS = 64;  // of kernels/formulas/class_groups.py
constexpr double BIN_RANGE = 3.0, SAME = 1e-9, EDGE = 1e-6;

// The classes that are grouped with the first of the two with the most distant means.
std::vector<bool> seed_groups(const double* gram, std::size_t n) {
  const auto distance = [&](std::size_t a, std::size_t b) {
    return gram[a * n + a] + gram[b * n + b] - gram[a * n + b] - gram[b * n + a];
  };
  double farthest = distance(0, 1);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) farthest = std::max(farthest, distance(a, b));
  }
  std::size_t one = 0, other = 1;
  while (!(distance(one, other) >= farthest * (1.0 - SAME)) && one + 2 < n) {
    if (++other == n) other = ++one + 1;
  }
  std::vector<bool> near(n);
  for (std::size_t k = 0; k < n; ++k) near[k] = distance(k, one) <= distance(k, other) + SAME * farthest;
  near[one] = true;
  near[other] = false;
  return near;
}

// place[i] = bin of base[i] + times * more[i].
SOFTWOOD_CLONED(void, find_bins,
                (const double* base, const double* more, double times, double scale, std::size_t n,
                 std::int32_t* place),
                (base, more, times, scale, n, place)) {
  for (std::size_t i = 0; i < n; ++i) {
    const double at = (base[i] + times * more[i]) * scale + (BINS / 2.0 + EDGE);
    place[i] = static_cast<std::int32_t>(at > 0.0 ? std::min(at, BINS - 1.0) : 0.0);
  }
}

SOFTWOOD_CLONED(void, add_scores, (double* to, const double* more, double times, std::size_t n), (to, more, times, n)) {
  for (std::size_t i = 0; i < n; ++i) to[i] += times * more[i];
}

// A grouping, the scores along its direction, and the best cut after moving a class.
class Grouping {
 public:
  Grouping(const Projected& rows, const Impurity& impurity, std::vector<bool> first)
      : rows_(rows),
        sides_(impurity, rows.size),
        first_(std::move(first)),
        score_(rows.rows),
        place_(rows.rows),
        order_(rows.rows),
        along_(rows.classes) {
    for (std::size_t k = 0; k < rows.classes; ++k) {
      if (first_[k]) add_scores(score_.data(), rows.score + k * rows.rows, rows.size[k], rows.rows);
    }
    measure();
  }

  const std::vector<bool>& first() const { return first_; }

  bool may_move(std::size_t k) const {
    const auto here = std::count(first_.begin(), first_.end(), true) + (first_[k] ? -1 : 1);
    return here > 0 && here < static_cast<std::ptrdiff_t>(first_.size());
  }

  void move(std::size_t k) {
    add_scores(score_.data(), rows_.score + k * rows_.rows, step(k), rows_.rows);
    first_[k] = !first_[k];
    measure();
  }

  // The lowest loss of a cut between bins, with class k moved.
  double loss_moved(std::size_t k) {
    const double times = step(k), own = rows_.spread[k * rows_.classes + k];
    return least_loss(rows_.score + k * rows_.rows, times, variance_ + times * (2 * along_[k] + times * own));
  }
  double loss() { return least_loss(score_.data(), 0.0, variance_); }

 private:
  const Projected& rows_;
  Sides sides_;
  std::vector<bool> first_;
  std::vector<double> score_;
  std::vector<std::int32_t> place_;
  std::vector<std::uint32_t> order_;  // rows, bin after bin
  std::vector<double> along_;         // of each class, its covariance with the scores
  double variance_ = 0;               // of the scores

  double step(std::size_t k) const { return first_[k] ? -rows_.size[k] : rows_.size[k]; }

  void measure() {
    const std::size_t n = rows_.classes;
    variance_ = 0;
    for (std::size_t a = 0; a < n; ++a) {
      along_[a] = 0;
      for (std::size_t b = 0; b < n; ++b) {
        if (first_[b]) along_[a] += rows_.size[b] * rows_.spread[a * n + b];
      }
      if (first_[a]) variance_ += rows_.size[a] * along_[a];
    }
  }

  double least_loss(const double* more, double times, double variance) {
    const std::size_t n = rows_.rows;
    const double scale = BINS / (2.0 * BIN_RANGE * std::max(std::sqrt(std::max(variance, 0.0)), NOTHING));
    find_bins(score_.data(), more, times, scale, n, place_.data());
    std::size_t begin[BINS + 1] = {};
    for (std::size_t i = 0; i < n; ++i) ++begin[place_[i] + 1];
    for (std::size_t bin = 0; bin < BINS; ++bin) begin[bin + 1] += begin[bin];
    std::size_t at[BINS];
    std::copy_n(begin, BINS, at);
    for (std::size_t i = 0; i < n; ++i) order_[at[place_[i]]++] = static_cast<std::uint32_t>(i);
    double best = std::numeric_limits<double>::infinity();
    sides_.restart();
    for (std::size_t bin = 0; bin < BINS; ++bin) {
      if (begin[bin] == begin[bin + 1]) continue;
      for (std::size_t i = begin[bin]; i < begin[bin + 1]; ++i) {
        sides_.move(static_cast<std::size_t>(rows_.code[order_[i]]), rows_.split_weight[order_[i]]);
      }
      best = std::min(best, sides_.loss());
    }
    return std::max(best, 0.0);  // below 0 only by rounding; losses are compared by their ratio
  }
};

}  // namespace

std::vector<double> coefficients(const std::vector<bool>& first, const std::vector<double>& size) {
  double share = 0, rest = 0;
  for (std::size_t k = 0; k < size.size(); ++k) (first[k] ? share : rest) += size[k];
  std::vector<double> a(size.size());
  for (std::size_t k = 0; k < size.size(); ++k) a[k] = first[k] ? size[k] / share : -size[k] / rest;
  return a;
}

std::vector<bool> exchange(const Projected& rows, const Impurity& impurity) {
  Grouping grouping(rows, impurity, seed_groups(rows.gram, rows.classes));
  std::vector<double> moved(rows.classes);
  for (double best = grouping.loss();;) {
    for (std::size_t k = 0; k < rows.classes; ++k) {
      moved[k] = grouping.may_move(k) ? grouping.loss_moved(k) : std::numeric_limits<double>::infinity();
    }
    const double least = *std::min_element(moved.begin(), moved.end());
    if (!(least < best * (1.0 - SAME))) return grouping.first();
    const auto found = std::find_if(moved.begin(), moved.end(), [&](double x) { return x <= least * (1.0 + SAME); });
    best = *found;
    grouping.move(static_cast<std::size_t>(found - moved.begin()));
  }
}

}  // namespace softwood::oblique
