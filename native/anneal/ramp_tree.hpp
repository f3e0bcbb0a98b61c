// A tree whose thresholds are ramps of given widths, and the loss of its predictions on the training rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/views.hpp"

namespace softwood {

// Fields of AnnealProblem (kernels/contracts/anneal.py) under the same names; views that live as long as the tree.
struct RampProblem {
  std::span<const std::int32_t> first_child, n_children, feature, missing_row, code;
  std::span<const double> threshold, response, scale, fixed, missing_share, y, weight;
  std::span<const std::uint8_t> softens;
  std::span<const std::int64_t> fixed_begin, missing_begin;
  Table X;
  std::size_t n_outputs;
  double alpha;
};

// Width of a gate below (side 0) or above (1) its threshold; 2 * node + side in arrays of widths.
struct Width {
  std::int32_t node, side;
  std::size_t at() const { return 2 * static_cast<std::size_t>(node) + static_cast<std::size_t>(side); }
};

class RampTree {
 public:
  explicit RampTree(const RampProblem& problem);

  const RampProblem& problem() const { return p_; }
  std::size_t rows() const { return p_.X.rows; }
  // Numbers per row that the loss uses: the probability of its class, or its targets.
  std::size_t parts() const { return p_.code.empty() ? p_.n_outputs : 1; }
  bool is_branch(std::int32_t node) const { return p_.n_children[node] > 0; }

  double distance(std::int32_t node, std::size_t row) const {
    return p_.X(row, static_cast<std::size_t>(p_.feature[node])) - p_.threshold[node];
  }
  // Share that a gate sends to a slot.
  double share(std::int32_t node, std::size_t row, std::size_t slot, const double* theta) const;
  // The output of the subtree under a node, for any row.
  double value(std::int32_t node, std::size_t row, std::size_t part, const double* theta) const;
  // Share of the first child of a gate that cannot read the row.
  double missing_share(std::int32_t node, std::size_t row) const;
  // Share of every row that reaches a node.
  std::vector<double> reach(std::int32_t node, const double* theta) const;

  double row_loss(std::size_t row, const double* output) const;
  double loss(const double* theta, int n_threads) const;
  // Loss, and in `slope` its slopes: by widths (nodes, 2), then thresholds (nodes), then responses (nodes, outputs).
  double gradient(const double* theta, double* slope, int n_threads) const;
  std::size_t n_slopes() const { return 3 * parent_.size() + p_.response.size(); }

 private:
  // Index of the response of a node for one part of a row.
  std::size_t response_at(std::int32_t node, std::size_t row, std::size_t part) const {
    const std::size_t column = p_.code.empty() ? part : static_cast<std::size_t>(p_.code[row]);
    return static_cast<std::size_t>(node) * p_.n_outputs + column;
  }
  struct Slope {
    std::size_t at;
    double value;
  };
  // value(), and its derivatives, times `reach`.
  double descend(std::int32_t node, std::size_t row, std::size_t part, const double* theta, double reach,
                 std::vector<Slope>& slopes) const;
  void add_gate_slopes(std::int32_t node, std::size_t row, const double* theta, double gap,
                       std::vector<Slope>& slopes) const;
  double gradient_of_rows(std::size_t begin, std::size_t end, const double* theta, double* slope) const;

  RampProblem p_;
  std::vector<std::int32_t> parent_;
};

// Share of the first child at distance x from the threshold. A width of 0 is a jump: its rate is HUGE_RATE, and at x =
// 0 the share is 1/2 for any width.
// predict/ divides by the width, as the reference does, so that predictions are the same everywhere. Here the ramp of a
// gate is computed for all its rows at each of thousands of proposals: one division per gate, no branch, a vectorised
// loop. It may differ from predict/ in the last digit, but only predict/ evaluates the learned tree.
constexpr double HUGE_RATE = 1e300;
inline double rate(double width) { return width > 0 ? 0.5 / width : HUGE_RATE; }
inline double ramp(double x, double rate_below, double rate_above) {
  const double s = 0.5 - x * (x < 0 ? rate_below : rate_above);
  return s > 1 ? 1 : s < 0 ? 0 : s;
}

}  // namespace softwood
