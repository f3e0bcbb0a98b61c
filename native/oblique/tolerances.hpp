// Sizes below which a number in this folder counts as rounding.
#pragma once

#include <limits>

#include "hard/sorted_columns.hpp"

namespace softwood::oblique {

using hard::TIE;                                                    // of kernels/contracts/growth.py
constexpr double EPSILON = std::numeric_limits<double>::epsilon();  // impurity of a pure node, relative
constexpr double NOTHING = 1e-300;                                  // divides in place of 0

}  // namespace softwood::oblique
