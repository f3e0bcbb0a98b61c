// The linear split of a node: Fisher's direction between two groups of classes, or a ridge regression, and its cut. The
// definition is src/softwood/learners/oblique/direction.py and discriminant.py.
#pragma once

#include <cstddef>
#include <vector>

#include "oblique/scatter.hpp"
#include "oblique/score_threshold.hpp"
#include "oblique/two_sides.hpp"

namespace softwood::oblique {

struct SplitOptions {
  double least;      // minimum rows (by weight) of a child
  double shrinkage;  // of the scatter, relative to its mean variance; NaN: columns / rows
  bool gaussian;     // cut near where two normal densities would be
};

// The rows of a node, and the sums over them for a split.
struct NodeSums {
  double total = 0;              // of split_weight
  std::vector<double> mean;      // of the columns
  std::vector<double> by_class;  // classes x stride: sums of the columns by class
  std::vector<double> size;      // of split_weight, by class
  std::vector<double> S;  // scatter of the columns about their mean, times the total; empty: fewer rows than columns
  std::vector<double> answer;  // numbers: mean of the targets
  double loss = 0;             // total * impurity
};

// phi . weight + bias >= 0 is the first child.
struct LinearSplit {
  double gain = -1;
  std::vector<double> weight;
  double bias = 0;
  std::vector<std::uint8_t> second;  // 1 for the rows of the second child
};

LinearSplit find_split(const RowRange& rows, const Answers& answers, const NodeSums& sums, const Impurity& impurity,
                       const SplitOptions& options);

}  // namespace softwood::oblique
