// Gradient descent on one new split of a soft tree, row by row: the inner loop of the incremental learner (ICPR 2012).
//
//   output = offset + reach (share first + (1 - share) second),   share = sigmoid(weight . x + bias)
//   delta  = (answer - target) reach
//   weight -= step delta . (first - second) share (1 - share) x,  first -= step delta share,  second -= step delta (1 -
//   share)
//
// with momentum and a step that shrinks a little at every row.
#include "incremental.hpp"

#include <cmath>

namespace softwood::soft {
namespace {

void answer(const SplitRows& rows, double* output) {
  if (rows.loss == Loss::kSquared) return;
  if (rows.loss == Loss::kLogistic) {
    output[0] = 1 / (1 + std::exp(-output[0]));
    return;
  }
  double top = output[0], sum = 0;
  for (std::size_t q = 1; q < rows.outputs; ++q) top = std::max(top, output[q]);
  for (std::size_t q = 0; q < rows.outputs; ++q) sum += output[q] = std::exp(output[q] - top);
  for (std::size_t q = 0; q < rows.outputs; ++q) output[q] /= sum;
}

}  // namespace

void descend(const SplitRows& rows, const std::int64_t* order, double step, double momentum, double decay,
             Split& split) {
  const std::size_t d = rows.columns, k = rows.outputs;
  std::vector<double> delta(k), output(k);
  for (std::size_t i = 0; i < rows.rows; ++i, step *= decay) {
    const auto row = static_cast<std::size_t>(order[i]);
    const double* x = rows.x + row * d;
    double score = split.gate[d];
    for (std::size_t j = 0; j < d; ++j) score += split.gate[j] * x[j];
    const double share = 1 / (1 + std::exp(-score)), reach = rows.reach[row], scale = step * rows.weight[row];
    double pull = 0;
    for (std::size_t q = 0; q < k; ++q)
      output[q] = rows.offset[row * k + q] + reach * (share * split.first[q] + (1 - share) * split.second[q]);
    answer(rows, output.data());
    for (std::size_t q = 0; q < k; ++q) {
      delta[q] = (output[q] - rows.target[row * k + q]) * reach;
      pull += delta[q] * (split.first[q] - split.second[q]);
    }
    pull *= share * (1 - share);
    auto move = [&](double& value, double& speed, double slope) {
      speed = momentum * speed - scale * slope;
      value += speed;
    };
    for (std::size_t j = 0; j < d; ++j) move(split.gate[j], split.gate_speed[j], pull * x[j]);
    move(split.gate[d], split.gate_speed[d], pull);
    for (std::size_t q = 0; q < k; ++q) {
      move(split.first[q], split.first_speed[q], delta[q] * share);
      move(split.second[q], split.second_speed[q], delta[q] * (1 - share));
    }
  }
}

}  // namespace softwood::soft
