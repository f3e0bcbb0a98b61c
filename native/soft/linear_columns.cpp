#include "soft/linear_columns.hpp"

#include <algorithm>
#include <cmath>

#include "core/machine.hpp"

namespace softwood::linear_columns {
namespace {

// A row in place, or copied to `room` if its values are not contiguous.
const double* row_of(const Table& X, std::size_t i, std::vector<double>& room) {
  if (X.column_stride == 1) return &X.at(i, 0);
  for (std::size_t j = 0; j < X.columns; ++j) room[j] = X(i, j);
  return room.data();
}

SOFTWOOD_CLONED(void, raise_largest, (const double* x, std::size_t n, double* largest), (x, n, largest)) {
  for (std::size_t j = 0; j < n; ++j) largest[j] = std::abs(x[j]) > largest[j] ? std::abs(x[j]) : largest[j];
}

SOFTWOOD_CLONED(void, add, (const double* x, std::size_t n, double share, double* mean), (x, n, share, mean)) {
  for (std::size_t j = 0; j < n; ++j) mean[j] += share * x[j];
}

SOFTWOOD_CLONED(void, add_squares, (const double* x, std::size_t n, double share, const double* mean, double* square),
                (x, n, share, mean, square)) {
  for (std::size_t j = 0; j < n; ++j) square[j] += share * ((x[j] - mean[j]) * (x[j] - mean[j]));
}

}  // namespace

// Two passes: squares about a known mean keep their precision if it is far from zero. Weights are normalised first: a
// sum of large values stays finite.
Moments find_moments(const Table& X, const double* weight) {
  const std::size_t n = X.columns;
  Moments found{true, std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  std::vector<double> room(n);
  double total = 0;
  for (std::size_t i = 0; i < X.rows; ++i) total += weight[i];
  for (std::size_t i = 0; i < X.rows; ++i) {
    const double* x = row_of(X, i, room);
    raise_largest(x, n, found.largest.data());
    add(x, n, weight[i] / total, found.mean.data());
  }
  found.whole = std::none_of(found.mean.begin(), found.mean.end(), [](double mean) { return std::isnan(mean); });
  for (std::size_t i = 0; found.whole && i < X.rows; ++i) {
    add_squares(row_of(X, i, room), n, weight[i] / total, found.mean.data(), found.spread.data());
  }
  for (double& spread : found.spread) spread = std::sqrt(spread);
  return found;
}

void make(const Table& X, const std::vector<int>& feature, const double* when_missing, const double* scale,
          const double* shift, double* phi) {
  std::vector<double> room(X.columns);
  for (std::size_t i = 0; i < X.rows; ++i) {
    const double* row = row_of(X, i, room);
    for (std::size_t j = 0; j < feature.size(); ++j) {
      const double x = row[feature[j]];
      *phi++ = (std::isnan(x) ? when_missing[j] : x) * scale[j] + shift[j];
    }
  }
}

}  // namespace softwood::linear_columns
