// Small matrix products over one block of 64 rows, the two that every pass of a soft tree is made of:
//
//   form_scores:  out[form][row]      = bias[form] + sum_column weight[form][column] * x[column][row]
//   form_dots:    sum[form][column]  += sum_row coefficient[form][row] * x[column][row]
//
// Tiles of up to four forms keep their sums in registers, eight of them or more: a sum waits for its last product, and
// fewer would wait together. Everything here is inlined into functions that are compiled once
// for each instruction set (SOFTWOOD_CLONES), so the same source runs on SSE2, AVX2, AVX-512 and NEON.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "fused.hpp"
#include "machine.hpp"
#include "registers.hpp"
#include "soft.hpp"

namespace softwood::soft {

constexpr std::size_t kNear = 96;  // columns of a block that stay in the nearest cache while all forms go by

// Scores of FORMS forms for the first `rows` rows, in whole steps of eight packs; `bias` null: 0. `stride` is the
// distance between the weights of two forms. `further`: go on from the sums that `out` holds.
template <int FORMS, class T>
SOFTWOOD_INLINE void score_tile(const T* weight, std::size_t stride, std::size_t columns, const T* bias,
                                std::size_t bias_stride, const T* x, T* out, std::size_t rows, bool further) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kWidth = Lanes<T>::kWidth;
  constexpr int kPacks = FORMS > 1 ? 4 : 8;
  static_assert(kBlock % (kPacks * kWidth) == 0);
  for (std::size_t row = 0; row < rows; row += kPacks * kWidth) {
    Pack sum[FORMS][kPacks];
    for (int f = 0; f < FORMS; ++f)
      for (int i = 0; i < kPacks; ++i)
        sum[f][i] =
            further ? load(out + f * kBlock + row + i * kWidth) : Pack{} + (bias ? bias[f * bias_stride] : T(0));
    for (std::size_t c = 0; c < columns; ++c) {
      Pack value[kPacks];
      for (int i = 0; i < kPacks; ++i) value[i] = load(x + c * kBlock + row + i * kWidth);
      for (int f = 0; f < FORMS; ++f)
        for (int i = 0; i < kPacks; ++i) sum[f][i] = fused(weight[f * stride + c], value[i], sum[f][i]);
    }
    for (int f = 0; f < FORMS; ++f)
      for (int i = 0; i < kPacks; ++i) store(out + f * kBlock + row + i * kWidth, sum[f][i]);
  }
}

// Calls tile.template operator()<FORMS>(first form) until all forms are done.
template <class Tile>
SOFTWOOD_INLINE void in_tiles(std::size_t forms, Tile&& tile) {
  std::size_t f = 0;
  for (; f + 4 <= forms; f += 4) tile.template operator()<4>(f);
  if (f + 2 <= forms) tile.template operator()<2>(f), f += 2;
  if (f < forms) tile.template operator()<1>(f);
}

template <class T>
SOFTWOOD_INLINE void form_scores(const T* weight, std::size_t forms, std::size_t stride, std::size_t columns,
                                 const T* bias, std::size_t bias_stride, const T* x, T* out,
                                 std::size_t rows = kBlock) {
  std::size_t begin = 0;
  do {
    const std::size_t some = std::min(columns - begin, kNear);
    in_tiles(forms, [&]<int FORMS>(std::size_t f) SOFTWOOD_INLINE_LAMBDA {
      score_tile<FORMS>(weight + f * stride + begin, stride, some, bias ? bias + f * bias_stride : nullptr, bias_stride,
                        x + begin * kBlock, out + f * kBlock, rows, begin > 0);
    });
    begin += some;
  } while (begin < columns);
}

// total[i] += sum of the lanes of part[i], for N packs. ARM adds neighbours in one instruction.
template <class T, int N, class Pack>
SOFTWOOD_INLINE void add_sums(const Pack* part, double* total) {
#if defined(__aarch64__)
  if constexpr (std::is_same_v<T, float> && N == 4) {
    const float32x4_t all = vpaddq_f32(vpaddq_f32(part[0], part[1]), vpaddq_f32(part[2], part[3]));
    vst1q_f64(total, vaddq_f64(vld1q_f64(total), vcvt_f64_f32(vget_low_f32(all))));
    vst1q_f64(total + 2, vaddq_f64(vld1q_f64(total + 2), vcvt_high_f64_f32(all)));
    return;
  }
#endif
  for (int i = 0; i < N; ++i) {
    T all = 0;
    for (std::size_t lane = 0; lane < Lanes<T>::kWidth; ++lane) all += part[i][lane];
    total[i] += static_cast<double>(all);
  }
}

template <int FORMS, int COLUMNS, class T>
SOFTWOOD_INLINE void dot_tile(const T* coefficient, const T* x, double* sum, std::size_t stride) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kWidth = Lanes<T>::kWidth;
  constexpr int kTurns = FORMS * COLUMNS >= 8   ? 1
                         : FORMS * COLUMNS >= 4 ? 2
                                                : 4;  // packs of rows with sums of their own
  Pack total[kTurns][FORMS][COLUMNS] = {};
  for (std::size_t row = 0; row < kBlock; row += kTurns * kWidth)
    for (int turn = 0; turn < kTurns; ++turn) {
      Pack a[FORMS];
      for (int f = 0; f < FORMS; ++f) a[f] = load(coefficient + f * kBlock + row + turn * kWidth);
      for (int c = 0; c < COLUMNS; ++c) {
        const Pack b = load(x + c * kBlock + row + turn * kWidth);
        for (int f = 0; f < FORMS; ++f) total[turn][f][c] = fused(a[f], b, total[turn][f][c]);
      }
    }
  for (int f = 0; f < FORMS; ++f) {
    for (int turn = 1; turn < kTurns; ++turn)
      for (int c = 0; c < COLUMNS; ++c) total[0][f][c] += total[turn][f][c];
    add_sums<T, COLUMNS>(total[0][f], sum + f * stride);
  }
}

template <class T>
SOFTWOOD_INLINE void form_dots(const T* coefficient, std::size_t forms, const T* x, std::size_t columns, double* sum,
                               std::size_t stride) {
  in_tiles(columns, [&]<int COLUMNS>(std::size_t c) SOFTWOOD_INLINE_LAMBDA {
    in_tiles(forms, [&]<int FORMS>(std::size_t f) SOFTWOOD_INLINE_LAMBDA {
      dot_tile<FORMS, COLUMNS>(coefficient + f * kBlock, x + c * kBlock, sum + f * stride + c, stride);
    });
  });
}

// sum[form] += sum_row coefficient[form][row], forms `stride` apart in `sum`.
template <class T>
SOFTWOOD_INLINE void form_sums(const T* coefficient, std::size_t forms, double* sum, std::size_t stride) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kWidth = Lanes<T>::kWidth;
  for (std::size_t f = 0; f < forms; ++f) {
    Pack total[4] = {};
    for (std::size_t row = 0; row < kBlock; row += 4 * kWidth)
      for (int turn = 0; turn < 4; ++turn) total[turn] += load(coefficient + f * kBlock + row + turn * kWidth);
    const Pack packs = (total[0] + total[1]) + (total[2] + total[3]);
    T all = 0;
    for (std::size_t lane = 0; lane < kWidth; ++lane) all += packs[lane];
    sum[f * stride] += static_cast<double>(all);
  }
}

}  // namespace softwood::soft
