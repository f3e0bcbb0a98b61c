// Views on arrays that Python owns: pointer, sizes and strides, nothing more.
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

}  // namespace softwood
