// One pass over the rows of a node in the order of a feature: every place where the value changes is offered as a
// split.
#pragma once

#include <cstdint>
#include <vector>

#include "columns.hpp"
#include "judge.hpp"

namespace softwood {

// Any objective that is a function of sums. `base` is what the first child holds before the first entry.
inline void pass_states(Judge& judge, const std::uint32_t* entries, std::size_t n, const double* base,
                        const double* total, int missing_slot) {
  std::vector<double> first(base, base + judge.objective.width());
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && !(entries[i] & SAME)) judge.offer(first.data(), total, i, missing_slot);
    judge.objective.add(first.data(), entries[i] & ROW);
  }
}

// Gini of several classes: sums of squares are kept up to date, so that a row costs the same for 3 or 300 classes. The
// running gain only decides whether to make a proper offer; SLACK covers its rounding.
inline void pass_gini(Judge& judge, const std::uint32_t* entries, std::size_t n, const double* base,
                      const double* total, int missing_slot) {
  constexpr double SLACK = 1e-9;
  const Objective& objective = judge.objective;
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
      if (square1 * W2 + square2 * W1 > (rest + judge.bar()) * W1 * W2 || !judge.best.found)
        judge.offer(first.data(), total, i, missing_slot);
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

// The hot pass. One target by squared error, or two classes by gini (y = 1 for class 1): with d = sum y - W1 * mean the
// gain is scale * d^2 * W / (W1 * W2), so a candidate costs three products and one comparison.
template <bool PLAIN, class Y>
void pass_moments(Judge& judge, const Y* y, double scale, const std::uint32_t* entries, std::size_t n,
                  const double* base, const double* total, int missing_slot) {
  const Objective& objective = judge.objective;
  const int last = objective.width() - 1;  // the part that holds sum y
  const double W = total[1], mean = total[last] / W, *weight = objective.weight.data();
  double count = base[0], W1 = base[1], sum = base[last];
  double need = judge.moments_bar(scale * W);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t entry = entries[i], row = entry & ROW;
    const double d = sum - W1 * mean;
    if (d * d > need * W1 * (W - W1) && !(entry & SAME) && i > 0 &&
        judge.offer_moments(count, W1, sum, d, scale, total, i, missing_slot))
      need = judge.moments_bar(scale * W);
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

}  // namespace softwood
