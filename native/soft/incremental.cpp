// Gradient descent on new splits of a soft tree, row by row: the inner loop of the incremental learner (ICPR 2012).
//
//   output = offset + reach (share first + (1 - share) second),   share = sigmoid(weight . x + bias)
//   delta  = (answer - target) reach
//   weight -= step delta . (first - second) share (1 - share) x,  first -= step delta share,  second -= step delta (1 -
//   share)
//
// with momentum and a step that shrinks slightly at every row. Rows are sequential, but trials of the same split are
// independent: eight of them, with different starts and steps, are the lanes of a pack. Rows with hardly any reach are
// skipped: in a deep tree of unpenalized gates these are most rows.
#include "soft/incremental.hpp"

#include <cmath>

#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "simd/elementary.hpp"
#include "simd/exp.hpp"

namespace softwood::soft {
namespace {

constexpr double kArrives = 1e-6;  // smallest reach with an effect

SOFTWOOD_INLINE Pack one_less(const Pack& a) { return a * -1.0 + 1.0; }

SOFTWOOD_INLINE Pack sigmoid(const Pack& score) { return one_over(exp(score * -1.0) + 1.0); }

// bias + weight . x. Four sums side by side: in a single one each addition would wait for the previous one.
SOFTWOOD_INLINE Pack score_of(const double* gate, const double* x, std::size_t columns) {
  Pack sum[4] = {load(gate + columns * PACK), {}, {}, {}};
  std::size_t j = 0;
  for (; j + 4 <= columns; j += 4)
    for (std::size_t i = 0; i < 4; ++i) sum[i] = sum[i] + load(gate + (j + i) * PACK) * x[j + i];
  for (; j < columns; ++j) sum[0] = sum[0] + load(gate + j * PACK) * x[j];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Outputs become numbers, or probabilities.
SOFTWOOD_INLINE void answer(LossKind loss, double* output, std::size_t outputs) {
  if (loss == LossKind::squared) return;
  if (loss == LossKind::logistic) return store(sigmoid(load(output)), output);
  Pack top = load(output), sum{};
  for (std::size_t q = 1; q < outputs; ++q) top = larger(top, load(output + q * PACK));
  for (std::size_t q = 0; q < outputs; ++q) {
    const Pack part = exp(load(output + q * PACK) - top);
    sum = sum + part;
    store(part, output + q * PACK);
  }
  const Pack scale = one_over(sum);
  for (std::size_t q = 0; q < outputs; ++q) store(load(output + q * PACK) * scale, output + q * PACK);
}

// The splits of a pack: parameter p of trial t is at [p * PACK + t], and so is its speed.
struct Trials {
  double *gate, *first, *second;

  Trials(double* values, const SplitRows& rows)
      : gate(values), first(gate + (rows.columns + 1) * PACK), second(first + rows.outputs * PACK) {}
};

SOFTWOOD_INLINE void move(double* value, double* speed, const Pack& gradient, double momentum) {
  const Pack fast = load(speed) * momentum - gradient;
  store(fast, speed);
  store(load(value) + fast, value);
}

// One row's gradient of the splits; `output` is a workspace.
SOFTWOOD_INLINE void learn_row(const SplitRows& rows, std::size_t row, const Pack& step, double momentum,
                               const Trials& at, const Trials& speed, double* output) {
  const std::size_t d = rows.columns, k = rows.outputs;
  const double *x = rows.x + row * d, *offset = rows.offset + row * k, *target = rows.target + row * k;
  const double reach = rows.reach[row];
  const Pack share = sigmoid(score_of(at.gate, x, d)), rest = one_less(share), scale = step * rows.weight[row];
  for (std::size_t q = 0; q < k; ++q) {
    const Pack mixed = share * load(at.first + q * PACK) + rest * load(at.second + q * PACK);
    store(mixed * reach + offset[q], output + q * PACK);
  }
  answer(rows.loss, output, k);
  Pack slope{};
  for (std::size_t q = 0; q < k; ++q) {
    double *first = at.first + q * PACK, *second = at.second + q * PACK;
    const Pack delta = (load(output + q * PACK) - target[q]) * reach, gradient = scale * delta;
    slope = slope + delta * (load(first) - load(second));
    move(first, speed.first + q * PACK, gradient * share, momentum);
    move(second, speed.second + q * PACK, gradient * rest, momentum);
  }
  const Pack gradient = scale * (slope * (share * rest));
  for (std::size_t j = 0; j < d; ++j) move(at.gate + j * PACK, speed.gate + j * PACK, gradient * x[j], momentum);
  move(at.gate + d * PACK, speed.gate + d * PACK, gradient, momentum);
}

SOFTWOOD_CLONED(void, learn, (const SplitRows& rows, const Descent& how, const double* steps, double* values),
                (rows, how, steps, values)) {
  const WithoutDenormals quick;
  std::vector<double> speeds(rows.parameters() * PACK), output(rows.outputs * PACK);
  const Trials at(values, rows), speed(speeds.data(), rows);
  for (std::size_t epoch = 0; epoch < how.epochs; ++epoch) {
    poll_interrupt();
    Pack step = load(steps) * elementary::power(how.decay, epoch * rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i, step = step * how.decay) {
      const auto row = static_cast<std::size_t>(how.order[epoch * rows.rows + i]);
      if (rows.reach[row] >= kArrives) learn_row(rows, row, step, how.momentum, at, speed, output.data());
    }
  }
}

}  // namespace

void descend(const SplitRows& rows, const Descent& how, const std::vector<double>& steps, double* values,
             int n_threads) {
  const std::size_t trials = steps.size(), size = rows.parameters();
  for_each_piece((trials + PACK - 1) / PACK, n_threads, [&](std::size_t piece) {
    const std::size_t begin = piece * PACK, count = std::min(PACK, trials - begin);
    std::vector<double> lanes(size * PACK), pace(PACK);  // unused lanes stay at 0
    std::copy_n(steps.data() + begin, count, pace.data());
    for (std::size_t t = 0; t < count; ++t)
      for (std::size_t p = 0; p < size; ++p) lanes[p * PACK + t] = values[(begin + t) * size + p];
    learn(rows, how, pace.data(), lanes.data());
    for (std::size_t t = 0; t < count; ++t)
      for (std::size_t p = 0; p < size; ++p) values[(begin + t) * size + p] = lanes[p * PACK + t];
  });
}

}  // namespace softwood::soft
