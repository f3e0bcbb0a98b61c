#include "simd/product.hpp"

#include <algorithm>
#include <vector>

#include "core/interrupt.hpp"
#include "core/machine.hpp"
#include "simd/sums.hpp"

namespace softwood::simd {
namespace {

constexpr std::size_t kHigh = 4, kWide = 8;  // of a tile of C, whose sums stay in registers

constexpr std::size_t kRows = 256;  // of A whose panels are built at a time

const double* entry(const Matrix& from, std::size_t i, std::size_t j) {
  return from.data + static_cast<std::int64_t>(i) * from.row + static_cast<std::int64_t>(j) * from.column;
}

// Tiles of A and B lie in panels: for each k of a run the kHigh (kWide) numbers of a tile side by side, 0 beyond the
// end. `across` is the distance between two of n such numbers, `along` between two k.
void pack(const double* from, std::size_t n, std::int64_t across, std::size_t run, std::int64_t along, std::size_t step,
          double* panel) {
  for (std::size_t begin = 0; begin < n; begin += step) {
    const std::size_t width = std::min(step, n - begin);
    const double* at = from + static_cast<std::int64_t>(begin) * across;
    for (std::size_t k = 0; k < run; ++k, panel += step, at += along) {
      for (std::size_t i = 0; i < width; ++i) panel[i] = at[static_cast<std::int64_t>(i) * across];
      std::fill(panel + width, panel + step, 0.0);
    }
  }
}

// C[tile] += sum over the run of a[k][i] * b[k][j], each sum from k = 0 on.
SOFTWOOD_INLINE void add_tile(const double* __restrict a, const double* __restrict b, std::size_t run, double* C,
                              std::size_t stride, std::size_t high, std::size_t wide) {
  double sum[kHigh][kWide] = {};
  for (std::size_t k = 0; k < run; ++k, a += kHigh, b += kWide)
    unrolled<kHigh>([&](auto i) SOFTWOOD_INLINE_LAMBDA {
      for (std::size_t j = 0; j < kWide; ++j) sum[i][j] += a[i] * b[j];
    });
  for (std::size_t i = 0; i < high; ++i)
    for (std::size_t j = 0; j < wide; ++j) C[i * stride + j] += sum[i][j];
}

SOFTWOOD_CLONED(void, add_run,
                (const double* a, const double* b, std::size_t rows, std::size_t columns, std::size_t run, double* C),
                (a, b, rows, columns, run, C)) {
  for (std::size_t i = 0; i < rows; i += kHigh)
    for (std::size_t j = 0; j < columns; j += kWide)
      add_tile(a + i * run, b + j * run, run, C + i * columns + j, columns, std::min(kHigh, rows - i),
               std::min(kWide, columns - j));
}

// One column of B, or one row of A: sums of kSide entries of C side by side. `x` is the vector of a run.
SOFTWOOD_CLONED(void, add_vector_run,
                (const double* matrix, std::size_t n, std::int64_t across, std::int64_t along, const double* x,
                 std::size_t run, double* C),
                (matrix, n, across, along, x, run, C)) {
  std::size_t i = 0;
  for (; i + kSide <= n; i += kSide) {
    const double* at = matrix + static_cast<std::int64_t>(i) * across;
    double sum[kSide] = {};
    if (across == 1) {
      for (std::size_t k = 0; k < run; ++k, at += along)
        for (std::size_t lane = 0; lane < kSide; ++lane) sum[lane] += at[lane] * x[k];
    } else {
      for (std::size_t k = 0; k < run; ++k, at += along)
        for (std::size_t lane = 0; lane < kSide; ++lane)
          sum[lane] += at[static_cast<std::int64_t>(lane) * across] * x[k];
    }
    for (std::size_t lane = 0; lane < kSide; ++lane) C[i + lane] += sum[lane];
  }
  for (; i < n; ++i) {
    const double* at = matrix + static_cast<std::int64_t>(i) * across;
    double sum = 0;
    for (std::size_t k = 0; k < run; ++k, at += along) sum += *at * x[k];
    C[i] += sum;
  }
}

void multiply_vector(const Matrix& matrix, bool transpose, const double* x, std::int64_t stride, double* C) {
  const std::size_t n = transpose ? matrix.columns : matrix.rows, terms = transpose ? matrix.rows : matrix.columns;
  const std::int64_t across = transpose ? matrix.column : matrix.row, along = transpose ? matrix.row : matrix.column;
  double part[kRun];
  for (std::size_t k = 0; k < terms; k += kRun) {
    const std::size_t run = std::min(kRun, terms - k);
    for (std::size_t i = 0; i < run; ++i) part[i] = x[static_cast<std::int64_t>(k + i) * stride];
    add_vector_run(matrix.data + static_cast<std::int64_t>(k) * along, n, across, along, part, run, C);
    poll_interrupt();
  }
}

}  // namespace

void multiply(const Matrix& A, const Matrix& B, double* C) {
  const std::size_t rows = A.rows, columns = B.columns, terms = A.columns;
  std::fill_n(C, rows * columns, 0.0);
  if (columns == 1) return multiply_vector(A, false, B.data, B.row, C);
  if (rows == 1) return multiply_vector(B, true, A.data, A.column, C);
  const std::size_t most = std::min(kRun, terms);
  std::vector<double> a(kRows * most), b((columns + kWide - 1) / kWide * kWide * most);
  for (std::size_t k = 0; k < terms; k += kRun) {
    const std::size_t run = std::min(kRun, terms - k);
    pack(entry(B, k, 0), columns, B.column, run, B.row, kWide, b.data());
    for (std::size_t i = 0; i < rows; i += kRows) {
      const std::size_t high = std::min(kRows, rows - i);
      pack(entry(A, i, k), high, A.row, run, A.column, kHigh, a.data());
      add_run(a.data(), b.data(), high, columns, run, C + i * columns);
      poll_interrupt();
    }
  }
}

SOFTWOOD_CLONED(void, multiply_stored,
                (const StoredMatrix& A, const double* from, std::size_t width, bool transpose, double* to),
                (A, from, width, transpose, to)) {
  for (std::size_t row = 0; row < A.rows; ++row) {
    for (std::int32_t i = A.begin[row]; i < A.begin[row + 1]; ++i) {
      const auto column = static_cast<std::size_t>(A.column[i]);
      const double* source = from + (transpose ? row : column) * width;
      double* target = to + (transpose ? column : row) * width;
      for (std::size_t j = 0; j < width; ++j) target[j] += A.value[i] * source[j];
    }
    if (row % kRows == 0) poll_interrupt();
  }
}

SOFTWOOD_CLONED(double, dot,
                (const double* a, std::int64_t a_stride, const double* b, std::int64_t b_stride, std::size_t n),
                (a, a_stride, b, b_stride, n)) {
  if (a_stride == 1 && b_stride == 1)
    return total(n, [&](std::size_t i) SOFTWOOD_INLINE_LAMBDA { return a[i] * b[i]; });
  return total(n, [&](std::size_t i) SOFTWOOD_INLINE_LAMBDA {
    return a[static_cast<std::int64_t>(i) * a_stride] * b[static_cast<std::int64_t>(i) * b_stride];
  });
}

}  // namespace softwood::simd
