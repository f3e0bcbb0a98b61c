// The threshold with the largest gain in a node's histogram; twin of kernels/reference/thresholds.py.
#include <algorithm>
#include <vector>

#include "soft/newton_gain.hpp"
#include "soft/soft_rows.hpp"

namespace softwood::soft {
namespace {

// Adds a bin's numbers to those of the bins before.
SOFTWOOD_INLINE void add(const double* __restrict bin, std::size_t n, double* __restrict sum) {
  for (std::size_t i = 0; i < n; ++i) sum[i] += bin[i];
}

// The best of one input: `table` is [bin][2][output]; replaces `best` if it is better. `sums` has room for 4 * outputs.
SOFTWOOD_CLONED(void, search_input,
                (const double* table, std::size_t input, std::size_t cuts, std::size_t bins, std::size_t outputs,
                 double ridge, double* sums, Threshold& best),
                (table, input, cuts, bins, outputs, ridge, sums, best)) {
  const std::size_t width = 2 * outputs;
  double *all = sums, *first = sums + width;
  std::fill(sums, sums + 2 * width, 0.0);
  for (std::size_t bin = 0; bin < bins; ++bin) add(table + bin * width, width, all);
  const double before = newton_gain(all, outputs, ridge);
  for (std::size_t bin = 0; bin < cuts; ++bin) {
    add(table + bin * width, width, first);
    const double gain = newton_gain_of_sides(all, first, outputs, ridge) - before;
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
      search_input(histogram + (node * inputs + input) * size, input, cuts[input], bins, outputs, ridge, sums.data(),
                   best[node]);
  return best;
}

}  // namespace softwood::soft
