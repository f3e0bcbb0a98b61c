// The direction of a leaf's split: mean and spread of the columns among its rows, and their covariance with the slope
// of the loss. One pass over the rows, twin of kernels/reference/gradient.py.
#include <cmath>
#include <vector>

#include "core/machine.hpp"
#include "core/parallel.hpp"
#include "simd/block_product.hpp"
#include "soft/forward_pass.hpp"

namespace softwood::soft {

// Sums over the rows of a piece: [1, slope of each output][column, 1] times reach, and reach * column^2. Where the rows
// go by tables, sums by segment instead: [entry][1, t, t^2 times reach; 1, t times reach * slope of each output].
struct DirectionSums {
  std::vector<double> form, square, cell;
  DirectionSums(std::size_t outputs, std::size_t columns, std::size_t entries)
      : form((1 + outputs) * (columns + 1)), square(columns), cell(entries * (3 + 2 * outputs)) {}
};

namespace {

template <class T>
SOFTWOOD_INLINE void add_to_cells(const Expansion<T>& of, std::size_t block, std::size_t outputs, const T* coefficient,
                                  double* cell) {
  const std::size_t width = 3 + 2 * outputs;
  for (std::size_t u = 0; u < of.used.size(); ++u) {
    const std::size_t begin = (block * of.inputs + of.used[u]) * kBlock;
    for (std::size_t row = 0; row < kBlock; ++row) {
      const double t = static_cast<double>(of.t[begin + row]), reach = static_cast<double>(coefficient[row]);
      double* to = cell + (of.entry_begin[u] + of.segment[begin + row]) * width;
      to[0] += reach, to[1] += reach * t, to[2] += reach * t * t;
      for (std::size_t q = 0; q < outputs; ++q) {
        const double slope = static_cast<double>(coefficient[(1 + q) * kBlock + row]);
        to[3 + 2 * q] += slope, to[4 + 2 * q] += slope * t;
      }
    }
  }
}

// From sums by segment to sums by column.
template <class T>
void take_cells(const Expansion<T>& of, std::size_t outputs, DirectionSums& sums) {
  const std::size_t width = 3 + 2 * outputs;
  for (std::size_t u = 0; u < of.used.size(); ++u)
    for (std::size_t c = of.column_begin[of.used[u]]; c < of.column_begin[of.used[u] + 1]; ++c)
      for (std::size_t entry = of.entry_begin[u]; entry < of.entry_begin[u + 1]; ++entry) {
        const std::size_t at = of.table_begin[c] + entry - of.entry_begin[u];
        const double height = static_cast<double>(of.height[at]), slope = static_cast<double>(of.slope[at]);
        const double* cell = sums.cell.data() + entry * width;
        sums.form[c] += height * cell[0] + slope * cell[1];
        sums.square[c] += height * height * cell[0] + 2 * height * slope * cell[1] + slope * slope * cell[2];
        for (std::size_t q = 0; q < outputs; ++q)
          sums.form[(1 + q) * (of.columns + 1) + c] += height * cell[3 + 2 * q] + slope * cell[4 + 2 * q];
      }
}

template <class T>
SOFTWOOD_INLINE void add_block(const SoftRows<T>& rows, const Plan<T>& plan, std::size_t node, std::size_t block,
                               Workspace<T>& w, std::vector<T>& coefficient, DirectionSums& sums) {
  const std::size_t columns = rows.columns, outputs = rows.outputs;
  T loss[kBlock];
  forward(rows, plan, block, w);
  block_loss(rows, block, w, loss);
  const T *weight = rows.weight->data() + block * kBlock, *reach = w.reach.data() + plan.place[node] * kBlock;
  for (std::size_t row = 0; row < kBlock; ++row) coefficient[row] = weight[row] * reach[row];
  for (std::size_t q = 0; q < outputs; ++q)
    for (std::size_t row = 0; row < kBlock; ++row)
      coefficient[(1 + q) * kBlock + row] = reach[row] * w.output_slope[q * kBlock + row];
  form_sums(coefficient.data(), 1 + outputs, sums.form.data() + columns, columns + 1);
  if (rows.by_tables()) return add_to_cells(*rows.expansion, block, outputs, coefficient.data(), sums.cell.data());
  form_dots(coefficient.data(), 1 + outputs, w.phi, w.columns, sums.form.data(), columns + 1);
  for (std::size_t place = 0; place < w.columns.count; ++place) {
    const std::size_t c = w.columns.at ? static_cast<std::size_t>(w.columns.at[place]) : place;
    T sum[8] = {};
    for (std::size_t row = 0; row < kBlock; row += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const T x = w.phi[c * kBlock + row + lane];
        sum[lane] += coefficient[row + lane] * x * x;
      }
    for (const T part : sum) sums.square[c] += static_cast<double>(part);
  }
}

SOFTWOOD_CLONED(void, add,
                (const SoftRows<double>& rows, const Plan<double>& plan, std::size_t node, std::size_t block,
                 Workspace<double>& w, std::vector<double>& coefficient, DirectionSums& sums),
                (rows, plan, node, block, w, coefficient, sums)) {
  add_block(rows, plan, node, block, w, coefficient, sums);
}
SOFTWOOD_CLONED(void, add,
                (const SoftRows<float>& rows, const Plan<float>& plan, std::size_t node, std::size_t block,
                 Workspace<float>& w, std::vector<float>& coefficient, DirectionSums& sums),
                (rows, plan, node, block, w, coefficient, sums)) {
  add_block(rows, plan, node, block, w, coefficient, sums);
}

SplitDirection from_sums(const DirectionSums& sums, std::size_t outputs, std::size_t columns) {
  SplitDirection direction;
  const double total = std::max(sums.form[columns], 1e-300);
  for (std::size_t c = 0; c < columns; ++c) {
    direction.mean.push_back(sums.form[c] / total);
    direction.spread.push_back(
        std::sqrt(std::max(sums.square[c] / total - direction.mean[c] * direction.mean[c], 0.0)));
  }
  for (std::size_t q = 1; q <= outputs; ++q) {
    const double* form = sums.form.data() + q * (columns + 1);
    for (std::size_t c = 0; c < columns; ++c)
      direction.covariance.push_back(form[c] - form[columns] * direction.mean[c]);
  }
  return direction;
}

}  // namespace

template <class T>
SplitDirection find_split_direction(const SoftRows<T>& rows, const Shape& shape, const double* parameters,
                                    std::size_t node, int n_threads) {
  const Plan<T> plan(rows, shape, parameters);
  const std::size_t entries = rows.by_tables() ? rows.expansion->entries : 0;
  std::vector<DirectionSums> sums(rows.pieces(), DirectionSums(rows.outputs, rows.columns, entries));
  for_each_piece(rows.pieces(), threads_for(rows, shape, n_threads), [&](std::size_t piece) {
    const WithoutDenormals quick;
    Workspace<T> w(rows, shape);
    std::vector<T> coefficient((1 + rows.outputs) * kBlock);
    const std::size_t end = std::min(rows.blocks, (piece + 1) * rows.piece_blocks());
    for (std::size_t block = piece * rows.piece_blocks(); block < end; ++block)
      add(rows, plan, node, block, w, coefficient, sums[piece]);
  });
  DirectionSums all(rows.outputs, rows.columns, entries);
  for (const DirectionSums& one : sums) {
    for (std::size_t i = 0; i < all.form.size(); ++i) all.form[i] += one.form[i];
    for (std::size_t i = 0; i < all.square.size(); ++i) all.square[i] += one.square[i];
    for (std::size_t i = 0; i < all.cell.size(); ++i) all.cell[i] += one.cell[i];
  }
  if (entries) take_cells(*rows.expansion, rows.outputs, all);
  SplitDirection direction = from_sums(all, rows.outputs, rows.columns);
  if (mixes_answers(rows.loss) && shape.leaf[node] >= 0) {
    const std::vector<double> answer = answer_of_leaf(rows.loss, parameters + shape.response_begin(),
                                                      static_cast<std::size_t>(shape.leaf[node]), rows.outputs);
    for (std::size_t c = 0; c < rows.columns; ++c)
      chain_slopes(rows.loss, answer.data(), rows.outputs, direction.covariance.data() + c, rows.columns);
  }
  return direction;
}

template SplitDirection find_split_direction(const SoftRows<double>&, const Shape&, const double*, std::size_t, int);
template SplitDirection find_split_direction(const SoftRows<float>&, const Shape&, const double*, std::size_t, int);

}  // namespace softwood::soft
