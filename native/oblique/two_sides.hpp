// The two sides of a cut while rows of one class after the other move from the second to the first.
//
//     gini     W - sum_k c_k^2 / W        entropy  W ln W - sum_k c_k ln c_k        error  W - max_k c_k
//
// is W * impurity of a side with class weights c and W in all. What a class adds is kept and only made anew where the
// class moves; the sums are taken afresh at every question, so rounding does not pile up.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kinds.hpp"
#include "simd/elementary.hpp"

namespace softwood::oblique {

// What a class of weight x adds to the impurity of its side.
class Impurity {
 public:
  explicit Impurity(Criterion criterion) : criterion_(criterion) {}

  // Weights that are whole numbers up to `most` from now on: their logarithms are looked up.
  void make_table(std::size_t most) {
    if (criterion_ != Criterion::entropy) return;
    table_.resize(most + 1);
    for (std::size_t x = 0; x <= most; ++x) table_[x] = x_log_x(static_cast<double>(x));
  }

  double part(double x) const {
    if (criterion_ == Criterion::gini) return x * x;
    if (criterion_ == Criterion::error) return x;
    return table_.empty() ? x_log_x(x) : table_[static_cast<std::size_t>(x)];
  }

  // W * impurity from the parts of the classes.
  double loss(const double* parts, std::size_t classes, double W) const {
    if (W <= 0) return 0;
    double sum = 0;
    if (criterion_ == Criterion::error) {
      for (std::size_t k = 0; k < classes; ++k) sum = std::max(sum, parts[k]);
      return W - sum;
    }
    for (std::size_t k = 0; k < classes; ++k) sum += parts[k];
    return criterion_ == Criterion::gini ? W - sum / W : part(W) - sum;
  }

 private:
  Criterion criterion_;
  std::vector<double> table_;

  static double x_log_x(double x) { return x > 0 ? x * elementary::log(x) : 0; }
};

class Sides {
 public:
  Sides(const Impurity& impurity, const std::vector<double>& whole)
      : impurity_(impurity), whole_(whole), below_(whole.size()), low_(whole.size()), all_(whole.size()), high_(whole) {
    for (std::size_t k = 0; k < whole.size(); ++k) all_[k] = impurity.part(whole[k]);
    for (const double weight : whole) total_ += weight;
    restart();
  }

  // All rows are above again.
  void restart() {
    std::fill(below_.begin(), below_.end(), 0.0);
    std::fill(low_.begin(), low_.end(), 0.0);
    high_ = all_;
  }

  void move(std::size_t k, double weight) {
    below_[k] += weight;
    low_[k] = impurity_.part(below_[k]);
    high_[k] = impurity_.part(above(k));
  }

  // W * impurity of both sides together.
  double loss() const {
    const std::size_t n = whole_.size();
    double W = 0, rest = 0;
    for (std::size_t k = 0; k < n; ++k) {
      W += below_[k];
      rest += above(k);
    }
    return impurity_.loss(low_.data(), n, W) + impurity_.loss(high_.data(), n, rest);
  }

  double undivided() const { return impurity_.loss(all_.data(), all_.size(), total_); }

 private:
  const Impurity& impurity_;
  const std::vector<double>& whole_;
  std::vector<double> below_, low_, all_, high_;
  double total_ = 0;

  double above(std::size_t k) const { return std::max(whole_[k] - below_[k], 0.0); }  // below 0 by rounding only
};

}  // namespace softwood::oblique
