#include "oblique/scatter.hpp"

#include <algorithm>
#include <utility>

#include "core/interrupt.hpp"
#include "simd/pack.hpp"

namespace softwood::oblique {
namespace {

constexpr std::size_t BLOCK = 32;  // rows at a time, so that they and their weighted copy fit in the L1 cache
constexpr std::size_t HIGH = 4;    // rows of the scatter that are summed in registers at a time
static_assert(WIDE == PACK && WIDE % HIGH == 0);

using Register = Pack::Register;

SOFTWOOD_INLINE Register load_register(const double* from) {
  Register found;
  std::memcpy(&found, from, sizeof found);
  return found;
}

// One side of the product of a tile: numbers `step` apart are multiplied at once, `next` leads to those added after
// them.
struct Side {
  const double* from;
  std::size_t step, next;
};

// sums[a][b] += sum_i left_i[a] right_i[b] over n terms, HIGH x WIDE. The sums are indexed by numbers that the
// compiler knows, or it would keep them in memory.
template <std::size_t... I>
SOFTWOOD_INLINE void add_tile(Side left, Side right, std::size_t n, double* sums, std::size_t stride,
                              std::index_sequence<I...>) {
  constexpr std::size_t N = Pack::N;
  Register sum[] = {load_register(sums + I / N * stride + I % N * REGISTER)...};
  for (std::size_t i = 0; i < n; ++i, left.from += left.next, right.from += right.next) {
    ((sum[I] += load_register(right.from + I % N * REGISTER) * left.from[I / N * left.step]), ...);
  }
  (std::memcpy(sums + I / N * stride + I % N * REGISTER, &sum[I], sizeof(Register)), ...);
}
constexpr auto EACH = std::make_index_sequence<HIGH * Pack::N>{};

}  // namespace

SOFTWOOD_CLONED(std::vector<double>, scatter, (const RowRange& rows, const double* about), (rows, about)) {
  const std::size_t stride = rows.stride;
  std::vector<double> S(stride * stride), centred(BLOCK * stride), weighted(BLOCK * stride);
  for (std::size_t begin = 0; begin < rows.rows; begin += BLOCK) {
    if (begin % (64 * BLOCK) == 0) poll_interrupt();
    const std::size_t n = std::min(BLOCK, rows.rows - begin);
    for (std::size_t r = 0; r < n; ++r) {
      const double *x = rows.row(begin + r), split_weight = rows.split_weight[begin + r];
      for (std::size_t j = 0; j < stride; ++j) {
        centred[r * stride + j] = x[j] - about[j];
        weighted[r * stride + j] = split_weight * centred[r * stride + j];
      }
    }
    for (std::size_t i = 0; i < stride; i += HIGH) {
      for (std::size_t j = i / WIDE * WIDE; j < stride; j += WIDE) {
        add_tile({&weighted[i], 1, stride}, {&centred[j], 1, stride}, n, &S[i * stride + j], stride, EACH);
      }
    }
  }
  return S;
}

// Eight rows at once, each with its own sum.
SOFTWOOD_CLONED(std::vector<double>, score_rows,
                (const RowRange& rows, const double* mean, const std::vector<double>& along), (rows, mean, along)) {
  std::vector<double> score(rows.rows);
  std::size_t i = 0;
  for (; i + PACK <= rows.rows; i += PACK) {
    double sum[PACK] = {};
    for (std::size_t j = 0; j < rows.columns; ++j) {
      for (std::size_t r = 0; r < PACK; ++r) sum[r] += (rows.row(i + r)[j] - mean[j]) * along[j];
    }
    std::copy_n(sum, PACK, &score[i]);
  }
  for (; i < rows.rows; ++i) {
    for (std::size_t j = 0; j < rows.columns; ++j) score[i] += (rows.row(i)[j] - mean[j]) * along[j];
  }
  return score;
}

SOFTWOOD_CLONED(std::vector<double>, project,
                (const RowRange& rows, const double* mean, const std::vector<double>& D, std::size_t width),
                (rows, mean, D, width)) {
  const std::size_t n = rows.rows, whole = n / HIGH * HIGH;
  std::vector<double> projected(width * n), start(width);
  for (std::size_t j = 0; j < rows.columns; ++j) {
    for (std::size_t k = 0; k < width; ++k) start[k] -= mean[j] * D[j * width + k];
  }
  for (std::size_t i = 0; i < whole; i += HIGH) {
    for (std::size_t k = 0; k < width; k += WIDE) {
      double tile[HIGH * WIDE];
      for (std::size_t a = 0; a < HIGH; ++a) std::copy_n(&start[k], WIDE, tile + a * WIDE);
      add_tile({rows.row(i), rows.stride, 1}, {&D[k], 1, width}, rows.columns, tile, WIDE, EACH);
      for (std::size_t b = 0; b < WIDE; ++b) {
        for (std::size_t a = 0; a < HIGH; ++a) projected[(k + b) * n + i + a] = tile[a * WIDE + b];
      }
    }
  }
  for (std::size_t i = whole; i < n; ++i) {
    std::vector<double> sum(start);
    for (std::size_t j = 0; j < rows.columns; ++j) {
      for (std::size_t k = 0; k < width; ++k) sum[k] += rows.row(i)[j] * D[j * width + k];
    }
    for (std::size_t k = 0; k < width; ++k) projected[k * n + i] = sum[k];
  }
  return projected;
}

SOFTWOOD_CLONED(void, shift, (std::vector<double> & S, const RowRange& rows, const double* d, double times),
                (S, rows, d, times)) {
  for (std::size_t i = 0; i < rows.columns; ++i) {
    for (std::size_t j = i; j < rows.columns; ++j) S[i * rows.stride + j] -= times * d[i] * d[j];
  }
}

}  // namespace softwood::oblique
