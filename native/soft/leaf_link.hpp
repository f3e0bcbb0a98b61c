// Trees that mix answers: leaves predict link(response); twin of src/softwood/kernels/formulas/leaf_link.py, which has
// the formulas. A few numbers per leaf, before and after a pass over the rows; for other losses nothing is done.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "core/kinds.hpp"

namespace softwood::soft {

// The response of a leaf that adds nothing to the output.
inline double silent_response(LossKind loss) {
  return mixes_answers(loss) ? -std::numeric_limits<double>::infinity() : 0.0;
}

// Responses [leaf][output] become predictions of leaves; -infinity gives 0.
void answer_leaves(LossKind loss, double* response, std::size_t leaves, std::size_t outputs);

// Slopes of the loss by the answers of a leaf become slopes by its responses; `stride` from output to output.
void chain_slopes(LossKind loss, const double* answer, std::size_t outputs, double* slope, std::size_t stride = 1);

// The same of sums of expected curvatures.
void chain_curvatures(LossKind loss, const double* answer, std::size_t outputs, double* curvature);

// The prediction of leaf `leaf`, from its responses.
std::vector<double> answer_of_leaf(LossKind loss, const double* response, std::size_t leaf, std::size_t outputs);

}  // namespace softwood::soft
