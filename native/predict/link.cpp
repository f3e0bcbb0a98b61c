#include "predict/link.hpp"

#include <algorithm>
#include <cmath>

#include "simd/block_loops.hpp"
#include "simd/elementary.hpp"

namespace softwood {
namespace {

double sigmoid(double score) {
  const double e = elementary::exp(-std::fabs(score));
  return (score >= 0.0 ? 1.0 : e) / (1.0 + e);
}

// In NumPy's order: few numbers one after the other, more in eight sums, very many by halving.
double sum(const double* value, std::size_t n) {
  constexpr std::size_t LANES = 8, MOST = 128;
  if (n > MOST) {
    const std::size_t half = n / 2 - n / 2 % LANES;
    return sum(value, half) + sum(value + half, n - half);
  }
  double total = 0.0;
  std::size_t i = 0;
  if (n >= LANES) {
    double lane[LANES];
    std::copy_n(value, LANES, lane);
    for (i = LANES; i < n - n % LANES; i += LANES) {
      for (std::size_t k = 0; k < LANES; ++k) lane[k] += value[i + k];
    }
    total = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  }
  for (; i < n; ++i) total += value[i];
  return total;
}

void apply_softmax(const double* output, std::size_t n, double* answer) {
  double largest = output[0];
  for (std::size_t k = 1; k < n; ++k) {
    if (output[k] > largest || std::isnan(output[k])) largest = output[k];
  }
  for (std::size_t k = 0; k < n; ++k) answer[k] = output[k] - largest;
  exp_lanes(answer, n);
  const double total = sum(answer, n);
  for (std::size_t k = 0; k < n; ++k) answer[k] /= total;
}

}  // namespace

void apply_link(Link link, const double* output, std::size_t rows, std::size_t n_outputs, double* answer) {
  if (link == Link::softmax) {
    for (std::size_t row = 0; row < rows; ++row)
      apply_softmax(output + row * n_outputs, n_outputs, answer + row * n_outputs);
  } else if (link == Link::identity) {
    std::copy_n(output, rows * n_outputs, answer);
  } else if (link == Link::log) {
    std::copy_n(output, rows * n_outputs, answer);
    exp_lanes(answer, rows * n_outputs);
  } else if (n_outputs == 1) {
    for (std::size_t row = 0; row < rows; ++row) {
      const double p = sigmoid(output[row]);
      answer[2 * row] = 1.0 - p;
      answer[2 * row + 1] = p;
    }
  } else {
    std::transform(output, output + rows * n_outputs, answer, sigmoid);
  }
}

void find_largest(const double* answer, std::size_t rows, std::size_t n_answers, std::int64_t* place) {
  for (std::size_t row = 0; row < rows; ++row, answer += n_answers) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < n_answers && !std::isnan(answer[best]); ++k) {
      if (answer[k] > answer[best] || std::isnan(answer[k])) best = k;
    }
    place[row] = static_cast<std::int64_t>(best);
  }
}

}  // namespace softwood
