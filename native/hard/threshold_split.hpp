// One pass over the rows of a node in the order of a feature: every position at which the value changes is offered as a
// split.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "hard/best_split.hpp"
#include "hard/node_rows.hpp"
#include "hard/sorted_columns.hpp"

namespace softwood::hard {

// Any objective that is a function of sums. `base` is the initial state of the first child.
inline void pass_states(SplitSelector& selector, const std::uint32_t* entries, std::size_t n, const double* base,
                        const double* total, int missing_slot) {
  std::vector<double> first(base, base + selector.objective.width());
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && !(entries[i] & SAME)) selector.offer(first.data(), total, i, missing_slot);
    selector.objective.add(first.data(), entries[i] & ROW);
  }
}

// Gini of several classes: sums of squares are updated, so that a row takes the same time with 3 or 300 classes. The
// running gain only decides whether to make an exact offer; SLACK covers its rounding.
inline void pass_gini(SplitSelector& selector, const std::uint32_t* entries, std::size_t n, const double* base,
                      const double* total, int missing_slot) {
  constexpr double SLACK = 1e-9;
  const Objective& objective = selector.objective;
  std::vector<double> first(base, base + objective.width());
  double square1 = 0, square2 = 0, square = 0;
  for (int c = 0; c < objective.parts; ++c) {
    const double a = first[2 + c], b = total[2 + c] - a;
    square1 += a * a, square2 += b * b, square += total[2 + c] * total[2 + c];
  }
  const double W = total[1], rest = square / W - SLACK * W;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t row = entries[i] & ROW;
    if (i > 0 && !(entries[i] & SAME)) {
      const double W1 = first[1], W2 = W - W1;
      if (selector.bar() < 0 || square1 * W2 + square2 * W1 > (rest + selector.bar()) * W1 * W2)
        selector.offer(first.data(), total, i, missing_slot);
    }
    const int c = objective.code[row];
    const double u = objective.weight[row] * objective.factor[c], a = first[2 + c], b = total[2 + c] - a;
    square1 += u * (2 * a + u);
    square2 += u * (u - 2 * b);
    first[0] += objective.weight[row];
    first[1] += u;
    first[2 + c] += u;
  }
}

// Entropy: like pass_gini, with running sums of x log x. x_log_x(i) is read from a table if all weights are 1.
template <class XLogX>
void pass_entropy(SplitSelector& selector, const std::uint32_t* entries, std::size_t n, const double* base,
                  const double* total, int missing_slot, XLogX&& x_log_x) {
  constexpr double SLACK = 1e-9;
  const Objective& objective = selector.objective;
  std::vector<double> first(base, base + objective.width());
  double both = -x_log_x(total[1]), sides = 0;
  for (int c = 0; c < objective.parts; ++c) {
    sides += x_log_x(first[2 + c]) + x_log_x(total[2 + c] - first[2 + c]);
    both += x_log_x(total[2 + c]);
  }
  both -= SLACK * total[1];
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t row = entries[i] & ROW;
    if (i > 0 && !(entries[i] & SAME)) {
      const double running = sides - x_log_x(first[1]) - x_log_x(total[1] - first[1]) - both;
      if (running > selector.bar()) selector.offer(first.data(), total, i, missing_slot);
    }
    const int c = objective.code[row];
    const double w = objective.weight[row], u = w * objective.factor[c], a = first[2 + c], b = total[2 + c] - a;
    sides += (x_log_x(a + u) - x_log_x(a)) + (x_log_x(b - u) - x_log_x(b));
    first[0] += w;
    first[1] += u;
    first[2 + c] = a + u;
  }
}

// The hot pass. One target by squared error, or two classes by gini (y = 1 for class 1): with d = sum y - W1 * mean the
// gain is scale * d^2 * W / (W1 * W2), so a candidate costs three products and one comparison.
template <bool PLAIN, class Y>
void pass_moments(SplitSelector& selector, const Y* y, double scale, const std::uint32_t* entries, std::size_t n,
                  const double* base, const double* total, int missing_slot) {
  const Objective& objective = selector.objective;
  const int last = objective.width() - 1;  // the part that holds sum y
  const double W = total[1], mean = total[last] / W, *weight = objective.weight.data();
  double count = base[0], W1 = base[1], sum = base[last];
  double need = selector.moments_bar(scale * W);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t entry = entries[i], row = entry & ROW;
    const double d = sum - W1 * mean;
    if (d * d > need * W1 * (W - W1) && !(entry & SAME) && i > 0 &&
        selector.offer_moments(count, W1, sum, d, scale, total, i, missing_slot))
      need = selector.moments_bar(scale * W);
    if constexpr (PLAIN) {
      count += 1;
      W1 += 1;
      sum += static_cast<double>(y[row]);
    } else {
      const double u = objective.classes ? weight[row] * objective.factor[objective.code[row]] : weight[row];
      count += weight[row];
      W1 += u;
      sum += u * static_cast<double>(y[row]);
    }
  }
}

// pass_moments over all features of a small node of plain numbers in one call: most nodes of a deep tree have a handful
// of rows, and calls would take longer than the rows. Returns the winning feature, or `features` if there is none.
template <class Y>
std::size_t sweep_moments(const SplitSelector& selector, const Y* y, const NodeRows& rows, std::size_t features,
                          const double* total, double most, Best& best) {
  constexpr double SLACK = 1e-9;  // as in SplitSelector::enough
  const auto least = static_cast<std::size_t>(std::max(1.0, std::ceil(selector.min_samples_leaf - SLACK)));
  const double W = total[1], mean = total[selector.objective.width() - 1] / W,
               scale = selector.objective.moments_scale();
  double need = -1;
  std::size_t winner = features;
  for (std::size_t f = 0; f < features && rows.n >= 2 * least && !(best.gain >= most); ++f) {
    const std::uint32_t* entries = rows.entries + f * rows.stride;
    double sum = 0, W1 = static_cast<double>(least);
    for (std::size_t i = 0; i < least; ++i) sum += static_cast<double>(y[entries[i] & ROW]);
    for (std::size_t i = least; i + least <= rows.n; ++i) {
      const std::uint32_t entry = entries[i];
      const double d = sum - W1 * mean, W2 = W - W1;
      if (d * d > need * W1 * W2 && !(entry & SAME)) {
        const double gain = scale * d * d * W / (W1 * W2);
        if (!best.found || gain > best.gain + selector.tie) {
          best = {gain, i, -1, true, 0};
          winner = f;
          need = (gain + selector.tie) / (scale * W);
        }
      }
      sum += static_cast<double>(y[entry & ROW]);
      W1 += 1;
    }
  }
  return winner;
}

}  // namespace softwood::hard
