// The potential gain of a new gate, and the rows for a subtree; twin of kernels/reference/gradient.py.
//
//   histogram[node][input][bin] = sum over rows in the bin of [reach * slope, reach^2 * curvature]
//
// slope and curvature are the first two derivatives of the loss by each output. A step z of the node's response changes
// the output by reach * z, so the best step is -(sum reach slope) / (sum reach^2 curvature).
#include <vector>

#include "core/machine.hpp"
#include "core/parallel.hpp"
#include "simd/scalar_exp.hpp"
#include "soft/leaf_link.hpp"
#include "soft/number_losses.hpp"
#include "soft/soft_rows.hpp"

namespace softwood::soft {
namespace {

constexpr double kFlat = 1e-4;  // minimum curvature of a class loss: rows predicted with certainty still count

// First and second derivative of the loss by each output, for one row; `output` is overwritten.
void derivatives(LossKind loss, double parameter, std::size_t outputs, const double* target, double* output,
                 double* slope, double* curvature) {
  if (loss == LossKind::squared) {
    for (std::size_t q = 0; q < outputs; ++q) slope[q] = output[q] - target[q], curvature[q] = 1;
    return;
  }
  if (loss != LossKind::logistic && loss != LossKind::softmax) {
    with_number_loss(loss, parameter, [&](const auto& formula) {
      for (std::size_t q = 0; q < outputs; ++q) {
        slope[q] = formula(output[q], target[q]).slope;
        curvature[q] = expected_curvature(loss, parameter, output[q]);
      }
    });
    return;
  }
  if (loss == LossKind::logistic) {
    output[0] = 1 / (1 + vector_exp(-output[0]));
  } else {
    double top = output[0], sum = 0;
    for (std::size_t q = 1; q < outputs; ++q) top = std::max(top, output[q]);
    for (std::size_t q = 0; q < outputs; ++q) sum += output[q] = vector_exp(output[q] - top);
    for (std::size_t q = 0; q < outputs; ++q) output[q] /= sum;
  }
  for (std::size_t q = 0; q < outputs; ++q) {
    slope[q] = output[q] - target[q];
    curvature[q] = output[q] * (1 - output[q]) + kFlat;
  }
}

// Adds a row's numbers to the cell of its bin, for every input.
SOFTWOOD_CLONED(void, add_row,
                (const double* sums, std::size_t n, const std::uint8_t* bin, std::size_t inputs, std::size_t bins,
                 double* table),
                (sums, n, bin, inputs, bins, table)) {
  if (n == 2) {  // one output: without a loop
    for (std::size_t input = 0; input < inputs; ++input) {
      double* cell = table + (input * bins + bin[input]) * 2;
      cell[0] += sums[0], cell[1] += sums[1];
    }
    return;
  }
  for (std::size_t input = 0; input < inputs; ++input) {
    double* cell = table + (input * bins + bin[input]) * n;
    for (std::size_t i = 0; i < n; ++i) cell[i] += sums[i];
  }
}

// A leaf's sums by its predictions become sums by its responses.
void chain_sums(LossKind loss, const Shape& shape, const double* parameters, std::size_t node, double* sums,
                std::size_t size) {
  const std::size_t k = shape.outputs;
  const std::vector<double> answer =
      answer_of_leaf(loss, parameters + shape.response_begin(), static_cast<std::size_t>(shape.leaf[node]), k);
  for (double* cell = sums; cell < sums + size; cell += 2 * k) {
    chain_slopes(loss, answer.data(), k, cell);
    chain_curvatures(loss, answer.data(), k, cell + k);
  }
}

}  // namespace

template <class T>
SoftRows<T> rows_under(const SoftRows<T>& rows, const Shape& shape, const double* parameters, std::size_t node,
                       int n_threads) {
  const std::size_t nodes = shape.nodes(), k = shape.outputs;
  std::vector<double> reach(rows.rows * nodes), output(rows.rows * k),
      without(parameters, parameters + shape.parameters());
  // The node's own leaf contributes 0 to the offset, since the new subtree replaces it.
  for (std::size_t q = 0; q < k; ++q)
    without[shape.response_begin() + shape.leaf[node] * k + q] = silent_response(rows.loss);
  Answers answers;
  answers.reach = reach.data(), answers.output = output.data();
  evaluate_rows(rows, shape, without.data(), answers, n_threads);
  SoftRows<T> under(rows);
  under.arrival.assign(rows.blocks * kBlock, T(0));
  under.offset.assign(rows.blocks * k * kBlock, T(0));
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const std::size_t block = row / kBlock, at = row % kBlock;
    under.arrival[block * kBlock + at] = static_cast<T>(reach[row * nodes + node]);
    for (std::size_t q = 0; q < k; ++q)
      under.offset[(block * k + q) * kBlock + at] = static_cast<T>(output[row * k + q]);
  }
  return under;
}

template <class T>
void reach_histograms(const SoftRows<T>& rows, const Shape& shape, const double* parameters, const std::uint8_t* bin,
                      std::size_t inputs, std::size_t bins, const std::vector<std::size_t>& nodes, double* histogram,
                      int n_threads) {
  const std::size_t all = shape.nodes(), k = shape.outputs, size = inputs * bins * 2 * k;
  std::vector<double> reach(rows.rows * all), output(rows.rows * k);
  Answers answers;
  answers.reach = reach.data(), answers.output = output.data();
  evaluate_rows(rows, shape, parameters, answers, n_threads);
  std::vector<double> slope(rows.rows * k), curvature(rows.rows * k), target(k);
  for (std::size_t row = 0; row < rows.rows; ++row) {
    const std::size_t block = row / kBlock, at = row % kBlock;
    const double weight = static_cast<double>((*rows.weight)[row]);
    for (std::size_t q = 0; q < k; ++q) target[q] = static_cast<double>((*rows.target)[(block * k + q) * kBlock + at]);
    derivatives(rows.loss, static_cast<double>(rows.loss_parameter), k, target.data(), &output[row * k],
                &slope[row * k], &curvature[row * k]);
    for (std::size_t q = 0; q < k; ++q) slope[row * k + q] *= weight, curvature[row * k + q] *= weight;
  }
  std::fill(histogram, histogram + nodes.size() * size, 0.0);
  // One piece is one node: its sums are its own, in row order.
  for_each_piece(nodes.size(), n_threads, [&](std::size_t piece) {
    std::vector<double> sums(2 * k);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      const double r = reach[row * all + nodes[piece]];
      if (r < 1e-4) continue;
      for (std::size_t q = 0; q < k; ++q) {
        sums[q] = r * slope[row * k + q];
        sums[k + q] = r * r * curvature[row * k + q];
      }
      add_row(sums.data(), 2 * k, bin + row * inputs, inputs, bins, histogram + piece * size);
    }
    if (mixes_answers(rows.loss) && shape.leaf[nodes[piece]] >= 0)
      chain_sums(rows.loss, shape, parameters, nodes[piece], histogram + piece * size, size);
  });
}

template SoftRows<double> rows_under(const SoftRows<double>&, const Shape&, const double*, std::size_t, int);
template SoftRows<float> rows_under(const SoftRows<float>&, const Shape&, const double*, std::size_t, int);
template void reach_histograms(const SoftRows<double>&, const Shape&, const double*, const std::uint8_t*, std::size_t,
                               std::size_t, const std::vector<std::size_t>&, double*, int);
template void reach_histograms(const SoftRows<float>&, const Shape&, const double*, const std::uint8_t*, std::size_t,
                               std::size_t, const std::vector<std::size_t>&, double*, int);

}  // namespace softwood::soft
