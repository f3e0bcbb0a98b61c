// One column of the basis, for some rows.
#pragma once

#include <cstddef>

#include "predict/tree.hpp"

namespace softwood {

// phi[i] = the column's value where its input is x[i], i < n. Compiled as simd/block_loops.hpp is. If no x[i] is
// `missing`, that need not be given. Inputs are taken as they are: where one lies beyond the limits of the column,
// expand_far holds it, n <= LANES.
void expand(const Column& column, const double* x, double* phi, std::size_t n, bool missing = true);
void expand_far(const Column& column, const double* x, double* phi, std::size_t n, bool missing = true);

// Whether some x[i] lies outside of low .. high, i < n.
bool is_beyond(const double* x, std::size_t n, double low, double high);

// The column that is its input itself, in place: missing values replaced, the others held between low and high.
void repair(const Column& column, double* x, std::size_t n);

}  // namespace softwood
