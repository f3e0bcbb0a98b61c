// Symmetric matrices, small and dense: S = U'U (Cholesky), S^-1 right, and eigenvectors.
//
// Matrices are stored row by row; of a symmetric one only the entries with row <= column are read. Every inner loop
// runs along a row, so it vectorises without a change in the order of sums.
#pragma once

#include <cstddef>
#include <vector>

namespace softwood::symmetric {

// U in place of S; false if a pivot is at most `tiny` of its diagonal, or the diagonal is nearly 0: S is singular, or
// nearly so.
bool factor(double* S, std::size_t n, std::size_t stride, double tiny);

// (U'U)^-1 right in place; right is n x k, row by row.
void solve_factored(const double* U, std::size_t n, std::size_t stride, double* right, std::size_t k);

// The diagonal of (U'U)^-1 and the two beside it, BAND x n, padded with 0; U has stride n.
constexpr std::size_t BAND = 3;
std::vector<double> band_of_inverse(const double* U, std::size_t n, int n_threads);

// The same of a symmetric matrix that is 0 beyond its band, given as that band; empty where it is not positive
// definite.
std::vector<double> band_of_inverse_of_band(const double* band, std::size_t n, std::size_t stride);

struct Eigen {
  std::vector<double> value;   // decreasing
  std::vector<double> vector;  // n x n, one in each row
};
Eigen eigen(const double* S, std::size_t n, std::size_t stride);

// S^-1 right in place; if S is singular, within the leading eigenvectors that keep `part` of its trace.
void solve(const double* S, std::size_t n, std::size_t stride, double* right, std::size_t k, double tiny, double part);

}  // namespace softwood::symmetric
