// Tests of a C4.5 node: the gain of splitting its rows by one feature.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "hard/c45_grower.hpp"
#include "simd/elementary.hpp"

namespace softwood {

constexpr double C45_TIE = 1e-12;

// The rows of a node: increasing ids, weights (by row id, shared scratch), and the known rows of every numeric feature
// in the order of its values.
struct C45Rows {
  std::vector<std::uint32_t> row;
  std::vector<double> weight;                     // beside row
  std::vector<std::vector<std::uint32_t>> order;  // per feature, empty for a category
};

struct C45Test {
  double gain = -1, info = 0;  // bits; a gain below 0: no test
  double threshold = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::int32_t> slot;

  bool counts() const { return gain >= 0; }
  double ratio() const { return info > C45_TIE ? gain / info : 0; }
};

inline double times_log(double x) { return x > 0 ? x * elementary::log2(x) : 0; }

// `weight` is by row id; `total` the weight of the node.
C45Test test_number(const C45Problem& problem, int feature, const std::vector<std::uint32_t>& order,
                    const std::vector<double>& weight, double total);
C45Test test_category(const C45Problem& problem, int feature, const std::vector<std::uint32_t>& rows,
                      const std::vector<double>& weight, double total);

}  // namespace softwood
