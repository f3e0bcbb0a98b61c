// Operations on every number of a node's rows: their scatter about a point, and their scores along directions.
#pragma once

#include <cstddef>
#include <vector>

namespace softwood::oblique {

constexpr std::size_t WIDE = 8;  // columns are padded with zeros to a multiple of this

inline std::size_t padded(std::size_t columns) { return (columns + WIDE - 1) / WIDE * WIDE; }

// Rows of padded columns, and their weights.
struct RowRange {
  const double* phi;
  const double* split_weight;
  std::size_t rows, columns, stride;
  const double* row(std::size_t i) const { return phi + i * stride; }
};

// sum_i split_weight_i (x_i - about)(x_i - about)', valid for entries with row <= column; stride x stride.
std::vector<double> scatter(const RowRange& rows, const double* about);

// S minus times * d d': from a scatter about one point to that about another.
void shift(std::vector<double>& S, const RowRange& rows, const double* d, double times);

// Scores of the rows about `mean` along one direction.
std::vector<double> score_rows(const RowRange& rows, const double* mean, const std::vector<double>& along);

// Scores of the rows about `mean` along several directions: D is columns x width, width a multiple of WIDE; the answer
// is width x rows.
std::vector<double> project(const RowRange& rows, const double* mean, const std::vector<double>& D, std::size_t width);

}  // namespace softwood::oblique
