#include "core/symmetric_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/interrupt.hpp"
#include "core/machine.hpp"
#include "core/parallel.hpp"

namespace softwood::symmetric {
namespace {

constexpr double FLAT = 1e-12;  // of the mean diagonal: a smaller entry is rounding
constexpr std::size_t PANEL =
    4;  // rows of U that are taken from the rest at a time: each number is loaded once for all

// rest[j] -= sum_p by[p] row_p[j], for the rows p of a panel.
SOFTWOOD_INLINE void take(double* rest, const double* rows, std::size_t stride, std::size_t height, const double* by,
                          std::size_t from, std::size_t to) {
  if (height == PANEL) {
    const double *a = rows, *b = rows + stride, *c = rows + 2 * stride, *d = rows + 3 * stride;
    for (std::size_t j = from; j < to; ++j) rest[j] -= by[0] * a[j] + by[1] * b[j] + by[2] * c[j] + by[3] * d[j];
    return;
  }
  for (std::size_t p = 0; p < height; ++p) {
    for (std::size_t j = from; j < to; ++j) rest[j] -= by[p] * rows[p * stride + j];
  }
}

// to[j] += by * row[j]
SOFTWOOD_CLONED(void, add_row, (double* to, const double* row, double by, std::size_t from, std::size_t end),
                (to, row, by, from, end)) {
  for (std::size_t j = from; j < end; ++j) to[j] += by * row[j];
}

// to[j] += by_one * one[j] + by_two * two[j]
SOFTWOOD_CLONED(void, add_two_rows,
                (double* to, const double* one, double by_one, const double* two, double by_two, std::size_t from,
                 std::size_t end),
                (to, one, by_one, two, by_two, from, end)) {
  for (std::size_t j = from; j < end; ++j) to[j] += by_one * one[j] + by_two * two[j];
}

double hypotenuse(double a, double b) { return std::sqrt(a * a + b * b); }

// Householder's reflections make S tridiagonal, T = Q'SQ. `Q` holds S at first and the product of the reflections at
// the end, one column of it in each row.
void tridiagonal(std::vector<double>& Q, std::size_t n, std::vector<double>& diagonal, std::vector<double>& beside) {
  std::vector<double> p(n), reflect(n * n), scale(n);
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return Q[i * n + j]; };
  for (std::size_t k = 0; k + 1 < n; ++k) {
    poll_interrupt();
    double* v = &reflect[k * n];
    double size = 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      v[i] = at(k, i);
      size += v[i] * v[i];
    }
    diagonal[k] = at(k, k);
    size = std::sqrt(size);
    beside[k] = v[k + 1] > 0 ? -size : size;
    v[k + 1] -= beside[k];
    double square = 0, along = 0;
    for (std::size_t i = k + 1; i < n; ++i) square += v[i] * v[i];
    scale[k] = square > 0 ? 2 / square : 0;
    std::fill(p.begin(), p.end(), 0.0);
    for (std::size_t j = k + 1; j < n; ++j) add_row(p.data(), &at(j, 0), v[j], k + 1, n);
    for (std::size_t i = k + 1; i < n; ++i) {
      p[i] *= scale[k];
      along += p[i] * v[i];
    }
    for (std::size_t i = k + 1; i < n; ++i) p[i] -= 0.5 * scale[k] * along * v[i];
    for (std::size_t i = k + 1; i < n; ++i) add_two_rows(&at(i, 0), p.data(), -v[i], v, -p[i], k + 1, n);
  }
  diagonal[n - 1] = at(n - 1, n - 1);
  std::fill(Q.begin(), Q.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) at(i, i) = 1;
  for (std::size_t k = n; k-- > 0;) {  // Q = H_0 H_1 ...
    poll_interrupt();
    const double* v = &reflect[k * n];
    std::fill(p.begin(), p.end(), 0.0);  // v'Q
    for (std::size_t i = k + 1; i < n && scale[k] > 0; ++i) add_row(p.data(), &at(i, 0), v[i], 0, n);
    for (std::size_t i = k + 1; i < n && scale[k] > 0; ++i) add_row(&at(i, 0), p.data(), -scale[k] * v[i], 0, n);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) std::swap(at(i, j), at(j, i));
}

// Implicit QL steps with Wilkinson's shift: the tridiagonal matrix becomes diagonal, the rows of Q eigenvectors.
void diagonalize(std::vector<double>& Q, std::size_t n, std::vector<double>& d, std::vector<double>& e) {
  constexpr double EPSILON = std::numeric_limits<double>::epsilon();
  constexpr int STEPS = 60;  // per eigenvalue; two or three are usual
  for (std::size_t low = 0; low < n; ++low) {
    poll_interrupt();
    for (int step = 0; step < STEPS; ++step) {
      std::size_t high = low;  // the block from low to high does not split
      while (high + 1 < n && std::abs(e[high]) > EPSILON * (std::abs(d[high]) + std::abs(d[high + 1]))) ++high;
      if (high == low) break;
      const double half = (d[low + 1] - d[low]) / (2 * e[low]);
      const double root = hypotenuse(half, 1);
      double g = d[high] - d[low] + e[low] / (half + (half >= 0 ? root : -root));
      double sine = 1, cosine = 1, p = 0;
      for (std::size_t i = high; i-- > low;) {
        const double f = sine * e[i], b = cosine * e[i], r = hypotenuse(f, g);
        e[i + 1] = r;
        if (r == 0) {
          d[i + 1] -= p;
          break;
        }
        sine = f / r;
        cosine = g / r;
        g = d[i + 1] - p;
        const double q = (d[i] - g) * sine + 2 * cosine * b;
        p = sine * q;
        d[i + 1] = g + p;
        g = cosine * q - b;
        double *one = &Q[i * n], *two = &Q[(i + 1) * n];
        for (std::size_t j = 0; j < n; ++j) {
          const double moved = two[j];
          two[j] = sine * one[j] + cosine * moved;
          one[j] = cosine * one[j] - sine * moved;
        }
        if (i == low) {
          d[low] -= p;
          e[low] = g;
        }
      }
      e[high] = 0;
    }
  }
}

constexpr std::size_t TILE = 64;  // columns of U^-1 computed at a time
constexpr std::size_t SUMS = 8;   // of a product of two rows of a tile, side by side

// Columns `from` to `end` of W = U^-1, from the bottom: W[i] = (e_i - sum_j>i U[i][j] W[j]) / U[i][i].
SOFTWOOD_CLONED(void, invert_tile,
                (const double* U, std::size_t n, std::size_t from, std::size_t end, double* W, double* band),
                (U, n, from, end, W, band)) {
  for (std::size_t i = end; i-- > 0;) {
    const double* row = U + i * n;
    double* here = W + i * TILE;
    std::fill(here, here + TILE, 0.0);
    if (i >= from) here[i - from] = 1;
    for (std::size_t j = i + 1; j < end; j += PANEL) {
      take(here, W + j * TILE, TILE, std::min(PANEL, end - j), row + j, 0, TILE);
    }
    const double inverse = 1 / row[i];
    for (std::size_t c = 0; c < TILE; ++c) here[c] *= inverse;
  }
  for (std::size_t k = 0; k < BAND; ++k) {
    for (std::size_t i = 0; i + k < end; ++i) {
      double sum[SUMS] = {};
      for (std::size_t c = 0; c < TILE; c += SUMS) {
        for (std::size_t s = 0; s < SUMS; ++s) sum[s] += W[i * TILE + c + s] * W[(i + k) * TILE + c + s];
      }
      band[k * n + i] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    }
  }
}

}  // namespace

std::vector<double> band_of_inverse(const double* U, std::size_t n, int n_threads) {
  const std::size_t tiles = (n + TILE - 1) / TILE;
  std::vector<double> parts(tiles * BAND * n), band(BAND * n);
  for_each_piece(tiles, n_threads, [&](std::size_t tile) {
    const std::size_t from = tile * TILE, end = std::min(from + TILE, n);
    std::vector<double> W(end * TILE);
    invert_tile(U, n, from, end, W.data(), &parts[tile * BAND * n]);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) band[i % (BAND * n)] += parts[i];
  return band;
}

SOFTWOOD_CLONED(bool, factor, (double* S, std::size_t n, std::size_t stride, double tiny), (S, n, stride, tiny)) {
  double by[PANEL];
  std::vector<double> diagonal(n);
  double trace = 0;
  for (std::size_t k = 0; k < n; ++k) trace += diagonal[k] = S[k * stride + k];
  for (const double entry : diagonal) {
    if (!(entry > FLAT * trace / static_cast<double>(n))) return false;
  }
  for (std::size_t begin = 0; begin < n; begin += PANEL) {
    poll_interrupt();
    const std::size_t end = std::min(begin + PANEL, n);
    for (std::size_t k = begin; k < end; ++k) {  // the rows of the panel, by each other
      double* row = S + k * stride;
      for (std::size_t p = begin; p < k; ++p) {
        const double* above = S + p * stride;
        for (std::size_t j = k; j < n; ++j) row[j] -= above[k] * above[j];
      }
      if (!(row[k] > tiny * diagonal[k])) return false;
      const double inverse = 1 / std::sqrt(row[k]);
      for (std::size_t j = k; j < n; ++j) row[j] *= inverse;
    }
    for (std::size_t i = end; i < n; ++i) {  // the panel, from all rows below
      for (std::size_t p = begin; p < end; ++p) by[p - begin] = S[p * stride + i];
      take(S + i * stride, S + begin * stride, stride, end - begin, by, i, n);
    }
  }
  return true;
}

SOFTWOOD_CLONED(void, solve_factored,
                (const double* U, std::size_t n, std::size_t stride, double* right, std::size_t k),
                (U, n, stride, right, k)) {
  for (std::size_t i = 0; i < n; ++i) {  // U'z = right, from the top
    const double* row = U + i * stride;
    double* here = right + i * k;
    for (std::size_t c = 0; c < k; ++c) here[c] /= row[i];
    for (std::size_t j = i + 1; j < n; ++j) {
      for (std::size_t c = 0; c < k; ++c) right[j * k + c] -= row[j] * here[c];
    }
  }
  for (std::size_t i = n; i-- > 0;) {  // Ux = z, from the bottom
    const double* row = U + i * stride;
    double* here = right + i * k;
    for (std::size_t j = i + 1; j < n; ++j) {
      for (std::size_t c = 0; c < k; ++c) here[c] -= row[j] * right[j * k + c];
    }
    for (std::size_t c = 0; c < k; ++c) here[c] /= row[i];
  }
}

Eigen eigen(const double* S, std::size_t n, std::size_t stride) {
  std::vector<double> Q(n * n), d(n), e(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) Q[i * n + j] = i <= j ? S[i * stride + j] : S[j * stride + i];
  }
  if (n) tridiagonal(Q, n, d, e);
  diagonalize(Q, n, d, e);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return d[a] > d[b]; });
  Eigen found;
  for (const std::size_t i : order) {
    found.value.push_back(d[i]);
    found.vector.insert(found.vector.end(), &Q[i * n], &Q[i * n] + n);
  }
  return found;
}

std::vector<double> band_of_inverse_of_band(const double* band, std::size_t n, std::size_t stride) {
  std::vector<double> scale(n), U(n * n);  // factored with a diagonal of ones: entries may differ by many orders
  for (std::size_t i = 0; i < n; ++i) scale[i] = 1 / std::sqrt(band[i]);
  for (std::size_t k = 0; k < BAND; ++k) {
    for (std::size_t i = 0; i + k < n; ++i) U[i * n + i + k] = band[k * stride + i] * scale[i] * scale[i + k];
  }
  if (!factor(U.data(), n, n, 0.0)) return {};
  std::vector<double> found = band_of_inverse(U.data(), n, 1);
  for (std::size_t k = 0; k < BAND; ++k) {
    for (std::size_t i = 0; i + k < n; ++i) found[k * n + i] *= scale[i] * scale[i + k];
  }
  return found;
}

void solve(const double* S, std::size_t n, std::size_t stride, double* right, std::size_t k, double tiny, double part) {
  std::vector<double> U(S, S + n * stride);
  if (factor(U.data(), n, stride, tiny)) {
    solve_factored(U.data(), n, stride, right, k);
    return;
  }
  const Eigen found = eigen(S, n, stride);
  std::vector<double> given(right, right + n * k), along(k);
  std::fill(right, right + n * k, 0.0);
  double total = 0, kept = 0;
  for (const double value : found.value) total += std::max(value, 0.0);
  for (std::size_t m = 0; m < n && total > 0; ++m) {
    const double* v = &found.vector[m * n];
    std::fill(along.begin(), along.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < k; ++c) along[c] += v[i] * given[i * k + c];
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < k; ++c) right[i * k + c] += v[i] * (along[c] / found.value[m]);
    }
    kept += found.value[m];
    if (kept >= part * total) return;
  }
}

}  // namespace softwood::symmetric
