// Small matrix products over one block of 64 rows, the two that every pass of a soft tree is made of:
//
//   form_scores:  out[form][row]      = bias[form] + sum_column weight[form][column] * x[column][row]
//   form_dots:    sum[form][column]  += sum_row coefficient[form][row] * x[column][row]
//
// Tiles of four forms keep their sums in registers. Everything here is inlined into functions that are compiled once
// for each instruction set (SOFTWOOD_CLONES), so the same source runs on SSE2, AVX2, AVX-512 and NEON.
#pragma once

#include <cstddef>

#include "fused.hpp"
#include "machine.hpp"
#include "registers.hpp"
#include "soft.hpp"

namespace softwood::soft {

// Scores of FORMS forms; `bias` null: 0. `stride` is the distance between the weights of two forms.
template <int FORMS, class T>
SOFTWOOD_INLINE void score_tile(const T* weight, std::size_t stride, std::size_t columns, const T* bias,
                                std::size_t bias_stride, const T* x, T* out) {
  using Pack = typename Lanes<T>::Pack;
  constexpr int kPacks = 4;
  constexpr std::size_t kWidth = Lanes<T>::kWidth;
  for (std::size_t row = 0; row < kBlock; row += kPacks * kWidth) {
    Pack sum[FORMS][kPacks];
    for (int f = 0; f < FORMS; ++f)
      for (int i = 0; i < kPacks; ++i) sum[f][i] = Pack{} + (bias ? bias[f * bias_stride] : T(0));
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

template <class T>
SOFTWOOD_INLINE void form_scores(const T* weight, std::size_t forms, std::size_t stride, std::size_t columns,
                                 const T* bias, std::size_t bias_stride, const T* x, T* out) {
  std::size_t f = 0;
  auto at = [&](std::size_t form) { return bias ? bias + form * bias_stride : nullptr; };
  for (; f + 4 <= forms; f += 4)
    score_tile<4>(weight + f * stride, stride, columns, at(f), bias_stride, x, out + f * kBlock);
  for (; f + 2 <= forms; f += 2)
    score_tile<2>(weight + f * stride, stride, columns, at(f), bias_stride, x, out + f * kBlock);
  for (; f < forms; ++f) score_tile<1>(weight + f * stride, stride, columns, at(f), bias_stride, x, out + f * kBlock);
}

template <int FORMS, int COLUMNS, class T>
SOFTWOOD_INLINE void dot_tile(const T* coefficient, const T* x, double* sum, std::size_t stride) {
  using Pack = typename Lanes<T>::Pack;
  Pack total[FORMS][COLUMNS];
  for (int f = 0; f < FORMS; ++f)
    for (int c = 0; c < COLUMNS; ++c) total[f][c] = Pack{};
  for (std::size_t row = 0; row < kBlock; row += Lanes<T>::kWidth) {
    Pack a[FORMS];
    for (int f = 0; f < FORMS; ++f) a[f] = load(coefficient + f * kBlock + row);
    for (int c = 0; c < COLUMNS; ++c) {
      const Pack b = load(x + c * kBlock + row);
      for (int f = 0; f < FORMS; ++f) total[f][c] = fused(a[f], b, total[f][c]);
    }
  }
  for (int f = 0; f < FORMS; ++f)
    for (int c = 0; c < COLUMNS; ++c) {
      T all = 0;
      for (std::size_t lane = 0; lane < Lanes<T>::kWidth; ++lane) all += total[f][c][lane];
      sum[f * stride + c] += static_cast<double>(all);
    }
}

template <int FORMS, class T>
SOFTWOOD_INLINE void dot_forms(const T* coefficient, const T* x, std::size_t columns, double* sum, std::size_t stride) {
  std::size_t c = 0;
  for (; c + 4 <= columns; c += 4) dot_tile<FORMS, 4>(coefficient, x + c * kBlock, sum + c, stride);
  for (; c < columns; ++c) dot_tile<FORMS, 1>(coefficient, x + c * kBlock, sum + c, stride);
}

template <class T>
SOFTWOOD_INLINE void form_dots(const T* coefficient, std::size_t forms, const T* x, std::size_t columns, double* sum,
                               std::size_t stride) {
  std::size_t f = 0;
  for (; f + 4 <= forms; f += 4) dot_forms<4>(coefficient + f * kBlock, x, columns, sum + f * stride, stride);
  for (; f + 2 <= forms; f += 2) dot_forms<2>(coefficient + f * kBlock, x, columns, sum + f * stride, stride);
  for (; f < forms; ++f) dot_forms<1>(coefficient + f * kBlock, x, columns, sum + f * stride, stride);
}

}  // namespace softwood::soft
