#include "anneal/ramp_tree.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "simd/elementary.hpp"

namespace softwood {

namespace {

constexpr std::size_t PIECE = 512;  // rows per thread and piece

}  // namespace

RampTree::RampTree(const RampProblem& problem) : p_(problem), parent_(problem.first_child.size(), -1) {
  for (std::size_t m = 0; m < parent_.size(); ++m)
    for (std::int32_t s = 0; s < p_.n_children[m]; ++s) parent_[p_.first_child[m] + s] = static_cast<std::int32_t>(m);
}

double RampTree::missing_share(std::int32_t node, std::size_t row) const {
  const auto begin = p_.missing_row.begin() + p_.missing_begin[node],
             end = p_.missing_row.begin() + p_.missing_begin[node + 1];
  const auto found = std::lower_bound(begin, end, static_cast<std::int32_t>(row));
  return p_.missing_share[static_cast<std::size_t>(found - p_.missing_row.begin())];
}

double RampTree::share(std::int32_t node, std::size_t row, std::size_t slot, const double* theta) const {
  if (!p_.softens[node]) {
    const auto n = static_cast<std::size_t>(p_.n_children[node]);
    return p_.fixed[static_cast<std::size_t>(p_.fixed_begin[node]) + row * n + slot];
  }
  const double x = distance(node, row);
  const double below = theta[2 * node] * p_.scale[2 * node], above = theta[2 * node + 1] * p_.scale[2 * node + 1];
  double first;
  if (std::isnan(x)) [[unlikely]]
    first = missing_share(node, row);
  else
    first = ramp(x, rate(below), rate(above));
  return slot == 0 ? first : 1 - first;
}

double RampTree::value(std::int32_t node, std::size_t row, std::size_t part, const double* theta) const {
  while (is_branch(node)) {
    const std::int32_t first = p_.first_child[node];
    if (!p_.softens[node]) {
      double sum = 0;
      for (std::int32_t s = 0; s < p_.n_children[node]; ++s) {
        const double g = share(node, row, static_cast<std::size_t>(s), theta);
        if (g > 0) sum += g * value(first + s, row, part, theta);
      }
      return sum;
    }
    const double g = share(node, row, 0, theta);
    if (g > 0 && g < 1) return g * value(first, row, part, theta) + (1 - g) * value(first + 1, row, part, theta);
    node = g > 0 ? first : first + 1;
  }
  return p_.response[response_at(node, row, part)];
}

std::vector<double> RampTree::reach(std::int32_t node, const double* theta) const {
  std::vector<double> reach(rows(), 1.0);
  for (; parent_[node] >= 0; node = parent_[node]) {
    const auto slot = static_cast<std::size_t>(node - p_.first_child[parent_[node]]);
    for (std::size_t row = 0; row < reach.size(); ++row)
      if (reach[row] > 0) reach[row] *= share(parent_[node], row, slot, theta);
  }
  return reach;
}

double RampTree::row_loss(std::size_t row, const double* output) const {
  if (!p_.code.empty()) return p_.weight[row] * elementary::exp(-p_.alpha * output[0]);
  double sum = 0;
  for (std::size_t t = 0; t < parts(); ++t) {
    const double d = p_.y[row * parts() + t] - output[t];
    sum += d * d;
  }
  return p_.weight[row] * sum;
}

double RampTree::loss(const double* theta, int n_threads) const {
  std::vector<double> piece((rows() + PIECE - 1) / PIECE, 0.0);
  for_each_piece(piece.size(), n_threads, [&](std::size_t k) {
    std::vector<double> output(parts());
    for (std::size_t row = k * PIECE; row < std::min((k + 1) * PIECE, rows()); ++row) {
      for (std::size_t t = 0; t < parts(); ++t) output[t] = value(0, row, t, theta);
      piece[k] += row_loss(row, output.data());
    }
  });
  double sum = 0;
  for (const double part : piece) sum += part;
  return sum;
}

double RampTree::descend(std::int32_t node, std::size_t row, std::size_t part, const double* theta, double reach,
                         std::vector<Slope>& slopes) const {
  if (!is_branch(node)) {
    const std::size_t at = response_at(node, row, part);
    slopes.push_back({3 * parent_.size() + at, reach});
    return p_.response[at];
  }
  const std::int32_t first = p_.first_child[node];
  if (!p_.softens[node]) {
    double sum = 0;
    for (std::int32_t s = 0; s < p_.n_children[node]; ++s) {
      const double g = share(node, row, static_cast<std::size_t>(s), theta);
      if (g > 0) sum += g * descend(first + s, row, part, theta, reach * g, slopes);
    }
    return sum;
  }
  const double g = share(node, row, 0, theta);
  if (g >= 1) return descend(first, row, part, theta, reach, slopes);
  if (g <= 0) return descend(first + 1, row, part, theta, reach, slopes);
  const double left = descend(first, row, part, theta, reach * g, slopes);
  const double right = descend(first + 1, row, part, theta, reach * (1 - g), slopes);
  add_gate_slopes(node, row, theta, reach * (left - right), slopes);
  return g * left + (1 - g) * right;
}

// share = 1/2 - x / (2 width), x = value - threshold: its derivative by theta = width / scale is x / (2 width theta),
// by the threshold 1 / (2 width).
void RampTree::add_gate_slopes(std::int32_t node, std::size_t row, const double* theta, double gap,
                               std::vector<Slope>& slopes) const {
  const double x = distance(node, row);
  const Width side{node, x < 0 ? 0 : 1};
  const double t = theta[side.at()], width = t * p_.scale[side.at()];
  if (std::isnan(x) || width == 0) return;  // the gate cannot read the row; or the row lies on a jump
  slopes.push_back({side.at(), gap * 0.5 * x / (width * t)});
  slopes.push_back({2 * parent_.size() + static_cast<std::size_t>(node), gap * 0.5 / width});
}

double RampTree::gradient_of_rows(std::size_t begin, std::size_t end, const double* theta, double* slope) const {
  double sum = 0;
  std::vector<Slope> slopes;
  for (std::size_t row = begin; row < end; ++row) {
    for (std::size_t t = 0; t < parts(); ++t) {
      slopes.clear();
      const double output = descend(0, row, t, theta, 1, slopes);
      double push;  // slope of the loss by the output
      if (p_.code.empty()) {
        const double d = output - p_.y[row * parts() + t];
        sum += p_.weight[row] * d * d;
        push = 2 * p_.weight[row] * d;
      } else {
        const double loss = row_loss(row, &output);
        sum += loss;
        push = -p_.alpha * loss;
      }
      for (const Slope& s : slopes) slope[s.at] += push * s.value;
    }
  }
  return sum;
}

double RampTree::gradient(const double* theta, double* slope, int n_threads) const {
  const std::size_t pieces = (rows() + PIECE - 1) / PIECE, n = n_slopes();
  std::vector<double> sums(pieces, 0.0), slopes(pieces * n, 0.0);
  for_each_piece(pieces, n_threads, [&](std::size_t k) {
    sums[k] = gradient_of_rows(k * PIECE, std::min((k + 1) * PIECE, rows()), theta, slopes.data() + k * n);
  });
  std::fill_n(slope, n, 0.0);
  double sum = 0;
  for (std::size_t k = 0; k < pieces; ++k) {
    sum += sums[k];
    for (std::size_t i = 0; i < n; ++i) slope[i] += slopes[k * n + i];
  }
  return sum;
}

}  // namespace softwood
