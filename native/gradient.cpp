// Loss and gradient of a soft tree: one pass over the rows, twin of kernels/reference/gradient.py.
//
//   reach[child] = reach[m] * share,   share = sigmoid(weight . phi + bias) for the first child
//   output       = offset + sum_leaf reach[leaf] * (response[leaf] + slope[leaf] . phi)
//   value[leaf]  = d loss / d output . response[leaf](x),   value[m] = share value[first] + (1 - share) value[second]
//   d loss / d score[m] = reach[m] share (1 - share) (value[first] - value[second])
//
// The k outputs meet the gates only through `value`, one number a node and row: classes cost leaves, not nodes.
#include <cmath>
#include <cstring>
#include <vector>

#include "forms.hpp"
#include "parallel.hpp"
#include "sigmoid.hpp"
#include "soft.hpp"
#include "soft_exp.hpp"

namespace softwood::soft {
namespace {

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
  form_scores(gate, s.gates, s.columns + 1, s.columns, gate + s.columns, s.columns + 1, x, w.share.data());
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
  form_scores(plan.parameter.data() + s.slope_begin(), s.slopes * s.outputs, s.columns, s.columns,
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
    loss[row] = (f > T(0) ? f : T(0)) + std::log1p(tail[row]) - target[row] * f;
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
  for (std::size_t row = 0; row < kBlock; ++row) loss[row] += std::log(sum[row]);
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

// value and d loss / d score of a branch, which is reach[second] * share * gap: reach[second] = reach * (1 - share).
template <class T>
SOFTWOOD_INLINE void mix(const T* __restrict first, const T* __restrict second, const T* __restrict share,
                         const T* __restrict reach_second, T* __restrict value, T* __restrict coefficient) {
  for (std::size_t row = 0; row < kBlock; ++row) {
    const T step = share[row] * (first[row] - second[row]);
    value[row] = second[row] + step;
    coefficient[row] = reach_second[row] * step;
  }
}

// d loss / d response . response(x) of every leaf, mixed upwards to every branch.
template <class T>
SOFTWOOD_INLINE void values(const Plan<T>& plan, Workspace<T>& w) {
  const Shape& s = plan.shape;
  form_scores(plan.parameter.data() + s.response_begin(), s.leaves, s.outputs, s.outputs,
              static_cast<const T*>(nullptr), 0, w.pull.data(), w.value.data());
  for (std::size_t leaf = 0; leaf < s.leaves; ++leaf)
    if (s.slope_row[leaf] >= 0)
      for (std::size_t q = 0; q < s.outputs; ++q) {
        const T* score = w.slope_score.data() + (s.slope_row[leaf] * s.outputs + q) * kBlock;
        for (std::size_t row = 0; row < kBlock; ++row)
          w.value[leaf * kBlock + row] = fused(w.pull[q * kBlock + row], score[row], w.value[leaf * kBlock + row]);
      }
  for (std::size_t m = s.nodes(); m-- > 0;) {
    if (s.first_child[m] < 0) continue;
    const std::size_t first = plan.place[s.first_child[m]] * kBlock, second = plan.place[s.first_child[m] + 1] * kBlock;
    mix(w.value.data() + first, w.value.data() + second, w.share.data() + s.gate[m] * kBlock, w.reach.data() + second,
        w.value.data() + plan.place[m] * kBlock, w.coefficient.data() + s.gate[m] * kBlock);
  }
}

template <class T>
SOFTWOOD_INLINE void backward(const Plan<T>& plan, Workspace<T>& w, double* gradient) {
  const Shape& s = plan.shape;
  const T* x = w.phi;
  values(plan, w);
  form_dots(w.coefficient.data(), s.gates, x, s.columns, gradient, s.columns + 1);
  form_sums(w.coefficient.data(), s.gates, gradient + s.columns, s.columns + 1);
  form_dots(w.reach.data(), s.leaves, w.pull.data(), s.outputs, gradient + s.response_begin(), s.outputs);
  if (s.slopes == 0) return;
  for (std::size_t slope = 0; slope < s.slopes; ++slope)
    for (std::size_t q = 0; q < s.outputs; ++q)
      for (std::size_t row = 0; row < kBlock; ++row)
        w.coefficient[(slope * s.outputs + q) * kBlock + row] =
            w.slope_reach[slope * kBlock + row] * w.pull[q * kBlock + row];
  form_dots(w.coefficient.data(), s.slopes * s.outputs, x, s.columns, gradient + s.slope_begin(), s.columns);
}

// Sum of the loss over one piece; its gradient too unless null.
template <class T>
SOFTWOOD_INLINE double run_piece(const SoftRows<T>& rows, const Plan<T>& plan, std::size_t piece, double* gradient) {
  Workspace<T> w(rows, plan.shape);
  T loss[kBlock];
  double sum = 0;
  const std::size_t end = std::min(rows.blocks, (piece + 1) * rows.piece_blocks());
  for (std::size_t block = piece * rows.piece_blocks(); block < end; ++block) {
    forward(rows, plan, block, w);
    block_loss(rows, block, w, loss);
    const T* weight = rows.weight->data() + block * kBlock;
    for (std::size_t row = 0; row < kBlock; ++row) sum += static_cast<double>(weight[row] * loss[row]);
    if (gradient) backward(plan, w, gradient);
  }
  return sum;
}

SOFTWOOD_CLONES double run(const SoftRows<double>& rows, const Plan<double>& plan, std::size_t piece, double* g) {
  return run_piece(rows, plan, piece, g);
}
SOFTWOOD_CLONES double run(const SoftRows<float>& rows, const Plan<float>& plan, std::size_t piece, double* g) {
  return run_piece(rows, plan, piece, g);
}

// Writes one block's answers, rows first again.
template <class T>
SOFTWOOD_INLINE void answer_block(const SoftRows<T>& rows, const Plan<T>& plan, std::size_t block, Workspace<T>& w,
                                  const Answers& answers) {
  const Shape& s = plan.shape;
  const std::size_t begin = block * kBlock, count = std::min(kBlock, rows.rows - begin);
  forward(rows, plan, block, w);
  for (std::size_t row = 0; row < count; ++row) {
    if (answers.output)
      for (std::size_t q = 0; q < s.outputs; ++q)
        answers.output[(begin + row) * s.outputs + q] = static_cast<double>(w.output[q * kBlock + row]);
    if (answers.reach)
      for (std::size_t m = 0; m < s.nodes(); ++m)
        answers.reach[(begin + row) * s.nodes() + m] = static_cast<double>(w.reach[plan.place[m] * kBlock + row]);
  }
  if (!answers.loss) return;
  T loss[kBlock];
  block_loss(rows, block, w, loss);
  for (std::size_t row = 0; row < count; ++row) answers.loss[begin + row] = static_cast<double>(loss[row]);
}

SOFTWOOD_CLONES void answer(const SoftRows<double>& rows, const Plan<double>& plan, std::size_t block,
                            Workspace<double>& w, const Answers& answers) {
  answer_block(rows, plan, block, w, answers);
}
SOFTWOOD_CLONES void answer(const SoftRows<float>& rows, const Plan<float>& plan, std::size_t block,
                            Workspace<float>& w, const Answers& answers) {
  answer_block(rows, plan, block, w, answers);
}

template <class T>
SOFTWOOD_INLINE void add_block(const SoftRows<T>& rows, const Plan<T>& plan, std::size_t block, Workspace<T>& w,
                               double* sum) {
  forward(rows, plan, block, w);
  const T* weight = rows.weight->data() + block * kBlock;
  for (std::size_t m = 0; m < plan.shape.nodes(); ++m) {
    const T* reach = w.reach.data() + plan.place[m] * kBlock;
    for (std::size_t row = 0; row < kBlock; ++row) sum[m] += static_cast<double>(weight[row] * reach[row]);
  }
}

SOFTWOOD_CLONES void add_reach(const SoftRows<double>& rows, const Plan<double>& plan, std::size_t block,
                               Workspace<double>& w, double* sum) {
  add_block(rows, plan, block, w, sum);
}
SOFTWOOD_CLONES void add_reach(const SoftRows<float>& rows, const Plan<float>& plan, std::size_t block,
                               Workspace<float>& w, double* sum) {
  add_block(rows, plan, block, w, sum);
}

}  // namespace

template <class T>
double loss_and_gradient(const SoftRows<T>& rows, const Shape& shape, const double* parameters, double* gradient,
                         int n_threads) {
  const Plan<T> plan(shape, parameters);
  const std::size_t size = gradient ? shape.parameters() : 0, pieces = rows.pieces();
  std::vector<double> sums(pieces * size), losses(pieces);
  for_each_piece(pieces, n_threads, [&](std::size_t piece) {
    losses[piece] = run(rows, plan, piece, gradient ? sums.data() + piece * size : nullptr);
  });
  double loss = 0;
  if (gradient) std::fill(gradient, gradient + size, 0.0);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    loss += losses[piece];
    for (std::size_t i = 0; i < size; ++i) gradient[i] += sums[piece * size + i];
  }
  return loss;
}

template <class T>
void evaluate_rows(const SoftRows<T>& rows, const Shape& shape, const double* parameters, const Answers& answers,
                   int n_threads) {
  const Plan<T> plan(shape, parameters);
  for_each_piece(rows.pieces(), n_threads, [&](std::size_t piece) {
    Workspace<T> w(rows, shape);
    const std::size_t end = std::min(rows.blocks, (piece + 1) * rows.piece_blocks());
    for (std::size_t block = piece * rows.piece_blocks(); block < end; ++block) answer(rows, plan, block, w, answers);
  });
}

template <class T>
void mean_reach(const SoftRows<T>& rows, const Shape& shape, const double* parameters, double* reach, int n_threads) {
  const Plan<T> plan(shape, parameters);
  const std::size_t nodes = shape.nodes(), pieces = rows.pieces();
  std::vector<double> sums(pieces * nodes);
  for_each_piece(pieces, n_threads, [&](std::size_t piece) {
    Workspace<T> w(rows, shape);
    const std::size_t end = std::min(rows.blocks, (piece + 1) * rows.piece_blocks());
    for (std::size_t block = piece * rows.piece_blocks(); block < end; ++block)
      add_reach(rows, plan, block, w, sums.data() + piece * nodes);
  });
  std::fill(reach, reach + nodes, 0.0);
  for (std::size_t i = 0; i < sums.size(); ++i) reach[i % nodes] += sums[i];
}

template double loss_and_gradient(const SoftRows<double>&, const Shape&, const double*, double*, int);
template double loss_and_gradient(const SoftRows<float>&, const Shape&, const double*, double*, int);
template void evaluate_rows(const SoftRows<double>&, const Shape&, const double*, const Answers&, int);
template void evaluate_rows(const SoftRows<float>&, const Shape&, const double*, const Answers&, int);

template void mean_reach(const SoftRows<double>&, const Shape&, const double*, double*, int);
template void mean_reach(const SoftRows<float>&, const Shape&, const double*, double*, int);

}  // namespace softwood::soft
