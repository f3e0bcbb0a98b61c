// Whether a tree is valid for sure: src/softwood/tree/invariants.py would find no fault in its nodes and gates.
#pragma once

#include "predict/tree.hpp"

namespace softwood {

// Knows the common tree only: inputs are numbers, gates are thresholds with a step or sums with a step or sigmoid, and
// no row with a missing value is sent in parts or by surrogates. Of any other it says false, which means "look closer".
// Lengths of arrays are taken to be right.
bool is_valid(const TreeArrays& tree);

}  // namespace softwood
