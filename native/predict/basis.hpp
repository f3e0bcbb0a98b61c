// One column of the basis, for some rows.
#pragma once

#include <cstddef>

#include "predict/tree.hpp"

namespace softwood {

// phi[i] = the column's value at x[i], i < n. Compiled like simd/block_loops.hpp. `missing` may be omitted if no x[i]
// is missing. Inputs are not clipped; expand_far clips inputs beyond the limits of the column, n <= LANES.
void expand(const Column& column, const double* x, double* phi, std::size_t n, bool missing = true);
void expand_far(const Column& column, const double* x, double* phi, std::size_t n, bool missing = true);

// Whether some x[i] lies outside of low .. high, i < n.
bool is_beyond(const double* x, std::size_t n, double low, double high);

// The identity column, in place: missing values are replaced, the others clipped to low and high.
void repair(const Column& column, double* x, std::size_t n);

}  // namespace softwood
