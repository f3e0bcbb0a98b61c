#include "soft/forward_pass.hpp"

#include "core/machine.hpp"
#include "simd/block_product.hpp"
#include "simd/scalar_exp.hpp"
#include "simd/scalar_log.hpp"
#include "soft/number_losses.hpp"

namespace softwood::soft {
namespace {

// Adds the linear responses of the slopes to the output.
template <class T>
SOFTWOOD_INLINE void add_slopes(const Plan<T>& plan, Workspace<T>& w) {
  const Shape& s = plan.shape;
  if (w.phi)  // otherwise they were computed by tables
    form_scores(plan.parameter.data() + s.slope_begin(), s.slopes * s.outputs, s.columns, w.columns, nullptr, 0, w.phi,
                w.slope_score.data());
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

// Adds the linear responses of each leaf's own slopes.
template <class T>
SOFTWOOD_INLINE void add_own_slopes(const SoftRows<T>& rows, const Plan<T>& plan, std::size_t block, Workspace<T>& w) {
  const Shape& s = plan.shape;
  const std::size_t columns = s.own_columns.size();
  for (std::size_t c = 0; c < columns; ++c) {
    const auto column = static_cast<std::size_t>(s.own_columns[c]);
    if (w.phi)
      std::copy_n(w.phi + column * kBlock, kBlock, w.own_phi.data() + c * kBlock);
    else
      rows.expansion->expand(block, column, w.own_phi.data() + c * kBlock);
  }
  form_scores(plan.parameter.data() + s.own_begin(), s.leaves * s.outputs, columns, columns, nullptr, 0,
              w.own_phi.data(), w.own_score.data());
  for (std::size_t leaf = 0; leaf < s.leaves; ++leaf)
    for (std::size_t q = 0; q < s.outputs; ++q)
      for (std::size_t row = 0; row < kBlock; ++row)
        w.output[q * kBlock + row] += w.reach[leaf * kBlock + row] * w.own_score[(leaf * s.outputs + q) * kBlock + row];
}

// Scores of gates; also of slopes, if the rows use tables.
template <class T>
SOFTWOOD_INLINE void score_block(const SoftRows<T>& rows, const Plan<T>& plan, std::size_t block, Workspace<T>& w) {
  const Shape& s = plan.shape;
  if (rows.by_tables()) {
    table_scores(*rows.expansion, plan.tables, block, w.scratch.data());
    std::copy_n(w.scratch.data(), w.share.size(), w.share.data());
    std::copy_n(w.scratch.data() + w.share.size(), w.slope_score.size(), w.slope_score.data());
    return;
  }
  const T* x = w.phi = rows.columns_of(block, w.scratch.data());
  const T* gate = plan.gate.data();
  w.columns = rows.chosen_in(block);
  form_scores(gate, s.gates, s.columns + 1, w.columns, gate + s.columns, s.columns + 1, x, w.share.data());
}

template <class T>
SOFTWOOD_INLINE void forward_block(const SoftRows<T>& rows, const Plan<T>& plan, std::size_t block, Workspace<T>& w) {
  const Shape& s = plan.shape;
  score_block(rows, plan, block, w);
  squash_bits<4>(w.share.data(), s.gates * kBlock);
  T* root = w.reach.data() + plan.place[0] * kBlock;
  if (rows.arrival.empty())
    std::fill(root, root + kBlock, T(1));
  else
    std::copy_n(rows.arrival.data() + block * kBlock, kBlock, root);
  for (std::size_t m = 0; m < s.nodes(); ++m)
    if (s.first_child[m] >= 0)
      split_reach(w.reach.data() + plan.place[m] * kBlock, w.share.data() + s.gate[m] * kBlock, T(1),
                  w.reach.data() + plan.place[s.first_child[m]] * kBlock,
                  w.reach.data() + plan.place[s.first_child[m] + 1] * kBlock, kBlock);
  form_scores(plan.response_by_output.data(), s.outputs, s.leaves, s.leaves, nullptr, 0, w.reach.data(),
              w.output.data());
  if (!rows.offset.empty()) {
    const T* offset = rows.offset.data() + block * s.outputs * kBlock;
    for (std::size_t i = 0; i < s.outputs * kBlock; ++i) w.output[i] += offset[i];
  }
  if (s.slopes > 0) add_slopes(plan, w);
  if (!s.own_columns.empty()) add_own_slopes(rows, plan, block, w);
}

template <class T>
SOFTWOOD_INLINE void squared(const T* target, const T* weight, std::size_t outputs, Workspace<T>& w, T* loss) {
  std::fill(loss, loss + kBlock, T(0));
  for (std::size_t q = 0; q < outputs; ++q)
    for (std::size_t row = 0; row < kBlock; ++row) {
      const T error = w.output[q * kBlock + row] - target[q * kBlock + row];
      w.output_slope[q * kBlock + row] = weight[row] * error;
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
    w.output_slope[row] = weight[row] * (p - target[row]);
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
      w.output_slope[q * kBlock + row] = vector_exp(f);
      sum[row] += w.output_slope[q * kBlock + row];
    }
  for (std::size_t row = 0; row < kBlock; ++row) loss[row] += vector_log(sum[row]);
  for (std::size_t q = 0; q < outputs; ++q)
    for (std::size_t row = 0; row < kBlock; ++row)
      w.output_slope[q * kBlock + row] =
          weight[row] * (w.output_slope[q * kBlock + row] / sum[row] - target[q * kBlock + row]);
}

// One of the losses of numbers, summed over targets.
template <class T>
SOFTWOOD_INLINE void number_loss(const SoftRows<T>& rows, const T* target, const T* weight, Workspace<T>& w, T* loss) {
  std::fill(loss, loss + kBlock, T(0));
  with_number_loss(rows.loss, rows.loss_parameter, [&](const auto& formula) SOFTWOOD_INLINE_LAMBDA {
    for (std::size_t q = 0; q < rows.outputs; ++q)
      for (std::size_t row = 0; row < kBlock; ++row) {
        const LossTerm<T> term = formula(w.output[q * kBlock + row], target[q * kBlock + row]);
        w.output_slope[q * kBlock + row] = weight[row] * term.slope;
        loss[row] += term.value;
      }
  });
}

template <class T>
SOFTWOOD_INLINE void loss_block(const SoftRows<T>& rows, std::size_t block, Workspace<T>& w, T* loss) {
  const T* target = rows.target->data() + block * rows.outputs * kBlock;
  const T* weight = rows.weight->data() + block * kBlock;
  if (rows.loss == LossKind::squared)
    squared(target, weight, rows.outputs, w, loss);
  else if (rows.loss == LossKind::logistic)
    logistic(target, weight, w, loss);
  else if (rows.loss == LossKind::softmax)
    softmax(target, weight, rows.outputs, w, loss);
  else
    number_loss(rows, target, weight, w, loss);
}

}  // namespace

SOFTWOOD_CLONED(void, forward,
                (const SoftRows<double>& rows, const Plan<double>& plan, std::size_t block, Workspace<double>& w),
                (rows, plan, block, w)) {
  forward_block(rows, plan, block, w);
}
SOFTWOOD_CLONED(void, block_loss, (const SoftRows<double>& rows, std::size_t block, Workspace<double>& w, double* loss),
                (rows, block, w, loss)) {
  loss_block(rows, block, w, loss);
}
SOFTWOOD_CLONED(void, forward,
                (const SoftRows<float>& rows, const Plan<float>& plan, std::size_t block, Workspace<float>& w),
                (rows, plan, block, w)) {
  forward_block(rows, plan, block, w);
}
SOFTWOOD_CLONED(void, block_loss, (const SoftRows<float>& rows, std::size_t block, Workspace<float>& w, float* loss),
                (rows, block, w, loss)) {
  loss_block(rows, block, w, loss);
}

}  // namespace softwood::soft
