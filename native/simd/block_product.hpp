// Small matrix products over one block of 64 rows, the two in every pass of a soft tree:
//
//   form_scores:  out[form][row]      = bias[form] + sum_column weight[form][column] * x[column][row]
//   form_dots:    sum[form][column]  += sum_row coefficient[form][row] * x[column][row]
//
// over all columns or those chosen. A form is one weighted sum of columns: a gate's score, a leaf's linear response.
// Each function is compiled once for each instruction set and called once a block, so the same source runs on SSE2,
// AVX2, AVX-512 and NEON, and no pass compiles its own copy. All but SSE2 give the same bits: products are fused, and
// added up in one order (simd/dot_order.hpp).
#pragma once

#include <cstddef>

#include "simd/block.hpp"
#include "simd/occupied_columns.hpp"

namespace softwood::simd {

// Scores of all forms for the first `rows` rows, in whole steps of eight packs. `stride` is the distance between the
// weights of two forms, `bias_stride` between their biases; a null bias is 0.
void form_scores(const double* weight, std::size_t forms, std::size_t stride, const Chosen& columns, const double* bias,
                 std::size_t bias_stride, const double* x, double* out, std::size_t rows = kBlock);
void form_scores(const float* weight, std::size_t forms, std::size_t stride, const Chosen& columns, const float* bias,
                 std::size_t bias_stride, const float* x, float* out, std::size_t rows = kBlock);

// Adds to sum[form * stride + column].
void form_dots(const double* coefficient, std::size_t forms, const double* x, const Chosen& columns, double* sum,
               std::size_t stride);
void form_dots(const float* coefficient, std::size_t forms, const float* x, const Chosen& columns, double* sum,
               std::size_t stride);

// sum[form * stride] += sum_row coefficient[form][row]
void form_sums(const double* coefficient, std::size_t forms, double* sum, std::size_t stride);
void form_sums(const float* coefficient, std::size_t forms, double* sum, std::size_t stride);

// Whether the current path fuses products. If not, predictions of trees are computed gate by gate, without them.
bool products_are_fused();

}  // namespace softwood::simd
