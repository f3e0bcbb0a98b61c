// Products of matrices and vectors, each sum in the same order on every machine; a BLAS uses an order that depends on
// the processor and its threads.
//
//   multiply  C[i][j] = sum_k A[i][k] B[k][j]: sums of kRun products one after the other, added up one after the other
//   dot       sum_k a[k] b[k]: eight sums side by side (simd/sums.hpp)
//
// Products are not fused. The order depends only on the number of terms, never on the layout of the matrices.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softwood::simd {

// A matrix of any layout: entry (i, j) is at data[i * row + j * column].
struct Matrix {
  const double* data;
  std::size_t rows, columns;
  std::int64_t row, column;
};

constexpr std::size_t kRun = 256;

// C is A.rows x B.columns, row by row; A.columns = B.rows.
void multiply(const Matrix& A, const Matrix& B, double* C);

// Sparse rows: row r has column[i], value[i] for i from begin[r] to begin[r + 1]. Sums run over the rows, and within a
// row over its entries, in order.
struct StoredMatrix {
  const std::int32_t* begin;
  const std::int32_t* column;
  const double* value;
  std::size_t rows;
};

// to[r] += sum_i value[i] from[column[i]], or with `transpose` to[column[i]] += value[i] from[r]; `width` numbers each.
void multiply_stored(const StoredMatrix& A, const double* from, std::size_t width, bool transpose, double* to);

double dot(const double* a, std::int64_t a_stride, const double* b, std::int64_t b_stride, std::size_t n);

}  // namespace softwood::simd
