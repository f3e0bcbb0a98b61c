// The threshold at which a node's histogram gains most; twin of kernels/reference/thresholds.py.
#include <algorithm>
#include <vector>

#include "machine.hpp"
#include "soft.hpp"

namespace softwood::soft {
namespace {

constexpr std::size_t kSide = 8;  // sums side by side: a single one would have each addition wait for the last

// Adds a bin's numbers to those of the bins before.
SOFTWOOD_INLINE void add(const double* __restrict bin, std::size_t n, double* __restrict sum) {
  for (std::size_t i = 0; i < n; ++i) sum[i] += bin[i];
}

// The sum of part(0) to part(n - 1).
template <class Part>
SOFTWOOD_INLINE double total(std::size_t n, Part&& part) {
  double sum[kSide] = {}, rest = 0;
  std::size_t i = 0;
  for (; i + kSide <= n; i += kSide)
    for (std::size_t lane = 0; lane < kSide; ++lane) sum[lane] += part(i + lane);
  for (; i < n; ++i) rest += part(i);
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) + rest;
}

// Twice what the best step saves, given [slope, curvature] of every output.
SOFTWOOD_INLINE double drop(const double* all, std::size_t outputs, double ridge) {
  return total(outputs,
               [&](std::size_t q) SOFTWOOD_INLINE_LAMBDA { return all[q] * all[q] / (all[outputs + q] + ridge); });
}

// The same of two sides, of which the second is all less the first; a / b + c / d takes one division.
SOFTWOOD_INLINE double drop_apart(const double* all, const double* first, std::size_t outputs, double ridge) {
  return total(outputs, [&](std::size_t q) SOFTWOOD_INLINE_LAMBDA {
    const double a = first[q], b = first[outputs + q] + ridge;
    const double c = all[q] - a, d = all[outputs + q] - first[outputs + q] + ridge;
    return (a * a * d + c * c * b) / (b * d);
  });
}

// The best of one input: `table` is [bin][2][output]; `best` is told if it is better. `sums` has room for 4 * outputs.
SOFTWOOD_CLONES void seek(const double* table, std::size_t input, std::size_t cuts, std::size_t bins,
                          std::size_t outputs, double ridge, double* sums, Threshold& best) {
  const std::size_t width = 2 * outputs;
  double *all = sums, *first = sums + width;
  std::fill(sums, sums + 2 * width, 0.0);
  for (std::size_t bin = 0; bin < bins; ++bin) add(table + bin * width, width, all);
  const double before = drop(all, outputs, ridge);
  for (std::size_t bin = 0; bin < cuts; ++bin) {
    add(table + bin * width, width, first);
    const double gain = drop_apart(all, first, outputs, ridge) - before;
    if (gain > best.gain) best = {gain, input, bin};
  }
}

}  // namespace

std::vector<Threshold> best_thresholds(const double* histogram, std::size_t nodes, const std::vector<std::size_t>& cuts,
                                       std::size_t bins, std::size_t outputs, double ridge) {
  const std::size_t inputs = cuts.size(), size = bins * 2 * outputs;
  std::vector<Threshold> best(nodes);
  std::vector<double> sums(4 * outputs);
  for (std::size_t node = 0; node < nodes; ++node)
    for (std::size_t input = 0; input < inputs; ++input)
      seek(histogram + (node * inputs + input) * size, input, cuts[input], bins, outputs, ridge, sums.data(),
           best[node]);
  return best;
}

}  // namespace softwood::soft
