// Whether a tree is certainly valid: src/softwood/tree/invariants.py would find no fault in its nodes and gates.
#pragma once

#include "predict/tree.hpp"

namespace softwood {

// Supports common trees only: inputs are numbers, gates are thresholds with a step or sums with a step or sigmoid, and
// no fractional or surrogate missing values. For other trees it returns false, which means that a full check is needed.
// Lengths of arrays are assumed correct.
bool is_valid(const TreeArrays& tree);

}  // namespace softwood
