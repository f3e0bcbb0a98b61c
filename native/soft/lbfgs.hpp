// Pieces of limited-memory BFGS that both refinements use: lbfgs.cpp without bounds, ordered_tree.cpp within bounds.
#pragma once

#include <cstddef>
#include <vector>

#include "simd/product.hpp"
#include "soft/soft_rows.hpp"

namespace softwood::soft {

inline double dot(const double* a, const double* b, std::size_t n) { return simd::dot(a, 1, b, 1, n); }

// to = from + factor * along
void move_along(const double* from, double factor, const double* along, double* to, std::size_t n);

// The penalty of all parameters; its slope is added to the gradient, which is 0 for frozen parameters.
double add_penalty(const double* at, const Penalty& penalty_terms, double* gradient, std::size_t n);

// Whether the last three iterations gained less than `tol` of the value each.
bool has_stalled(const std::vector<double>& values, double tol);

}  // namespace softwood::soft
