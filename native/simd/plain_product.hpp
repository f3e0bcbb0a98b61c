// The products of simd/block_product.hpp without vectors: one number after the other, in the order of
// simd/dot_order.hpp. They define the results of the fast ones, and run with SOFTWOOD_SIMD=plain.
#pragma once

#include <cstddef>

#include "simd/occupied_columns.hpp"

namespace softwood::simd {

// Arguments of form_scores, form_dots and form_sums.
template <class T>
struct ScoreWork {
  const T* weight;
  std::size_t forms, stride;
  const Chosen& columns;
  const T* bias;
  std::size_t bias_stride;
  const T* x;
  T* out;
  std::size_t rows;
};

template <class T>
struct DotWork {
  const T* coefficient;
  std::size_t forms;
  const T* x;
  const Chosen& columns;
  double* sum;
  std::size_t stride;
};

template <class T>
struct SumWork {
  const T* coefficient;
  std::size_t forms;
  double* sum;
  std::size_t stride;
};

void run_plain(const ScoreWork<double>& work);
void run_plain(const ScoreWork<float>& work);
void run_plain(const DotWork<double>& work);
void run_plain(const DotWork<float>& work);
void run_plain(const SumWork<double>& work);
void run_plain(const SumWork<float>& work);

}  // namespace softwood::simd
