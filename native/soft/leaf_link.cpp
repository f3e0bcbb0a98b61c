#include "soft/leaf_link.hpp"

#include <algorithm>
#include <cmath>

#include "simd/scalar_exp.hpp"

namespace softwood::soft {
namespace {

void answer_leaf(LossKind loss, double* response, std::size_t outputs) {
  double top = response[0], sum = 0;
  for (std::size_t q = 1; q < outputs; ++q) top = std::max(top, response[q]);
  for (std::size_t q = 0; q < outputs; ++q) {
    const double r = response[q];
    if (std::isinf(r) && r < 0) {
      response[q] = 0;
    } else if (loss == LossKind::probability) {
      const double tail = simd::vector_exp(r > 0 ? -r : r);
      response[q] = (r > 0 ? 1 : tail) / (1 + tail);
    } else {
      response[q] = simd::vector_exp(loss == LossKind::probabilities ? r - top : r);
    }
    sum += response[q];
  }
  if (loss == LossKind::probabilities && sum > 0)
    for (std::size_t q = 0; q < outputs; ++q) response[q] /= sum;
}

}  // namespace

void answer_leaves(LossKind loss, double* response, std::size_t leaves, std::size_t outputs) {
  if (!mixes_answers(loss)) return;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) answer_leaf(loss, response + leaf * outputs, outputs);
}

void chain_slopes(LossKind loss, const double* answer, std::size_t outputs, double* slope, std::size_t stride) {
  double mean = 0;
  if (loss == LossKind::probabilities)
    for (std::size_t q = 0; q < outputs; ++q) mean += answer[q] * slope[q * stride];
  for (std::size_t q = 0; q < outputs; ++q) {
    const double a = answer[q], s = slope[q * stride];
    if (loss == LossKind::probability) slope[q * stride] = s * (a * (1 - a));
    if (loss == LossKind::probabilities) slope[q * stride] = a * (s - mean);
    if (loss == LossKind::mean) slope[q * stride] = s * a;
  }
}

void chain_curvatures(LossKind loss, const double* answer, std::size_t outputs, double* curvature) {
  double total = 0;
  for (std::size_t q = 0; q < outputs; ++q) total += answer[q] * answer[q] * curvature[q];
  for (std::size_t q = 0; q < outputs; ++q) {
    const double a = answer[q], c = curvature[q], rest = a * (1 - a);
    if (loss == LossKind::probability) curvature[q] = c * (rest * rest);
    if (loss == LossKind::probabilities) curvature[q] = a * a * (total + (1 - 2 * a) * c);
    if (loss == LossKind::mean) curvature[q] = c * (a * a);
  }
}

std::vector<double> answer_of_leaf(LossKind loss, const double* response, std::size_t leaf, std::size_t outputs) {
  std::vector<double> answer(response + leaf * outputs, response + (leaf + 1) * outputs);
  answer_leaves(loss, answer.data(), 1, outputs);
  return answer;
}

}  // namespace softwood::soft
