// One block of 64 rows through a soft tree: what every pass over the rows has in common. All of it is inlined into
// functions that are compiled once for each instruction set (SOFTWOOD_CLONES).
//
//   reach[child] = reach[m] * share,   share = sigmoid(weight . phi + bias) for the first child
//   output       = offset + sum_leaf reach[leaf] * (response[leaf] + slope[leaf] . phi)
//   pull         = d loss / d output, times the row's weight
#pragma once

#include <algorithm>
#include <vector>

#include "forms.hpp"
#include "sigmoid.hpp"
#include "soft.hpp"
#include "soft_exp.hpp"
#include "soft_log.hpp"

namespace softwood::soft {

// Parameters in the type of the rows, weights and biases of the gates also as sigmoid.hpp wants them, responses
// transposed to [output][leaf]; and where each node keeps its numbers.
template <class T>
struct Plan {
  const Shape& shape;
  std::vector<T> parameter, gate, response_by_output;
  std::vector<std::size_t> place;  // leaves first, in leaf order, then branches: reach of all leaves is one table

  Plan(const Shape& s, const double* given)
      : shape(s),
        parameter(given, given + s.parameters()),
        gate(s.response_begin()),
        response_by_output(s.leaves * s.outputs),
        place(s.nodes()) {
    for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = static_cast<T>(Sigmoid<double>::kToBits * given[i]);
    const double* response = given + s.response_begin();
    for (std::size_t leaf = 0; leaf < s.leaves; ++leaf)
      for (std::size_t q = 0; q < s.outputs; ++q)
        response_by_output[q * s.leaves + leaf] = static_cast<T>(response[leaf * s.outputs + q]);
    for (std::size_t m = 0; m < s.nodes(); ++m)
      place[m] = s.first_child[m] < 0 ? static_cast<std::size_t>(s.leaf[m]) : s.leaves + s.gate[m];
  }
};

template <class T>
struct Workspace {
  std::vector<T> share, reach, value, output, pull, slope_score, slope_reach, coefficient;
  std::vector<T> scratch;  // columns of one block, where the rows make them when asked
  const T* phi = nullptr;
  Chosen columns = 0;  // of phi that are to be gone over

  Workspace(const SoftRows<T>& rows, const Shape& s)
      : share(s.gates * kBlock),
        reach(s.nodes() * kBlock),
        value(s.nodes() * kBlock),
        output(s.outputs * kBlock),
        pull(s.outputs * kBlock),
        slope_score(s.slopes * s.outputs * kBlock),
        slope_reach(s.slopes * kBlock),
        coefficient(std::max(s.gates, s.slopes * s.outputs) * kBlock),
        scratch(rows.phi ? 0 : s.columns * kBlock) {}
};

// How many threads a pass is worth: to call for help takes as long as some ten thousand products.
template <class T>
int crew_for(const SoftRows<T>& rows, const Shape& s, int n_threads) {
  constexpr std::size_t kWorth = 200'000;
  return rows.rows * (s.columns + 1) * (s.gates + s.slopes * s.outputs + 1) < kWorth ? 1 : n_threads;
}

template <class T>
SOFTWOOD_INLINE void send(const T* __restrict from, const T* __restrict share, T* __restrict first,
                          T* __restrict second) {
  for (std::size_t row = 0; row < kBlock; ++row) {
    first[row] = from[row] * share[row];
    second[row] =
        from[row] * (T(1) - share[row]);  // not from - first: where the share is nearly 1 nothing would remain
  }
}

// Reach of every node and the output, for one block.
template <class T>
SOFTWOOD_INLINE void forward(const SoftRows<T>& rows, const Plan<T>& plan, std::size_t block, Workspace<T>& w) {
  const Shape& s = plan.shape;
  const T* x = w.phi = rows.columns_of(block, w.scratch.data());
  const T* gate = plan.gate.data();
  w.columns = rows.chosen_in(block);
  form_scores(gate, s.gates, s.columns + 1, w.columns, gate + s.columns, s.columns + 1, x, w.share.data());
  squash_bits<4>(w.share.data(), s.gates * kBlock);
  T* root = w.reach.data() + plan.place[0] * kBlock;
  if (rows.arrival.empty())
    std::fill(root, root + kBlock, T(1));
  else
    std::copy_n(rows.arrival.data() + block * kBlock, kBlock, root);
  for (std::size_t m = 0; m < s.nodes(); ++m)
    if (s.first_child[m] >= 0)
      send(w.reach.data() + plan.place[m] * kBlock, w.share.data() + s.gate[m] * kBlock,
           w.reach.data() + plan.place[s.first_child[m]] * kBlock,
           w.reach.data() + plan.place[s.first_child[m] + 1] * kBlock);
  form_scores(plan.response_by_output.data(), s.outputs, s.leaves, s.leaves, static_cast<const T*>(nullptr), 0,
              w.reach.data(), w.output.data());
  if (!rows.offset.empty()) {
    const T* offset = rows.offset.data() + block * s.outputs * kBlock;
    for (std::size_t i = 0; i < s.outputs * kBlock; ++i) w.output[i] += offset[i];
  }
  if (s.slopes == 0) return;
  form_scores(plan.parameter.data() + s.slope_begin(), s.slopes * s.outputs, s.columns, w.columns,
              static_cast<const T*>(nullptr), 0, x, w.slope_score.data());
  std::fill(w.slope_reach.begin(), w.slope_reach.end(), T(0));
  for (std::size_t leaf = 0; leaf < s.leaves; ++leaf)
    if (s.slope_row[leaf] >= 0)
      for (std::size_t row = 0; row < kBlock; ++row)
        w.slope_reach[s.slope_row[leaf] * kBlock + row] += w.reach[leaf * kBlock + row];
  for (std::size_t slope = 0; slope < s.slopes; ++slope)
    for (std::size_t q = 0; q < s.outputs; ++q)
      for (std::size_t row = 0; row < kBlock; ++row)
        w.output[q * kBlock + row] +=
            w.slope_reach[slope * kBlock + row] * w.slope_score[(slope * s.outputs + q) * kBlock + row];
}

// Loss of every row (without its weight) into `loss`, and d loss / d output into w.pull, times the row's weight.
template <class T>
SOFTWOOD_INLINE void squared(const T* target, const T* weight, std::size_t outputs, Workspace<T>& w, T* loss) {
  std::fill(loss, loss + kBlock, T(0));
  for (std::size_t q = 0; q < outputs; ++q)
    for (std::size_t row = 0; row < kBlock; ++row) {
      const T error = w.output[q * kBlock + row] - target[q * kBlock + row];
      w.pull[q * kBlock + row] = weight[row] * error;
      loss[row] += T(0.5) * error * error;
    }
}

template <class T>
SOFTWOOD_INLINE void logistic(const T* target, const T* weight, Workspace<T>& w, T* loss) {
  T tail[kBlock];
  for (std::size_t row = 0; row < kBlock; ++row) {
    const T f = w.output[row];
    tail[row] = vector_exp(f > T(0) ? -f : f);
    const T p = (f > T(0) ? T(1) : tail[row]) / (T(1) + tail[row]);
    w.pull[row] = weight[row] * (p - target[row]);
  }
  for (std::size_t row = 0; row < kBlock; ++row) {
    const T f = w.output[row];
    loss[row] = (f > T(0) ? f : T(0)) + vector_log1p(tail[row]) - target[row] * f;
  }
}

template <class T>
SOFTWOOD_INLINE void softmax(const T* target, const T* weight, std::size_t outputs, Workspace<T>& w, T* loss) {
  T top[kBlock], sum[kBlock];
  std::copy_n(w.output.data(), kBlock, top);
  for (std::size_t q = 1; q < outputs; ++q)
    for (std::size_t row = 0; row < kBlock; ++row) top[row] = std::max(top[row], w.output[q * kBlock + row]);
  std::fill(sum, sum + kBlock, T(0));
  std::fill(loss, loss + kBlock, T(0));
  for (std::size_t q = 0; q < outputs; ++q)
    for (std::size_t row = 0; row < kBlock; ++row) {
      const T f = w.output[q * kBlock + row] - top[row];
      loss[row] -= target[q * kBlock + row] * f;
      w.pull[q * kBlock + row] = vector_exp(f);
      sum[row] += w.pull[q * kBlock + row];
    }
  for (std::size_t row = 0; row < kBlock; ++row) loss[row] += vector_log(sum[row]);
  for (std::size_t q = 0; q < outputs; ++q)
    for (std::size_t row = 0; row < kBlock; ++row)
      w.pull[q * kBlock + row] = weight[row] * (w.pull[q * kBlock + row] / sum[row] - target[q * kBlock + row]);
}

template <class T>
SOFTWOOD_INLINE void block_loss(const SoftRows<T>& rows, std::size_t block, Workspace<T>& w, T* loss) {
  const T* target = rows.target->data() + block * rows.outputs * kBlock;
  const T* weight = rows.weight->data() + block * kBlock;
  if (rows.loss == Loss::kSquared)
    squared(target, weight, rows.outputs, w, loss);
  else if (rows.loss == Loss::kLogistic)
    logistic(target, weight, w, loss);
  else
    softmax(target, weight, rows.outputs, w, loss);
}

}  // namespace softwood::soft
