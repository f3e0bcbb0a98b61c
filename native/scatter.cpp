#include "scatter.hpp"

#include <algorithm>

#include "pack.hpp"

namespace softwood::oblique {
namespace {

constexpr std::size_t BLOCK = 32;  // rows at a time, so that they and their weighted copy stay in the nearest cache
constexpr std::size_t HIGH = 4;    // rows of the scatter that are added up in registers at a time
static_assert(WIDE == PACK && WIDE % HIGH == 0);

// A tile of the scatter, HIGH x WIDE, over the rows of a block.
SOFTWOOD_INLINE void add_tile(const double* weighted, const double* centred, std::size_t rows, std::size_t stride,
                              double* S) {
  Pack sum[HIGH];
  for (std::size_t a = 0; a < HIGH; ++a) sum[a] = load(S + a * stride);
  for (std::size_t r = 0; r < rows; ++r, weighted += stride, centred += stride) {
    const Pack x = load(centred);
    for (std::size_t a = 0; a < HIGH; ++a) sum[a] = sum[a] + x * weighted[a];
  }
  for (std::size_t a = 0; a < HIGH; ++a) store(sum[a], S + a * stride);
}

}  // namespace

SOFTWOOD_CLONES
std::vector<double> scatter(const Stretch& rows, const double* about) {
  const std::size_t stride = rows.stride;
  std::vector<double> S(stride * stride), centred(BLOCK * stride), weighted(BLOCK * stride);
  for (std::size_t begin = 0; begin < rows.rows; begin += BLOCK) {
    const std::size_t n = std::min(BLOCK, rows.rows - begin);
    for (std::size_t r = 0; r < n; ++r) {
      const double *x = rows.row(begin + r), heft = rows.heft[begin + r];
      for (std::size_t j = 0; j < stride; ++j) {
        centred[r * stride + j] = x[j] - about[j];
        weighted[r * stride + j] = heft * centred[r * stride + j];
      }
    }
    for (std::size_t i = 0; i < stride; i += HIGH) {
      for (std::size_t j = i / WIDE * WIDE; j < stride; j += WIDE) {
        add_tile(&weighted[i], &centred[j], n, stride, &S[i * stride + j]);
      }
    }
  }
  return S;
}

SOFTWOOD_CLONES
void shift(std::vector<double>& S, const Stretch& rows, const double* d, double times) {
  for (std::size_t i = 0; i < rows.columns; ++i) {
    for (std::size_t j = i; j < rows.columns; ++j) S[i * rows.stride + j] -= times * d[i] * d[j];
  }
}

}  // namespace softwood::oblique
