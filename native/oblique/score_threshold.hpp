// The best cut along a score; the reference is src/softwood/kernels/formulas/score_threshold.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "oblique/two_sides.hpp"

namespace softwood::oblique {

// The targets of a node's rows: a class with a weight, or numbers.
struct Answers {
  std::size_t rows;
  const double* weight;        // counts towards the minimum of a child
  const double* split_weight;  // counts in splits: weight times the factor of the class
  const std::int32_t* code;    // null for numbers
  const double* y;             // rows x targets
  std::size_t targets;
};

// Gain < 0 if there is none; scores from `at` on are the first child.
struct Cut {
  double gain, at;
};

// Classes: `whole` is their weight in the node. The cut with the largest gain; if `near` is not NaN, the cut nearest to
// it with at least half of that.
Cut cut_classes(const std::vector<double>& score, const Answers& answers, const Impurity& impurity,
                const std::vector<double>& whole, double least, double near);

// Numbers: `mean` of the targets in the node. Always by gain.
Cut cut_numbers(const std::vector<double>& score, const Answers& answers, const std::vector<double>& mean, double loss,
                double least);

}  // namespace softwood::oblique
