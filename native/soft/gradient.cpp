// Loss and gradient of a soft tree: one pass over the rows, twin of kernels/reference/gradient.py.
//
//   value[leaf]  = d loss / d output . response[leaf](x),   value[m] = share value[first] + (1 - share) value[second]
//   d loss / d score[m] = reach[m] share (1 - share) (value[first] - value[second])
//
// The k outputs affect the gates only through `value`, one number per node and row: more classes cost time in leaves
// only.
#include <vector>

#include "core/machine.hpp"
#include "core/parallel.hpp"
#include "simd/block_product.hpp"
#include "simd/vector.hpp"
#include "soft/forward_pass.hpp"

namespace softwood::soft {
namespace {

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
  form_scores(plan.parameter.data() + s.response_begin(), s.leaves, s.outputs, s.outputs, nullptr, 0,
              w.output_slope.data(), w.value.data());
  for (std::size_t leaf = 0; leaf < s.leaves; ++leaf)
    if (s.slope_row[leaf] >= 0)
      for (std::size_t q = 0; q < s.outputs; ++q) {
        const T* score = w.slope_score.data() + (s.slope_row[leaf] * s.outputs + q) * kBlock;
        for (std::size_t row = 0; row < kBlock; ++row)
          w.value[leaf * kBlock + row] += w.output_slope[q * kBlock + row] * score[row];
      }
  if (!s.own_columns.empty())
    for (std::size_t leaf = 0; leaf < s.leaves; ++leaf)
      for (std::size_t q = 0; q < s.outputs; ++q)
        for (std::size_t row = 0; row < kBlock; ++row)
          w.value[leaf * kBlock + row] =
              fused(w.output_slope[q * kBlock + row], w.own_score[(leaf * s.outputs + q) * kBlock + row],
                    w.value[leaf * kBlock + row]);
  for (std::size_t m = s.nodes(); m-- > 0;) {
    if (s.first_child[m] < 0) continue;
    const std::size_t first = plan.place[s.first_child[m]] * kBlock, second = plan.place[s.first_child[m] + 1] * kBlock;
    mix(w.value.data() + first, w.value.data() + second, w.share.data() + s.gate[m] * kBlock, w.reach.data() + second,
        w.value.data() + plan.place[m] * kBlock, w.coefficient.data() + s.gate[m] * kBlock);
  }
}

// d loss / d score of every slope.
template <class T>
SOFTWOOD_INLINE void slope_coefficients(const Shape& s, const Workspace<T>& w, T* coefficient) {
  for (std::size_t slope = 0; slope < s.slopes; ++slope)
    for (std::size_t q = 0; q < s.outputs; ++q)
      for (std::size_t row = 0; row < kBlock; ++row)
        coefficient[(slope * s.outputs + q) * kBlock + row] =
            w.slope_reach[slope * kBlock + row] * w.output_slope[q * kBlock + row];
}

// Sums of a piece by segment if the rows use tables: in the type of the rows for a few blocks, then in double.
template <class T>
struct PieceTables {
  const SoftRows<T>& rows;
  const Tiles tiles;
  std::vector<T> coefficient, cell, lines;  // lines: of a group of blocks whose rows are in order
  double* sum;
  std::size_t since = 0;  // blocks in `cell`

  static constexpr std::size_t kFew = 16;
  static_assert(kFew % kGroup == 0);

  PieceTables(const SoftRows<T>& of, const Plan<T>& plan, double* to) : rows(of), tiles(plan.tables.tiles), sum(to) {
    if (!to) return;
    coefficient.resize(tiles.forms() * kBlock), cell.resize(tiles.cells(of.expansion->entries));
    if (!of.expansion->order.empty()) lines.resize(tiles.forms() * kGroup * kBlock);
  }

  void add(std::size_t block) {
    if (lines.empty()) {
      add_to_tables(*rows.expansion, tiles, block, coefficient.data(), cell.data());
    } else {
      lay_out(tiles, block, coefficient.data(), lines.data());
      const bool is_last = block % kGroup == kGroup - 1 || block == rows.blocks - 1;
      if (is_last) add_group_to_tables(*rows.expansion, tiles, block / kGroup, lines.data(), cell.data());
    }
    if (++since == kFew) flush();
  }

  void flush() {
    for (std::size_t i = 0; i < cell.size(); ++i) sum[i] += static_cast<double>(cell[i]);
    std::fill(cell.begin(), cell.end(), T(0));
    since = 0;
  }
};

template <class T>
SOFTWOOD_INLINE void backward(const Plan<T>& plan, Workspace<T>& w, std::size_t block, double* gradient,
                              PieceTables<T>& by_tables) {
  const Shape& s = plan.shape;
  const T* x = w.phi;
  values(plan, w);
  form_sums(w.coefficient.data(), s.gates, gradient + s.columns, s.columns + 1);
  form_dots(w.reach.data(), s.leaves, w.output_slope.data(), s.outputs, gradient + s.response_begin(), s.outputs);
  if (by_tables.sum) {
    std::copy_n(w.coefficient.data(), s.gates * kBlock, by_tables.coefficient.data());
    slope_coefficients(s, w, by_tables.coefficient.data() + s.gates * kBlock);
    by_tables.add(block);
  } else {
    form_dots(w.coefficient.data(), s.gates, x, w.columns, gradient, s.columns + 1);
    slope_coefficients(s, w, w.coefficient.data());
    form_dots(w.coefficient.data(), s.slopes * s.outputs, x, w.columns, gradient + s.slope_begin(), s.columns);
  }
  if (s.own_columns.empty()) return;
  for (std::size_t leaf = 0; leaf < s.leaves; ++leaf)
    for (std::size_t q = 0; q < s.outputs; ++q)
      for (std::size_t row = 0; row < kBlock; ++row)
        w.coefficient[(leaf * s.outputs + q) * kBlock + row] =
            w.reach[leaf * kBlock + row] * w.output_slope[q * kBlock + row];
  const std::size_t own = s.own_columns.size();
  form_dots(w.coefficient.data(), s.leaves * s.outputs, w.own_phi.data(), own, gradient + s.own_begin(), own);
}

// Sum of the loss over one piece, and its gradient unless null: that of weights in `table` if the rows use tables.
template <class T>
SOFTWOOD_INLINE double run_piece(const SoftRows<T>& rows, const Plan<T>& plan, std::size_t piece, double* gradient,
                                 double* table) {
  const WithoutDenormals quick;
  Workspace<T> w(rows, plan.shape);
  PieceTables<T> by_tables(rows, plan, table);
  T loss[kBlock];
  double sum = 0;
  const std::size_t end = std::min(rows.blocks, (piece + 1) * rows.piece_blocks());
  for (std::size_t block = piece * rows.piece_blocks(); block < end; ++block) {
    forward(rows, plan, block, w);
    block_loss(rows, block, w, loss);
    const T* weight = rows.weight->data() + block * kBlock;
    double part[8] = {};  // side by side: in a single sum each addition would wait for the previous one
    for (std::size_t row = 0; row < kBlock; row += 8)
      for (std::size_t lane = 0; lane < 8; ++lane)
        part[lane] += static_cast<double>(weight[row + lane] * loss[row + lane]);
    sum += ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    if (gradient) backward(plan, w, block, gradient, by_tables);
  }
  if (table) by_tables.flush();
  return sum;
}

SOFTWOOD_CLONED(double, run,
                (const SoftRows<double>& rows, const Plan<double>& plan, std::size_t piece, double* g, double* table),
                (rows, plan, piece, g, table)) {
  return run_piece(rows, plan, piece, g, table);
}
SOFTWOOD_CLONED(double, run,
                (const SoftRows<float>& rows, const Plan<float>& plan, std::size_t piece, double* g, double* table),
                (rows, plan, piece, g, table)) {
  return run_piece(rows, plan, piece, g, table);
}

// Writes one block's outputs, in row-major order.
template <class T>
void answer_block(const SoftRows<T>& rows, const Plan<T>& plan, std::size_t block, Workspace<T>& w,
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

SOFTWOOD_CLONED(void, add_reach,
                (const SoftRows<double>& rows, const Plan<double>& plan, std::size_t block, Workspace<double>& w,
                 double* sum),
                (rows, plan, block, w, sum)) {
  add_block(rows, plan, block, w, sum);
}
SOFTWOOD_CLONED(void, add_reach,
                (const SoftRows<float>& rows, const Plan<float>& plan, std::size_t block, Workspace<float>& w,
                 double* sum),
                (rows, plan, block, w, sum)) {
  add_block(rows, plan, block, w, sum);
}

}  // namespace

template <class T>
double loss_and_gradient(const SoftRows<T>& rows, const Shape& shape, const double* parameters, double* gradient,
                         int n_threads) {
  const Plan<T> plan(rows, shape, parameters);
  const std::size_t size = gradient ? shape.parameters() : 0, pieces = rows.pieces();
  const std::size_t cells = gradient ? plan.tables.cell.size() : 0;
  std::vector<double> sums(pieces * size), losses(pieces), tables(pieces * cells);
  for_each_piece(pieces, threads_for(rows, shape, n_threads), [&](std::size_t piece) {
    losses[piece] = run(rows, plan, piece, gradient ? sums.data() + piece * size : nullptr,
                        cells ? tables.data() + piece * cells : nullptr);
  });
  double loss = 0;
  if (gradient) std::fill(gradient, gradient + size, 0.0);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    loss += losses[piece];
    for (std::size_t i = 0; i < size; ++i) gradient[i] += sums[piece * size + i];
    for (std::size_t i = 0; piece > 0 && i < cells; ++i) tables[i] += tables[piece * cells + i];
  }
  if (gradient && mixes_answers(rows.loss))
    for (std::size_t leaf = 0, at = shape.response_begin(); leaf < shape.leaves; ++leaf, at += shape.outputs) {
      const std::vector<double> answer =
          answer_of_leaf(rows.loss, parameters + shape.response_begin(), leaf, shape.outputs);
      chain_slopes(rows.loss, answer.data(), shape.outputs, gradient + at);
    }
  if (cells) {
    const std::size_t forms = shape.gates + shape.slopes * shape.outputs;
    const Tiles& tiles = plan.tables.tiles;
    table_dots(*rows.expansion, tiles, tables.data(), 0, shape.gates, gradient, shape.columns + 1);
    table_dots(*rows.expansion, tiles, tables.data(), shape.gates, forms, gradient + shape.slope_begin(),
               shape.columns);
  }
  return loss;
}

template <class T>
void evaluate_rows(const SoftRows<T>& rows, const Shape& shape, const double* parameters, const Answers& answers,
                   int n_threads) {
  const Plan<T> plan(rows, shape, parameters);
  for_each_piece(rows.pieces(), threads_for(rows, shape, n_threads), [&](std::size_t piece) {
    const WithoutDenormals quick;
    Workspace<T> w(rows, shape);
    const std::size_t end = std::min(rows.blocks, (piece + 1) * rows.piece_blocks());
    for (std::size_t block = piece * rows.piece_blocks(); block < end; ++block)
      answer_block(rows, plan, block, w, answers);
  });
}

template <class T>
void mean_reach(const SoftRows<T>& rows, const Shape& shape, const double* parameters, double* reach, int n_threads) {
  const Plan<T> plan(rows, shape, parameters);
  const std::size_t nodes = shape.nodes(), pieces = rows.pieces();
  std::vector<double> sums(pieces * nodes);
  for_each_piece(pieces, threads_for(rows, shape, n_threads), [&](std::size_t piece) {
    const WithoutDenormals quick;
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
