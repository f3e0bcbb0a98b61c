// The two sides of a cut while rows of one class after the other move from the second to the first.
//
//     gini     W - sum_k c_k^2 / W        entropy  W ln W - sum_k c_k ln c_k        error  W - max_k c_k
//
// is W * impurity of a side with class weights c and total W. The term of a class is cached and only recomputed when
// the class moves; the sums are recomputed for every query, so rounding does not accumulate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kinds.hpp"
#include "simd/elementary.hpp"

namespace softwood::oblique {

// The term of a class with weight x in the impurity of its side.
class Impurity {
 public:
  explicit Impurity(Criterion criterion) : criterion_(criterion) {}

  // Weights are whole numbers up to `most`: use a table of logarithms.
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
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum = counts_errors() ? std::max(sum, parts[k]) : sum + parts[k];
    return loss(sum, W);
  }

  // W * impurity of a side with weight W and sum of terms `sum`: for errors, the largest term.
  double loss(double sum, double W) const {
    if (W <= 0) return 0;
    if (criterion_ == Criterion::error) return W - sum;
    return criterion_ == Criterion::gini ? W - sum / W : part(W) - sum;
  }

  bool counts_errors() const { return criterion_ == Criterion::error; }

 private:
  Criterion criterion_;
  std::vector<double> table_;

  static double x_log_x(double x) { return x > 0 ? x * elementary::log(x) : 0; }
};

class Sides {
 public:
  Sides(const Impurity& impurity, const std::vector<double>& whole)
      : impurity_(impurity), whole_(whole), side_(whole.size()), all_(whole.size()) {
    for (std::size_t k = 0; k < whole.size(); ++k) all_[k] = {0.0, whole[k], 0.0, impurity.part(whole[k])};
    restart();
  }

  // Move all rows above.
  void restart() { side_ = all_; }

  void move(std::size_t k, double weight) {
    Class& mine = side_[k];
    mine.below += weight;
    mine.above = std::max(whole_[k] - mine.below, 0.0);  // below 0 only by rounding
    mine.low = impurity_.part(mine.below);
    mine.high = impurity_.part(mine.above);
  }

  // W * impurity of both sides together.
  double loss() const { return sum_of(side_); }

  double undivided() const { return sum_of(all_); }

 private:
  // Weights of a class on both sides, and what they add: side by side, since with many classes all time goes into
  // their four sums, which do not wait for each other.
  struct Class {
    double below, above, low, high;
  };

  const Impurity& impurity_;
  const std::vector<double>& whole_;
  std::vector<Class> side_, all_;

  double sum_of(const std::vector<Class>& classes) const {
    Class sum{0.0, 0.0, 0.0, 0.0};
    if (impurity_.counts_errors()) {
      for (const Class& one : classes) {
        sum = {sum.below + one.below, sum.above + one.above, std::max(sum.low, one.low), std::max(sum.high, one.high)};
      }
    } else {
      for (const Class& one : classes) {
        sum = {sum.below + one.below, sum.above + one.above, sum.low + one.low, sum.high + one.high};
      }
    }
    return impurity_.loss(sum.low, sum.below) + impurity_.loss(sum.high, sum.above);
  }
};

}  // namespace softwood::oblique
