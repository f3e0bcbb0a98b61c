// One update of a budding tree by a row or a batch of rows, for any type of number. Everything but `move_by_gradients`
// is inlined into the functions that each type's source compiles.
#pragma once

#include <algorithm>
#include <vector>

#include "budding/optimizer.hpp"
#include "budding/row_gradient.hpp"
#include "core/interrupt.hpp"
#include "core/parallel.hpp"

namespace softwood::budding {

constexpr std::size_t kPiece = 1024;  // rows per thread and piece in predictions
constexpr std::size_t kOften = 256;   // rows between two polls for an interrupt
constexpr std::size_t kAhead = 2;     // rows between prefetching one and learning from it
constexpr std::size_t kLine = 64;     // bytes of a cache line

// A state during training: the constants of all rows, and room for slopes.
template <class T>
struct Updater {
  OnlineState<T>& state;
  const OnlineOptions& options;
  Trace<T> trace;
  std::vector<T> one;  // slopes of a single row; a batch's are the state's own
  T* slope;
  bool fused;  // gates are updated as soon as their slope is known, without storing it
  bool quick;  // as are responses and leafness

  Updater(OnlineState<T>& state, const OnlineOptions& options)
      : state(state),
        options(options),
        trace(state),
        one(options.batch == 1 ? state.size() : 0),
        slope(options.batch == 1 ? one.data() : state.pending),
        fused(options.batch == 1 && options.rule == Rule::kAdagrad && options.weight_penalty == 0),
        quick(fused && state.outputs == 1 && !state.linear) {}
};

// Update the parameters with stored gradients: all but gates that were updated already. Called once per row or batch;
// each type's source compiles it, online_update.cpp for each instruction set, online_update_float64.cpp once.
void move_by_gradients(Updater<float>& updater);
void move_by_gradients(Updater<double>& updater);

// slope = value, or += in a batch.
template <bool BATCH, class T>
SOFTWOOD_INLINE void write_slope(T& slope, T value) {
  slope = BATCH ? slope + value : value;
}

// slope (+)= factor * x over whole lanes.
template <bool BATCH, class T>
SOFTWOOD_INLINE void write_slope(T* slope, T factor, const T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kLanes)
    set_four<T>(slope + i, BATCH ? fused_four<T>(all(factor), four(x + i), four(slope + i)) : factor * four(x + i));
}

// AdaGrad on gates, two at a time, without storing slopes.
template <class T>
SOFTWOOD_INLINE void adagrad_on_gates(Updater<T>& updater, const T* x) {
  const OnlineState<T>& state = updater.state;
  const Trace<T>& trace = updater.trace;
  const T step = static_cast<T>(updater.options.step);
  const auto gate = [&](std::size_t b) SOFTWOOD_INLINE_LAMBDA {
    const std::size_t at = static_cast<std::size_t>(trace.branch[b].node) * state.width;
    return Moved<T>{state.number + at, state.memory + at, trace.gate_gradient[b]};
  };
  std::size_t b = 0;
  for (; b + 2 <= trace.branches; b += 2) adagrad({gate(b), gate(b + 1)}, x, state.width, step);
  if (b < trace.branches) adagrad({gate(b)}, x, state.width, step);
}

// Slopes by gates.
template <bool BATCH, class T>
SOFTWOOD_INLINE void add_gate_gradients(Updater<T>& updater, const T* x, T weight) {
  const OnlineState<T>& state = updater.state;
  const std::size_t width = state.width;
  const T decay = static_cast<T>(updater.options.weight_penalty) * weight;
  const Trace<T>& trace = updater.trace;
  for (std::size_t b = 0; b < trace.branches; ++b) {
    const std::size_t at = static_cast<std::size_t>(trace.branch[b].node) * width;
    write_slope<BATCH>(updater.slope + at, trace.gate_gradient[b], x, width);
    if (decay != 0)
      for (std::size_t i = 1; i < width; ++i) updater.slope[at + i] += decay * state.number[at + i];
  }
}

// AdaGrad on constant responses of one output and on leafness, without storing slopes; B vectors of nodes.
template <int B, class T>
SOFTWOOD_INLINE void move_answers(Updater<T>& updater, std::size_t m, T penalty, T step) {
  const OnlineState<T>& state = updater.state;
  const Trace<T>& trace = updater.trace;
  T* const at[2] = {state.number + state.responses() + m, state.number + state.leafnesses() + m};
  T* const memory_at[2] = {state.memory + state.responses() + m, state.memory + state.leafnesses() + m};
  Four<T> number[2 * B], memory[2 * B], slope[2 * B];
  for (int i = 0; i < 2 * B; ++i) number[i] = four(at[i % 2] + i / 2 * kLanes);
  for (int i = 0; i < 2 * B; ++i) memory[i] = four(memory_at[i % 2] + i / 2 * kLanes);
  for (int i = 0; i < B; ++i) {
    const std::size_t here = m + i * kLanes;
    const Four<T> delta = four(&trace.delta[here]);
    const Bits<T> node = masks<T>(&trace.is_leaf[here]) | masks<T>(&trace.is_branch[here]);
    slope[2 * i] = delta * number[2 * i + 1];
    slope[2 * i + 1] = delta * (number[2 * i] - four(&trace.mix[here])) - (Four<T>)((Bits<T>)all(penalty) & node);
  }
  adagrad_vectors<2 * B, T>(number, memory, slope, step);
  for (int i = 0; i < 2 * B; ++i) set_four<T>(memory_at[i % 2] + i / 2 * kLanes, memory[i]);
  for (int i = 0; i < 2 * B; ++i) set_four<T>(at[i % 2] + i / 2 * kLanes, number[i]);
}

template <class T>
SOFTWOOD_INLINE void move_answers(Updater<T>& updater, T weight) {
  const T penalty = static_cast<T>(updater.options.leafness_penalty) * weight,
          step = static_cast<T>(updater.options.step) * kRoot<T>;
  const std::size_t n = updater.state.count();
  std::size_t m = 0;
  for (; m + 2 * kLanes <= padded(n); m += 2 * kLanes) move_answers<2>(updater, m, penalty, step);
  if (m < n) move_answers<1>(updater, m, penalty, step);
}

// Slopes by responses and leafness, from those of the outputs.
template <int K, bool BATCH, class T>
SOFTWOOD_INLINE void add_answer_gradients(Updater<T>& updater, const T* responses, const T* x, T weight) {
  const OnlineState<T>& state = updater.state;
  const std::size_t n = state.count(), k = K ? K : state.outputs, all_answers = n * state.answer();
  const T penalty = static_cast<T>(updater.options.leafness_penalty) * weight;
  const T *delta = updater.trace.delta.data(), *mix = updater.trace.mix.data(), *leafness = &state.leafness(0);
  T* __restrict by_response = updater.slope + state.responses(), * __restrict by_leafness =
                                                                     updater.slope + state.leafnesses();
  for (std::size_t m = 0; m < n; ++m) {
    T gap = 0;
    for (std::size_t q = 0; q < k; ++q) gap += delta[m * k + q] * (responses[m * k + q] - mix[m * k + q]);
    write_slope<BATCH>(by_leafness[m], gap - penalty);
  }
  if (state.linear)
    for (std::size_t i = 0; i < n * k; ++i)
      write_slope<BATCH>(by_response + i * state.width, delta[i] * leafness[i / k], x, state.width);
  else
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t q = 0; q < k; ++q) write_slope<BATCH>(by_response[m * k + q], delta[m * k + q] * leafness[m]);
  // Lanes after the last node have no parameters.
  for (std::size_t i = all_answers; i < padded(all_answers); ++i) by_response[i] = 0;
  for (std::size_t m = n; m < padded(n); ++m) by_leafness[m] = 0;
}

// AdaGrad on n parameters from `begin` on, with stored gradients.
template <class T>
SOFTWOOD_INLINE void adagrad_on(Updater<T>& updater, std::size_t begin, std::size_t n) {
  const OnlineState<T>& state = updater.state;
  adagrad({Moved<T>{state.number + begin, state.memory + begin, T(1)}}, updater.slope + begin, n,
          static_cast<T>(updater.options.step));
}

// Parameters of nodes [from, to) in one part, `each` per node.
template <class T>
SOFTWOOD_INLINE void move_part(Updater<T>& updater, std::size_t begin, std::size_t each, std::size_t from,
                               std::size_t to) {
  OnlineState<T>& state = updater.state;
  const OnlineOptions& options = updater.options;
  const T step = static_cast<T>(options.step);
  const std::size_t at = begin + from * each, n = (to - from) * each;
  if (options.rule == Rule::kAdagrad) return adagrad_on(updater, at, n);
  if (options.rule == Rule::kSgd) return descend(state.number + at, updater.slope + at, n, step);
  for (std::size_t m = from; m < to; ++m) {
    const std::size_t here = begin + m * each;
    adam(state.number + here, state.memory + here, state.speed + here, updater.slope + here, each, step, state.age[m]);
  }
}

// Gates of the branches, then responses and leafness of all nodes; one call of move_part, which is long, for all.
template <class T>
SOFTWOOD_INLINE void move_parts(Updater<T>& updater) {
  const OnlineState<T>& state = updater.state;
  const std::size_t n = state.count(), gates = updater.fused ? 0 : updater.trace.branches;
  for (std::size_t b = 0; b < gates + 2; ++b) {
    std::size_t begin = 0, each = state.width, from = 0, to = n;
    if (b < gates)
      from = static_cast<std::size_t>(updater.trace.branch[b].node), to = from + 1;
    else if (b == gates)
      begin = state.responses(), each = state.answer();
    else
      begin = state.leafnesses(), each = 1;
    move_part(updater, begin, each, from, to);
  }
}

// Remove children and add buds where due.
template <class T>
void reshape(Updater<T>& updater) {
  remove(updater.state);
  bud(updater.state);
  updater.trace.follow(updater.state);
}

// Clip leafness to [0, 1]. A branch with leafness 1, or a leaf below 1, changes the tree; without room, leaves stay
// leaves.
template <class T>
SOFTWOOD_INLINE void clamp_leafness(Updater<T>& updater) {
  const OnlineState<T>& state = updater.state;
  const Trace<T>& trace = updater.trace;
  const std::size_t n = state.count();
  const bool full = n + 2 > state.room;
  T* leafness = &state.leafness(0);
  Bits<T> change{};
  for (std::size_t m = 0; m < n; m += kLanes) {
    const Four<T> held = clamp_four<T>(four(leafness + m), T(0), T(1));
    set_four<T>(leafness + m, held);
    const auto less = (Bits<T>)(held < T(1));
    change |= ~less & masks<T>(&trace.is_branch[m]);
    if (!full) change |= less & masks<T>(&trace.is_leaf[m]);
  }
  if (any<T>(change)) return reshape(updater);
  for (std::size_t m = 0; full && m < n; m += kLanes)
    set_four<T>(leafness + m, masks<T>(&trace.is_leaf[m]) ? all(T(1)) : four(leafness + m));
}

// One update of everything but gates that were updated already. AdaGrad row by row, the default, is inlined.
template <int K, bool BATCH, class T>
SOFTWOOD_INLINE void move(Updater<T>& updater) {
  OnlineState<T>& state = updater.state;
  const std::size_t n = state.count();
  for (std::size_t m = 0; updater.options.rule == Rule::kAdam && m < n; ++m) ++state.age[m];
  if (K == 0 && !BATCH && updater.fused) {
    adagrad_on(updater, state.responses(), n * state.answer());
    adagrad_on(updater, state.leafnesses(), n);
  } else if (!updater.quick) {
    move_by_gradients(updater);
  }
  clamp_leafness(updater);
}

template <int K, bool BATCH, class T>
SOFTWOOD_INLINE double train_row(Updater<T>& updater, const T* x, const T* target, T weight) {
  OnlineState<T>& state = updater.state;
  Trace<T>& trace = updater.trace;
  const std::size_t k = K ? K : state.outputs;
  const T* responses = forward<K>(state, x, trace);
  const double loss = loss_and_slope(updater.options.loss, updater.options.parameter, trace.output.data(), target, k,
                                     trace.delta.data());
  for (std::size_t q = 0; q < k; ++q) trace.delta[q] *= weight;
  backward<K>(state, trace);
  if (!BATCH && updater.fused)
    adagrad_on_gates(updater, x);
  else
    add_gate_gradients<BATCH>(updater, x, weight);
  if (K == 1 && updater.quick)
    move_answers(updater, weight);
  else
    add_answer_gradients<K, BATCH>(updater, responses, x, weight);
  return weight * loss;
}

// Prefetch a row: shuffled rows are scattered in memory.
template <class T>
SOFTWOOD_INLINE void prefetch_row(const OnlineState<T>& state, const BudRows<T>& rows, std::size_t row) {
  const T* x = rows.x + row * state.width;
  for (std::size_t i = 0; i < state.width; i += kLine / sizeof(T)) __builtin_prefetch(x + i);
  __builtin_prefetch(x + state.width - 1);
  __builtin_prefetch(rows.target + row * state.outputs);
  __builtin_prefetch(rows.weight + row);
}

template <int K, bool BATCH, class T>
SOFTWOOD_INLINE double train_rows(OnlineState<T>& state, const BudRows<T>& rows, const std::int64_t* order,
                                  std::size_t steps, const OnlineOptions& options) {
  Updater<T> updater(state, options);
  double total = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    if (i % kOften == 0) poll_interrupt();
    if (i + kAhead < steps) prefetch_row(state, rows, static_cast<std::size_t>(order[i + kAhead]));
    const auto row = static_cast<std::size_t>(order[i]);
    const T weight = rows.weight[row];
    if (weight == 0) continue;
    total += train_row<K, BATCH>(updater, rows.x + row * state.width, rows.target + row * state.outputs, weight);
    if (BATCH && ++*state.waiting < options.batch) continue;
    const T part = T(1) / static_cast<T>(options.batch);
    for (std::size_t j = 0; BATCH && j < state.size(); ++j) state.pending[j] *= part;
    move<K, BATCH>(updater);
    if (!BATCH) continue;
    std::fill_n(state.pending, state.size(), T(0));
    *state.waiting = 0;
  }
  return total;
}

template <class T>
SOFTWOOD_INLINE double train_any(OnlineState<T>& state, const BudRows<T>& rows, const std::int64_t* order,
                                 std::size_t steps, const OnlineOptions& options) {
  if (options.batch > 1) return train_rows<0, true>(state, rows, order, steps, options);
  return state.outputs == 1 ? train_rows<1, false>(state, rows, order, steps, options)
                            : train_rows<0, false>(state, rows, order, steps, options);
}

// Outputs of the root for all rows.
template <class T>
void answer_rows(const OnlineState<T>& state, const T* x, std::size_t rows, double* output, int n_threads) {
  for_each_piece((rows + kPiece - 1) / kPiece, n_threads, [&](std::size_t piece) {
    Trace<T> trace(state);
    for (std::size_t row = piece * kPiece; row < std::min(rows, (piece + 1) * kPiece); ++row) {
      forward<0>(state, x + row * state.width, trace);
      std::copy_n(trace.output.data(), state.outputs, output + row * state.outputs);
    }
  });
}

}  // namespace softwood::budding
