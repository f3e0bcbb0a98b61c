#include "budding.hpp"

#include "budding_row.hpp"
#include "budding_rules.hpp"
#include "interrupt.hpp"
#include "parallel.hpp"

namespace softwood::budding {
namespace {

constexpr std::size_t kPiece = 1024;  // rows answered by one thread at a time
constexpr std::size_t kOften = 256;   // rows learned from between two looks for an interrupt
constexpr std::size_t kAhead = 2;     // rows between asking for one and learning from it
constexpr std::size_t kLine = 64;     // bytes that come from memory together

// A plant that is being trained: what does not change from row to row, and room for slopes.
template <class T>
struct Gardener {
  Plant<T>& plant;
  const Tending& tending;
  Trace<T> trace;
  std::vector<T> one;  // slopes of a single row; a batch's are the plant's own
  T* slope;
  bool fused;  // gates move as soon as their slope is known, which is not written down
  bool quick;  // and so do responses and leafness

  Gardener(Plant<T>& plant, const Tending& tending)
      : plant(plant),
        tending(tending),
        trace(plant),
        one(tending.batch == 1 ? plant.size() : 0),
        slope(tending.batch == 1 ? one.data() : plant.pending),
        fused(tending.batch == 1 && tending.rule == Rule::kAdagrad && tending.weight_penalty == 0),
        quick(fused && plant.outputs == 1 && !plant.linear) {}
};

// slope = or += value, as a batch asks.
template <bool BATCH, class T>
SOFTWOOD_INLINE void put(T& slope, T value) {
  slope = BATCH ? slope + value : value;
}

// slope (+)= factor * x over whole lanes.
template <bool BATCH, class T>
SOFTWOOD_INLINE void put(T* slope, T factor, const T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kLanes)
    set_four<T>(slope + i, BATCH ? fused_four<T>(all(factor), four(x + i), four(slope + i)) : factor * four(x + i));
}

// AdaGrad on gates, two at a time, without writing slopes down.
template <class T>
SOFTWOOD_INLINE void move_gates(Gardener<T>& gardener, const T* x) {
  const Plant<T>& plant = gardener.plant;
  const Trace<T>& trace = gardener.trace;
  const T step = static_cast<T>(gardener.tending.step);
  const auto gate = [&](std::size_t b) SOFTWOOD_INLINE_LAMBDA {
    const std::size_t at = static_cast<std::size_t>(trace.fork[b].node) * plant.width;
    return Moved<T>{plant.number + at, plant.memory + at, trace.pull[b]};
  };
  std::size_t b = 0;
  for (; b + 2 <= trace.branches; b += 2) adagrad({gate(b), gate(b + 1)}, x, plant.width, step);
  if (b < trace.branches) adagrad({gate(b)}, x, plant.width, step);
}

// Slopes by gates.
template <bool BATCH, class T>
SOFTWOOD_INLINE void pull_gates(Gardener<T>& gardener, const T* x, T weight) {
  const Plant<T>& plant = gardener.plant;
  const std::size_t width = plant.width;
  const T decay = static_cast<T>(gardener.tending.weight_penalty) * weight;
  const Trace<T>& trace = gardener.trace;
  for (std::size_t b = 0; b < trace.branches; ++b) {
    const std::size_t at = static_cast<std::size_t>(trace.fork[b].node) * width;
    put<BATCH>(gardener.slope + at, trace.pull[b], x, width);
    if (decay != 0)
      for (std::size_t i = 1; i < width; ++i) gardener.slope[at + i] += decay * plant.number[at + i];
  }
}

// AdaGrad on constant responses of one output and on leafness, without writing slopes down; B vectors of nodes.
template <int B, class T>
SOFTWOOD_INLINE void move_answers(Gardener<T>& gardener, std::size_t m, T price, T step) {
  const Plant<T>& plant = gardener.plant;
  const Trace<T>& trace = gardener.trace;
  T* const at[2] = {plant.number + plant.responses() + m, plant.number + plant.leafnesses() + m};
  T* const memory_at[2] = {plant.memory + plant.responses() + m, plant.memory + plant.leafnesses() + m};
  Four<T> number[2 * B], memory[2 * B], slope[2 * B];
  for (int i = 0; i < 2 * B; ++i) number[i] = four(at[i % 2] + i / 2 * kLanes);
  for (int i = 0; i < 2 * B; ++i) memory[i] = four(memory_at[i % 2] + i / 2 * kLanes);
  for (int i = 0; i < B; ++i) {
    const std::size_t here = m + i * kLanes;
    const Four<T> delta = four(&trace.delta[here]);
    const Bits<T> node = masks<T>(&trace.is_leaf[here]) | masks<T>(&trace.is_branch[here]);
    slope[2 * i] = delta * number[2 * i + 1];
    slope[2 * i + 1] = delta * (number[2 * i] - four(&trace.mix[here])) - (Four<T>)((Bits<T>)all(price) & node);
  }
  adagrad_vectors<2 * B, T>(number, memory, slope, step);
  for (int i = 0; i < 2 * B; ++i) set_four<T>(memory_at[i % 2] + i / 2 * kLanes, memory[i]);
  for (int i = 0; i < 2 * B; ++i) set_four<T>(at[i % 2] + i / 2 * kLanes, number[i]);
}

template <class T>
SOFTWOOD_INLINE void move_answers(Gardener<T>& gardener, T weight) {
  const T price = static_cast<T>(gardener.tending.leafness_penalty) * weight,
          step = static_cast<T>(gardener.tending.step) * kRoot<T>;
  const std::size_t n = gardener.plant.count();
  std::size_t m = 0;
  for (; m + 2 * kLanes <= padded(n); m += 2 * kLanes) move_answers<2>(gardener, m, price, step);
  if (m < n) move_answers<1>(gardener, m, price, step);
}

// Slopes by responses and leafness, from those of the outputs.
template <int K, bool BATCH, class T>
SOFTWOOD_INLINE void pull_answers(Gardener<T>& gardener, const T* responses, const T* x, T weight) {
  const Plant<T>& plant = gardener.plant;
  const std::size_t n = plant.count(), k = K ? K : plant.outputs, all_answers = n * plant.answer();
  const T price = static_cast<T>(gardener.tending.leafness_penalty) * weight;
  const T *delta = gardener.trace.delta.data(), *mix = gardener.trace.mix.data(), *leafness = &plant.leafness(0);
  T* __restrict by_response = gardener.slope + plant.responses(), * __restrict by_leafness =
                                                                      gardener.slope + plant.leafnesses();
  for (std::size_t m = 0; m < n; ++m) {
    T gap = 0;
    for (std::size_t q = 0; q < k; ++q) gap += delta[m * k + q] * (responses[m * k + q] - mix[m * k + q]);
    put<BATCH>(by_leafness[m], gap - price);
  }
  if (plant.linear)
    for (std::size_t i = 0; i < n * k; ++i)
      put<BATCH>(by_response + i * plant.width, delta[i] * leafness[i / k], x, plant.width);
  else
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t q = 0; q < k; ++q) put<BATCH>(by_response[m * k + q], delta[m * k + q] * leafness[m]);
  // Lanes beyond the last node hold nothing that may move.
  for (std::size_t i = all_answers; i < padded(all_answers); ++i) by_response[i] = 0;
  for (std::size_t m = n; m < padded(n); ++m) by_leafness[m] = 0;
}

// Numbers of nodes [from, to) of one part, of which each node has `each`.
template <class T>
SOFTWOOD_INLINE void move_part(Gardener<T>& gardener, std::size_t begin, std::size_t each, std::size_t from,
                               std::size_t to) {
  Plant<T>& plant = gardener.plant;
  const Tending& tending = gardener.tending;
  const T step = static_cast<T>(tending.step);
  const std::size_t at = begin + from * each, n = (to - from) * each;
  T *number = plant.number + at, *memory = plant.memory + at, *slope = gardener.slope + at;
  if (tending.rule == Rule::kAdagrad) return adagrad({Moved<T>{number, memory, T(1)}}, slope, n, step);
  if (tending.rule == Rule::kSgd) return descend(number, slope, n, step);
  for (std::size_t m = from; m < to; ++m) {
    const std::size_t here = begin + m * each;
    adam(plant.number + here, plant.memory + here, plant.speed + here, gardener.slope + here, each, step, plant.age[m]);
  }
}

// Nodes that are due to lose their children, or to bud, do so.
template <class T>
void reshape(Gardener<T>& gardener) {
  remove(gardener.plant);
  bud(gardener.plant);
  gardener.trace.follow(gardener.plant);
}

// Leafness back into [0, 1]. A branch's that rose to 1, or a leaf's that fell below, changes the tree; where there is
// no room, leaves stay leaves.
template <class T>
SOFTWOOD_INLINE void hold_leafness(Gardener<T>& gardener) {
  const Plant<T>& plant = gardener.plant;
  const Trace<T>& trace = gardener.trace;
  const std::size_t n = plant.count();
  const bool full = n + 2 > plant.room;
  T* leafness = &plant.leafness(0);
  Bits<T> change{};
  for (std::size_t m = 0; m < n; m += kLanes) {
    const Four<T> held = clamp_four<T>(four(leafness + m), T(0), T(1));
    set_four<T>(leafness + m, held);
    const auto less = (Bits<T>)(held < T(1));
    change |= ~less & masks<T>(&trace.is_branch[m]);
    if (!full) change |= less & masks<T>(&trace.is_leaf[m]);
  }
  if (any<T>(change)) return reshape(gardener);
  for (std::size_t m = 0; full && m < n; m += kLanes)
    set_four<T>(leafness + m, masks<T>(&trace.is_leaf[m]) ? all(T(1)) : four(leafness + m));
}

// One update of everything but gates that moved already.
template <class T>
SOFTWOOD_INLINE void move(Gardener<T>& gardener) {
  Plant<T>& plant = gardener.plant;
  const std::size_t n = plant.count();
  for (std::size_t m = 0; gardener.tending.rule == Rule::kAdam && m < n; ++m) ++plant.age[m];
  if (!gardener.fused)
    for (std::size_t b = 0; b < gardener.trace.branches; ++b) {
      const auto m = static_cast<std::size_t>(gardener.trace.fork[b].node);
      move_part(gardener, 0, plant.width, m, m + 1);
    }
  if (!gardener.quick) {
    move_part(gardener, plant.responses(), plant.answer(), 0, n);
    move_part(gardener, plant.leafnesses(), 1, 0, n);
  }
  hold_leafness(gardener);
}

template <int K, bool BATCH, class T>
SOFTWOOD_INLINE double train_row(Gardener<T>& gardener, const T* x, const T* target, T weight) {
  Plant<T>& plant = gardener.plant;
  Trace<T>& trace = gardener.trace;
  const std::size_t k = K ? K : plant.outputs;
  const T* responses = forward<K>(plant, x, trace);
  const double loss = loss_and_slope(gardener.tending.loss, trace.output.data(), target, k, trace.delta.data());
  for (std::size_t q = 0; q < k; ++q) trace.delta[q] *= weight;
  backward<K>(plant, trace);
  if (!BATCH && gardener.fused)
    move_gates(gardener, x);
  else
    pull_gates<BATCH>(gardener, x, weight);
  if (K == 1 && gardener.quick)
    move_answers(gardener, weight);
  else
    pull_answers<K, BATCH>(gardener, responses, x, weight);
  return weight * loss;
}

// Ask for a row before it is needed: shuffled rows come from all over the memory.
template <class T>
SOFTWOOD_INLINE void fetch(const Plant<T>& plant, const BudRows<T>& rows, std::size_t row) {
  const T* x = rows.x + row * plant.width;
  for (std::size_t i = 0; i < plant.width; i += kLine / sizeof(T)) __builtin_prefetch(x + i);
  __builtin_prefetch(x + plant.width - 1);
  __builtin_prefetch(rows.target + row * plant.outputs);
  __builtin_prefetch(rows.weight + row);
}

template <int K, bool BATCH, class T>
SOFTWOOD_INLINE double train_rows(Plant<T>& plant, const BudRows<T>& rows, const std::int64_t* order, std::size_t steps,
                                  const Tending& tending) {
  Gardener<T> gardener(plant, tending);
  double total = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    if (i % kOften == 0) poll_interrupt();
    if (i + kAhead < steps) fetch(plant, rows, static_cast<std::size_t>(order[i + kAhead]));
    const auto row = static_cast<std::size_t>(order[i]);
    const T weight = rows.weight[row];
    if (weight == 0) continue;
    total += train_row<K, BATCH>(gardener, rows.x + row * plant.width, rows.target + row * plant.outputs, weight);
    if (BATCH && ++*plant.waiting < tending.batch) continue;
    const T part = T(1) / static_cast<T>(tending.batch);
    for (std::size_t j = 0; BATCH && j < plant.size(); ++j) plant.pending[j] *= part;
    move(gardener);
    if (!BATCH) continue;
    std::fill_n(plant.pending, plant.size(), T(0));
    *plant.waiting = 0;
  }
  return total;
}

template <class T>
SOFTWOOD_INLINE double train_any(Plant<T>& plant, const BudRows<T>& rows, const std::int64_t* order, std::size_t steps,
                                 const Tending& tending) {
  if (tending.batch > 1) return train_rows<0, true>(plant, rows, order, steps, tending);
  return plant.outputs == 1 ? train_rows<1, false>(plant, rows, order, steps, tending)
                            : train_rows<0, false>(plant, rows, order, steps, tending);
}

SOFTWOOD_CLONES double train_clone(Plant<float>& plant, const BudRows<float>& rows, const std::int64_t* order,
                                   std::size_t steps, const Tending& tending) {
  return train_any(plant, rows, order, steps, tending);
}

SOFTWOOD_CLONES double train_clone(Plant<double>& plant, const BudRows<double>& rows, const std::int64_t* order,
                                   std::size_t steps, const Tending& tending) {
  return train_any(plant, rows, order, steps, tending);
}

}  // namespace

template <class T>
double train(Plant<T>& plant, const BudRows<T>& rows, const std::int64_t* order, std::size_t steps,
             const Tending& tending) {
  const WithoutDenormals quick;
  return train_clone(plant, rows, order, steps, tending);
}

template <class T>
void answers(const Plant<T>& plant, const T* x, std::size_t rows, double* output, int n_threads) {
  for_each_piece((rows + kPiece - 1) / kPiece, n_threads, [&](std::size_t piece) {
    Trace<T> trace(plant);
    for (std::size_t row = piece * kPiece; row < std::min(rows, (piece + 1) * kPiece); ++row) {
      forward<0>(plant, x + row * plant.width, trace);
      std::copy_n(trace.output.data(), plant.outputs, output + row * plant.outputs);
    }
  });
}

template double train(Plant<float>&, const BudRows<float>&, const std::int64_t*, std::size_t, const Tending&);
template double train(Plant<double>&, const BudRows<double>&, const std::int64_t*, std::size_t, const Tending&);
template void answers(const Plant<float>&, const float*, std::size_t, double*, int);
template void answers(const Plant<double>&, const double*, std::size_t, double*, int);

}  // namespace softwood::budding
