// One row through a budding tree: outputs upwards, slopes downwards. Inlined into functions that are compiled once for
// each instruction set.
//
// Branches are listed (`Trace::branch`), so that leaves only cost their response; K is the number of outputs, 0 if
// known only at run time.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "budding/four_lanes.hpp"
#include "simd/scalar_exp.hpp"
#include "soft/number_losses.hpp"

namespace softwood::budding {

// A branch and its first child.
struct Branch {
  std::int32_t node, first;
};

// The values of a row: per branch its share and the gradient of the gate's score, per node (and output) response,
// output, mix of the children and slope. Branches are padded to whole lanes.
template <class T>
struct Trace {
  using Word = typename Lane<T>::Word;
  std::vector<Branch> branch;
  std::size_t branches = 0;
  std::vector<T> share, gate_gradient, output, mix, delta, response;
  std::vector<Word> is_leaf, is_branch;  // masks: all bits or none; none after the last node

  Trace(const OnlineState<T>& state)
      : share(padded(state.room)),
        gate_gradient(padded(state.room)),
        output(padded(state.room * state.outputs)),
        mix(padded(state.room * state.outputs)),
        delta(padded(state.room * state.outputs)),
        response(state.linear ? padded(state.room * state.outputs) : 0),
        is_leaf(padded(state.room)),
        is_branch(padded(state.room)) {
    follow(state);
  }

  // Update the list after branches changed.
  void follow(const OnlineState<T>& state) {
    branch.clear();
    for (std::size_t m = 0; m < is_leaf.size(); ++m) {
      const bool node = m < state.count(), splits = node && state.first_child[m] >= 0;
      is_leaf[m] = Word(0) - Word(node && !splits), is_branch[m] = Word(0) - Word(splits);
      if (splits) branch.push_back({static_cast<std::int32_t>(m), state.first_child[m]});
    }
    branches = branch.size();
    while (branch.size() % kLanes) branch.push_back(branch.back());
    std::fill(mix.begin(), mix.end(), T(0));
    std::fill(delta.begin(), delta.end(), T(0));
  }
};

// Shares of all branches, four at a time.
template <class T>
SOFTWOOD_INLINE void find_shares(const OnlineState<T>& state, const T* x, Trace<T>& trace) {
  for (std::size_t b = 0; b < trace.branches; b += kLanes) {
    const auto gate = [&](std::size_t i) SOFTWOOD_INLINE_LAMBDA {
      return state.gate(static_cast<std::size_t>(trace.branch[b + i].node));
    };
    const T* const gates[kLanes] = {gate(0), gate(1), gate(2), gate(3)};
    set_four<T>(&trace.share[b], squash_four<T>(dot_four(gates, x, state.width)));
  }
}

// Constant responses are in the state; linear ones are computed for the row.
template <class T>
SOFTWOOD_INLINE const T* find_responses(const OnlineState<T>& state, const T* x, Trace<T>& trace) {
  if (!state.linear) return state.response(0);
  const T* from = state.response(0);
  for (std::size_t i = 0; i < state.count() * state.outputs; ++i)
    trace.response[i] = dot(from + i * state.width, x, state.width);
  return trace.response.data();
}

template <int K, class T>
SOFTWOOD_INLINE const T* forward(const OnlineState<T>& state, const T* x, Trace<T>& trace) {
  const std::size_t k = K ? K : state.outputs;
  find_shares(state, x, trace);
  const T* responses = find_responses(state, x, trace);
  T* outputs = trace.output.data();
  for (std::size_t i = 0; i < state.count() * k; i += kLanes) set_four<T>(outputs + i, four(responses + i));
  for (std::size_t b = trace.branches; b-- > 0;) {
    const auto m = static_cast<std::size_t>(trace.branch[b].node);
    const T* first = outputs + static_cast<std::size_t>(trace.branch[b].first) * k;
    const T leafness = state.leafness(m), share = trace.share[b];
    for (std::size_t q = 0; q < k; ++q) {
      const T mix = share * first[q] + (1 - share) * first[k + q];
      trace.mix[m * k + q] = mix;
      outputs[m * k + q] = leafness * responses[m * k + q] + (1 - leafness) * mix;
    }
  }
  return responses;
}

// The loss of the outputs; `delta` gets its slope.
template <class T>
SOFTWOOD_INLINE double loss_and_slope(LossKind loss, double parameter, const T* output, const T* target, std::size_t k,
                                      T* delta) {
  double value = 0;
  if (loss == LossKind::squared) {
    for (std::size_t q = 0; q < k; ++q) {
      delta[q] = output[q] - target[q];
      value += 0.5 * double(delta[q]) * double(delta[q]);
    }
    return value;
  }
  if (loss == LossKind::logistic) {
    const double out = output[0], low = simd::vector_exp(-std::abs(out));
    delta[0] = static_cast<T>((out < 0 ? low : 1.0) / (1 + low) - target[0]);
    return std::max(out, 0.0) + simd::vector_log1p(low) - target[0] * out;
  }
  if (loss != LossKind::softmax) {
    soft::with_number_loss(loss, parameter, [&](auto&& term) SOFTWOOD_INLINE_LAMBDA {
      for (std::size_t q = 0; q < k; ++q) {
        const auto found = term(double(output[q]), double(target[q]));
        delta[q] = static_cast<T>(found.slope);
        value += found.value;
      }
    });
    return value;
  }
  const double top = *std::max_element(output, output + k);
  double sum = 0;
  for (std::size_t q = 0; q < k; ++q) {
    const double part = simd::vector_exp(output[q] - top);
    sum += part;
    delta[q] = static_cast<T>(part);
    value -= target[q] * (output[q] - top);
  }
  for (std::size_t q = 0; q < k; ++q) delta[q] = static_cast<T>(delta[q] / sum) - target[q];
  return value + simd::vector_log(sum);
}

// From the slope of the root's output to those of all nodes, and the slope of each gate's score.
template <int K, class T>
SOFTWOOD_INLINE void backward(const OnlineState<T>& state, Trace<T>& trace) {
  const std::size_t k = K ? K : state.outputs;
  T* delta = trace.delta.data();
  const T* output = trace.output.data();
  for (std::size_t b = 0; b < trace.branches; ++b) {
    const auto m = static_cast<std::size_t>(trace.branch[b].node);
    const std::size_t first = static_cast<std::size_t>(trace.branch[b].first) * k;
    const T rest = 1 - state.leafness(m), share = trace.share[b];
    T along = 0;
    for (std::size_t q = 0; q < k; ++q) {
      const T passed = delta[m * k + q] * rest;
      delta[first + q] = passed * share;
      delta[first + k + q] = passed * (1 - share);
      along += passed * (output[first + q] - output[first + k + q]);
    }
    trace.gate_gradient[b] = along * share * (1 - share);
  }
}

}  // namespace softwood::budding
