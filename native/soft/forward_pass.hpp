// One block of 64 rows through a soft tree: the common part of every pass over the rows. Compiled once for each
// instruction set (SOFTWOOD_CLONED) and called once per block.
//
//   reach[child] = reach[m] * share,   share = sigmoid(weight . phi + bias) for the first child
//   output       = offset + sum_leaf reach[leaf] * (response[leaf] + slope[leaf] . phi + own_slope[leaf] . own_phi)
//   output_slope = d loss / d output, times the row's weight
//
// If leaves mix answers, link(response[leaf]) replaces response[leaf], and there are no slopes
// (soft/leaf_link.hpp).
#pragma once

#include <algorithm>
#include <vector>

#include "simd/sigmoid.hpp"
#include "soft/form_tables.hpp"
#include "soft/leaf_link.hpp"
#include "soft/soft_rows.hpp"

namespace softwood::soft {

// Parameters in the type of the rows, responses after the leaf link; weights and biases of the gates also in the form
// for simd/sigmoid.hpp, responses transposed to [output][leaf]; and the index of each node's parameters.
template <class T>
struct Plan {
  const Shape& shape;
  std::vector<T> parameter, gate, response_by_output;
  std::vector<std::size_t> place;  // leaves first, in leaf order, then branches: reach of all leaves is one table
  FormTables<T> tables;            // of gates, then slopes, if the rows use tables

  Plan(const SoftRows<T>& rows, const Shape& s, const double* given)
      : shape(s),
        parameter(given, given + s.parameters()),
        gate(s.response_begin()),
        response_by_output(s.leaves * s.outputs),
        place(s.nodes()) {
    for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = static_cast<T>(Sigmoid<double>::kToBits * given[i]);
    std::vector<double> answer(given + s.response_begin(), given + s.slope_begin());
    answer_leaves(rows.loss, answer.data(), s.leaves, s.outputs);
    T* response = parameter.data() + s.response_begin();
    for (std::size_t leaf = 0; leaf < s.leaves; ++leaf)
      for (std::size_t q = 0; q < s.outputs; ++q) {
        response[leaf * s.outputs + q] = static_cast<T>(answer[leaf * s.outputs + q]);
        response_by_output[q * s.leaves + leaf] = response[leaf * s.outputs + q];
      }
    for (std::size_t m = 0; m < s.nodes(); ++m)
      place[m] = s.first_child[m] < 0 ? static_cast<std::size_t>(s.leaf[m]) : s.leaves + s.gate[m];
    if (rows.by_tables()) tables = FormTables<T>(*rows.expansion, forms());
  }

 private:
  std::vector<Form<T>> forms() const {
    std::vector<Form<T>> found;
    const T *weight = gate.data(), *slope = parameter.data() + shape.slope_begin();
    for (std::size_t g = 0; g < shape.gates; ++g, weight += shape.columns + 1)
      found.push_back({weight, weight[shape.columns]});
    for (std::size_t q = 0; q < shape.slopes * shape.outputs; ++q, slope += shape.columns)
      found.push_back({slope, T(0)});
    return found;
  }
};

// Own slopes of all leaves and outputs; empty if no column has any.
inline std::size_t own_forms(const Shape& s) { return s.own_columns.empty() ? 0 : s.leaves * s.outputs; }

template <class T>
struct Workspace {
  std::vector<T> share, reach, value, output, output_slope, slope_score, slope_reach, coefficient;
  std::vector<T> own_phi, own_score;  // the own columns of a block, and what the own slopes of each leaf make of them
  std::vector<T> scratch;  // columns of one block, where the rows make them when asked; scores of all forms by tables
  const T* phi = nullptr;
  Chosen columns = 0;  // columns of phi to visit

  Workspace(const SoftRows<T>& rows, const Shape& s)
      : share(s.gates * kBlock),
        reach(s.nodes() * kBlock),
        value(s.nodes() * kBlock),
        output(s.outputs * kBlock),
        output_slope(s.outputs * kBlock),
        slope_score(s.slopes * s.outputs * kBlock),
        slope_reach(s.slopes * kBlock),
        coefficient(std::max({s.gates, s.slopes * s.outputs, own_forms(s)}) * kBlock),
        own_phi(s.own_columns.size() * kBlock),
        own_score(own_forms(s) * kBlock),
        scratch((rows.phi           ? 0
                 : rows.by_tables() ? Tiles::of<T>(s.gates + s.slopes * s.outputs).forms()
                                    : s.columns) *
                kBlock) {}
};

// The number of threads for a pass: waking one takes as long as about ten thousand products.
template <class T>
int threads_for(const SoftRows<T>& rows, const Shape& s, int n_threads) {
  constexpr std::size_t kWorth = 200'000;
  const std::size_t columns = rows.by_tables() ? 4 * rows.expansion->used.size() : s.columns;
  return rows.rows * (columns + 1) * (s.gates + s.slopes * s.outputs + 1) < kWorth ? 1 : n_threads;
}

// Reach of every node and the output, for one block.
void forward(const SoftRows<double>& rows, const Plan<double>& plan, std::size_t block, Workspace<double>& w);
void forward(const SoftRows<float>& rows, const Plan<float>& plan, std::size_t block, Workspace<float>& w);

// Loss of every row (without its weight) into `loss`, and d loss / d output into w.output_slope, times the row's
// weight.
void block_loss(const SoftRows<double>& rows, std::size_t block, Workspace<double>& w, double* loss);
void block_loss(const SoftRows<float>& rows, std::size_t block, Workspace<float>& w, float* loss);

}  // namespace softwood::soft
