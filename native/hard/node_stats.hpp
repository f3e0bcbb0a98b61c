// The statistics of a node, from its rows: count, value, impurity.
#pragma once

#include <vector>

#include "hard/grower.hpp"

namespace softwood::hard {

Objective make_objective(const Columns& columns, const Target& target, Criterion criterion,
                         const std::vector<double>& parameter);

// Fills count and impurity of the node, its value (one number per part) and its state.
void describe(const Objective& objective, const Target& target, const std::vector<std::uint32_t>& rows, GrownNode& node,
              double* value, double* state);

}  // namespace softwood::hard
