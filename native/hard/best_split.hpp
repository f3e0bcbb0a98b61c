// Receives candidate splits of one node on one feature and keeps the best admissible one.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "hard/impurity.hpp"

namespace softwood::hard {

struct Best {
  double gain = -std::numeric_limits<double>::infinity();
  std::size_t position = 0;  // where in the order of candidates the second child begins
  int missing_slot = -1;     // where the candidate places the missing rows; -1: nowhere
  bool found = false;
  std::uint32_t next = 0;  // sparse tables: the group at which the second child begins
};

struct SplitSelector {
  const Objective& objective;
  double min_samples_leaf;
  double tie;  // gains closer than this are equal, and the earlier offer wins
  const Bounds& bounds;
  int sign;      // monotone sign of the feature
  double floor;  // the gain that the first offer must exceed: the best of other features, or -inf
  Best best;

  // The gain that the next offer must exceed.
  double bar() const { return best.found ? best.gain + tie : floor; }

  bool enough(double first_count, double total_count) const {
    const double least = min_samples_leaf * (1 - TIE);  // counts of fractional rows have rounding errors
    return first_count >= least && total_count - first_count >= least;
  }

  void take(double gain, std::size_t position, int missing_slot) { best = {gain, position, missing_slot, true, 0}; }

  void offer(const double* first, const double* total, std::size_t position, int missing_slot) {
    if (first[1] <= 0 || total[1] - first[1] <= 0 || !enough(first[0], total[0])) return;
    const double gain = objective.gain(first, total);
    if (gain > bar() && ordered(first, total)) take(gain, position, missing_slot);
  }

  // Moments (hard/threshold_split.hpp): d^2 must pass this times W1 * W2; before the first offer everything does.
  double moments_bar(double scale_W) const { return bar() >= 0 ? bar() / scale_W : -1.0; }

  bool offer_moments(double count, double W1, double sum, double d, double scale, const double* total,
                     std::size_t position, int missing_slot) {
    const double W = total[1], W2 = W - W1;
    if (W1 <= 0 || W2 <= 0 || !enough(count, total[0])) return false;
    const double gain = scale * d * d * W / (W1 * W2);
    const double state[4] = {count, W1, objective.classes ? W1 - sum : sum, sum};
    if (!(gain > bar()) || !ordered(state, total)) return false;
    take(gain, position, missing_slot);
    return true;
  }

  // Whether the sides satisfy the monotone order and the bounds of the node.
  bool ordered(const double* first, const double* total) const {
    if (bounds.lower.empty()) return true;
    const int width = objective.width();
    std::vector<double> second(total, total + width), q1(bounds.lower.size()), q2(bounds.lower.size());
    for (int i = 0; i < width; ++i) second[i] -= first[i];
    objective.constrained(first, q1.data());
    objective.constrained(second.data(), q2.data());
    return in_order(bounds, sign, q1, q2);
  }
};

}  // namespace softwood::hard
