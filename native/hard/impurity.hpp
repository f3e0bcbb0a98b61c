// The impurity that hard splits decrease: sums over rows (a state), and the gain of a division.
//
// A state is [count, W, part_0, ..., part_{k-1}]: count by weight, W by weight * class_factor, and the parts of W (W
// per class, or weighted sums of the centred targets). Absolute error, quantile and huber are not functions of sums;
// they are in hard/center_losses.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kinds.hpp"
#include "hard/sorted_columns.hpp"
#include "simd/elementary.hpp"

namespace softwood::hard {

struct Objective {
  Criterion criterion;
  int parts;                         // classes or targets
  bool classes;                      // class codes or numbers
  std::vector<std::int32_t> code;    // class of every row
  std::vector<std::uint8_t> is_one;  // two classes: whether it is class 1 (one byte per row, read in random order)
  std::vector<double> y;             // targets about their root mean (counts: about 0), rows x parts
  std::vector<double> center;        // that mean, per target
  std::vector<double> parameter;     // of quantile and huber, per target
  std::vector<double> weight;        // current weight of every row (a fraction in a node with partial rows)
  std::vector<double> factor;        // per class
  bool plain = true;                 // every weight and factor is 1
  std::vector<double> x_log_x_of;    // entropy if plain: x log x of every possible count, else empty

  static double x_log_x(double x) { return x > 0 ? x * elementary::log(x) : 0; }

  // Half the Poisson deviance of 1 + t from 1, see kernels/formulas/counts.py.
  static double half_deviance(double t) {
    constexpr double NEAR = 1.0 / 16;
    constexpr int TERMS = 14;
    if (std::abs(t) > NEAR) return t > -1 ? (1 + t) * elementary::log1p(t) - t : 1;
    double series = 0;
    for (int k = TERMS; k > 1; --k) series = 1.0 / (k * (k - 1)) - t * series;
    return t * t * series;
  }

  // Whether the loss is about a centre that is not a function of sums.
  bool has_centers() const {
    return criterion == Criterion::absolute_error || criterion == Criterion::quantile || criterion == Criterion::huber;
  }
  // For absolute error and quantile: the quantile, and the weights of distances below and above it.
  double level(int target) const { return criterion == Criterion::quantile ? parameter[target] : 0.5; }
  double below(int target) const { return criterion == Criterion::quantile ? 1 - parameter[target] : 1; }
  double above(int target) const { return criterion == Criterion::quantile ? parameter[target] : 1; }

  int width() const { return 2 + parts; }
  // Whether the gain is a function of one sum (the last part): scale * d^2 * W / (W1 * W2), see
  // hard/threshold_split.hpp.
  bool moments() const {
    return (criterion == Criterion::squared_error && parts == 1) || (criterion == Criterion::gini && parts == 2);
  }
  double moments_scale() const { return classes ? 2 : 1; }

  void add(double* state, std::uint32_t row) const {
    const double w = weight[row];
    state[0] += w;
    if (classes) {
      const int c = code[row];
      const double u = w * factor[c];
      state[1] += u;
      state[2 + c] += u;
    } else {
      state[1] += w;
      for (int t = 0; t < parts; ++t) state[2 + t] += w * y[static_cast<std::size_t>(row) * parts + t];
    }
  }

  // Decrease of W * impurity when `total` is split into `first` and the rest. With d = part - W_first * mean, gini and
  // squared error are sum d^2 * W / (W_first * W_second): no large numbers cancel.
  double gain(const double* first, const double* total) const {
    const double W = total[1], W1 = first[1], W2 = W - W1;
    if (criterion == Criterion::poisson) return poisson_gain(first, total);
    if (criterion == Criterion::entropy || criterion == Criterion::error) return concave_gain(first, total);
    double sum = 0;
    for (int c = 0; c < parts; ++c) {
      const double d = first[2 + c] - W1 * (total[2 + c] / W);
      sum += d * d;
    }
    return sum * W / (W1 * W2) / (classes ? 1 : parts);
  }

  // Constrained quantities of a state: means, or P(class >= 1) ... P(class >= K - 1).
  int quantities() const { return classes ? parts - 1 : parts; }
  void constrained(const double* state, double* q) const {
    if (!classes) {
      for (int t = 0; t < parts; ++t) q[t] = state[2 + t] / state[1];
      return;
    }
    double above = 0;
    for (int c = parts - 1; c >= 1; --c) q[c - 1] = (above += state[2 + c]) / state[1];
  }

 private:
  // With t = d / (W m) of each side, m the mean of all: sum W m half_deviance(t). A side whose counts are all 0 is no
  // child: minus infinity.
  double poisson_gain(const double* first, const double* total) const {
    const double W = total[1], W1 = first[1], W2 = W - W1;
    double sum = 0;
    for (int c = 0; c < parts; ++c) {
      const double S = total[2 + c], S1 = first[2 + c], mean = S / W, d = S1 - W1 * mean;
      if (!(std::min(S1, S - S1) > TIE * S)) return -std::numeric_limits<double>::infinity();
      sum += mean * (W1 * half_deviance(d / (W1 * mean)) + W2 * half_deviance(-d / (W2 * mean)));
    }
    return sum / parts;
  }

  double concave_gain(const double* first, const double* total) const {
    double one = 0, two = 0, both = 0;  // W * impurity, negated, without the terms in W alone
    for (int c = 0; c < parts; ++c) {
      const double a = first[2 + c], b = total[2 + c] - a;
      if (criterion == Criterion::error) {
        one = std::max(one, a), two = std::max(two, b), both = std::max(both, total[2 + c]);
      } else {
        one += x_log_x(a), two += x_log_x(b), both += x_log_x(total[2 + c]);
      }
    }
    if (criterion == Criterion::error) return one + two - both;
    return (one - x_log_x(first[1])) + (two - x_log_x(total[1] - first[1])) - (both - x_log_x(total[1]));
  }
};

// Monotone bounds of a node, empty without constraints; slack allows for rounding.
struct Bounds {
  std::vector<double> lower, upper;
  double slack = 0;
};

// Whether the two sides may be children, given the sign of the feature.
inline bool in_order(const Bounds& bounds, int sign, const std::vector<double>& first,
                     const std::vector<double>& second) {
  for (std::size_t i = 0; i < bounds.lower.size(); ++i) {
    const double low = bounds.lower[i] - bounds.slack, high = bounds.upper[i] + bounds.slack;
    if (first[i] < low || first[i] > high || second[i] < low || second[i] > high) return false;
    if (sign * (second[i] - first[i]) < -bounds.slack) return false;
  }
  return true;
}

}  // namespace softwood::hard
