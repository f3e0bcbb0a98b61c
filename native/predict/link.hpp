// From outputs to predictions, row by row; the native twin of apply_link in src/softwood/kernels/formulas/equation.py.
//
//     identity   the outputs
//     sigmoid    p = 1 / (1 + exp(-output)); of a single output 1 - p and p, the probabilities of two classes
//     softmax    exp(output_k) / sum_q exp(output_q)
//
// The exponential is the library's and sums run in NumPy's order, so that predictions equal the reference to the last
// bit unless NumPy uses its own exponential (for AVX-512, which sometimes differs in the last bit).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kinds.hpp"

namespace softwood {

// Number of answers per row.
inline std::size_t count_answers(Link link, std::size_t n_outputs) {
  return link == Link::sigmoid && n_outputs == 1 ? 2 : n_outputs;
}

// output: (rows, n_outputs), answer: (rows, answers), C order; the two must not overlap.
void apply_link(Link link, const double* output, std::size_t rows, std::size_t n_outputs, double* answer);

// Index of the largest answer of every row, on ties the first; NaN counts as largest, as in NumPy.
void find_largest(const double* answer, std::size_t rows, std::size_t n_answers, std::int64_t* place);

}  // namespace softwood
