// Views of arrays that Python owns: pointer, sizes and strides.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softwood {

// A table of rows and columns with any strides (in elements), so C order, Fortran order and slices need no copy.
struct Table {
  const double* data;
  std::size_t rows, columns;
  std::ptrdiff_t row_stride, column_stride;

  const double& at(std::size_t row, std::size_t column) const {
    return data[static_cast<std::ptrdiff_t>(row) * row_stride + static_cast<std::ptrdiff_t>(column) * column_stride];
  }
  double operator()(std::size_t row, std::size_t column) const { return at(row, column); }
};

// A sparse table, row by row: columns increase within a row, and values not stored are 0.
struct SparseRows {
  std::size_t rows, columns;
  const std::int64_t* begin;   // rows + 1
  const std::int32_t* column;  // of each stored value
  const double* value;
};

}  // namespace softwood
