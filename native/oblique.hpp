// Splits along a sum of columns: groups of classes by exchange, and the best cut of a score. The definitions are
// src/softwood/kernels/reference/exchange.py and cut.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softwood::oblique {

// Numbers of src/softwood/kernels/kinds.py.
enum class Criterion : std::uint8_t { gini, entropy, error, squared_error };

// Rows of sums, C order.
struct Sums {
  const double* data;
  std::size_t rows, width;
  const double* row(std::size_t i) const { return data + i * width; }
};

// Cut of a score: gain < 0 if there is none.
struct Cut {
  double gain, at;
};

// W * impurity of a set of rows with these sums.
double loss(const double* sums, std::size_t width, Criterion criterion);

Cut best_cut(const double* score, const Sums& tally, const double* weight, Criterion criterion, double least,
             double near);

// Coefficients of the best grouping found, one a class.
std::vector<double> exchange(const Sums& projected, const double* gram, const Sums& tally, Criterion criterion);

}  // namespace softwood::oblique
