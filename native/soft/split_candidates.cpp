#include "soft/split_candidates.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/symmetric_matrix.hpp"
#include "soft/newton_gain.hpp"

namespace softwood::soft {
namespace {

using Vector = std::vector<double>;

constexpr double kTiny = 1e-300;
constexpr double kNarrow = 1e-9;  // a spread of scores too small to separate rows

// The leaf that is to be split: what it answers, and its histogram [input][bin][2][output].
struct Leaf {
  std::size_t node;
  const double *here, *table;
  std::size_t bins, outputs, columns;

  std::size_t width() const { return 2 * outputs; }
  const double* bin(std::size_t input, std::size_t b) const { return table + (input * bins + b) * width(); }
};

// Adds a bin's [slope, curvature] of every output.
void add(const double* bin, Vector& sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += bin[i];
}

// What it answers now and the best step from there.
Vector stepped(const Leaf& leaf, const Vector& sum, double ridge) {
  Vector answer(leaf.here, leaf.here + leaf.outputs);
  for (std::size_t q = 0; q < leaf.outputs; ++q) answer[q] -= sum[q] / (sum[leaf.outputs + q] + ridge);
  return answer;
}

// Of two sides, the second is all less the first.
Vector rest_of(const Vector& all, const Vector& first) {
  Vector rest(all);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= first[i];
  return rest;
}

SplitCandidate number_start(const Leaf& leaf, const SplitFeatures& split_features, const Threshold& best,
                            const CandidateOptions& how) {
  const double ridge = 1 / how.total_weight;
  Vector first(leaf.width()), all(leaf.width());
  for (std::size_t b = 0; b < leaf.bins; ++b) {
    add(leaf.bin(best.input, b), all);
    if (b <= best.bin) add(leaf.bin(best.input, b), first);
  }
  Vector gate(leaf.columns + 1);
  gate[static_cast<std::size_t>(split_features.linear[best.input])] = -how.slope;
  gate.back() = how.slope * split_features.at_cut[best.input][best.bin];
  return {leaf.node, best.gain, std::move(gate), stepped(leaf, first, ridge),
          stepped(leaf, rest_of(all, first), ridge)};
}

// The index of the number farthest from 0 among the first n; on ties, the first.
std::size_t farthest(const Vector& values, std::size_t n) {
  const auto nearer = [](double a, double b) { return std::abs(a) < std::abs(b); };
  return static_cast<std::size_t>(
      std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n), nearer) - values.begin());
}

// The steps that levels ask for as one number each: with several outputs along the direction in which they differ most.
Vector along(const Vector& step, const Vector& weight, std::size_t k) {
  if (k == 1) return step;
  const std::size_t n = weight.size();
  Vector mean(k), spread(k * k), answer(n);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    total += weight[i] + kTiny;
    for (std::size_t q = 0; q < k; ++q) mean[q] += (weight[i] + kTiny) * step[i * k + q];
  }
  for (double& m : mean) m /= total;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t q = 0; q < k; ++q)
      for (std::size_t p = q; p < k; ++p)
        spread[q * k + p] += weight[i] * (step[i * k + q] - mean[q]) * (step[i * k + p] - mean[p]);
  const Vector direction = symmetric::eigen(spread.data(), k, k).vector;  // the first row
  const double sign = direction[farthest(direction, k)] < 0 ? -1 : 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t q = 0; q < k; ++q) answer[i] += step[i * k + q] * sign * direction[q];
  return answer;
}

std::vector<std::size_t> in_rising_order(const Vector& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

std::optional<SplitCandidate> level_start(const Leaf& leaf, const Levels& levels, const CandidateOptions& how) {
  const std::size_t n = levels.bin.size(), k = leaf.outputs;
  if (n < 2) return std::nullopt;
  const double ridge = 1 / how.total_weight;
  Vector step(n * k), weight(n), all(leaf.width()), first(leaf.width()), best_first;
  for (std::size_t i = 0; i < n; ++i) {
    const double* mine = leaf.bin(levels.input, levels.bin[i]);
    for (std::size_t q = 0; q < k; ++q) {
      step[i * k + q] = -mine[q] / (mine[k + q] + how.level_rows / how.total_weight);
      weight[i] += mine[k + q];
    }
    add(mine, all);
  }
  const std::vector<std::size_t> order = in_rising_order(along(step, weight, k));
  double most = -std::numeric_limits<double>::infinity();
  std::size_t last = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    add(leaf.bin(levels.input, levels.bin[order[i]]), first);
    const double gain = newton_gain_of_sides(all.data(), first.data(), k, ridge) - newton_gain(all.data(), k, ridge);
    if (gain > most) most = gain, last = i, best_first = first;
  }
  if (!(most > 0)) return std::nullopt;
  Vector gate(leaf.columns + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t level = order[i];
    const double weight_of = (i <= last ? how.slope : -how.slope) / levels.height[level];
    gate[levels.column[level]] = weight_of;
    gate.back() -= weight_of * levels.elsewhere[level];
  }
  return SplitCandidate{leaf.node, most, std::move(gate), stepped(leaf, best_first, ridge),
                        stepped(leaf, rest_of(all, best_first), ridge)};
}

// The direction of columns that covaries most with the slope of the loss, falling where the slope of the output that
// matters most rises; empty if there is none.
Vector split_direction_of(Vector covariance, std::size_t k, std::size_t columns) {
  if (!std::all_of(covariance.begin(), covariance.end(), [](double c) { return std::isfinite(c); })) return {};
  const double most = covariance.empty() ? 0 : std::abs(covariance[farthest(covariance, covariance.size())]);
  if (most == 0) return {};
  for (double& c : covariance) c /= most;  // so that squares neither overflow nor vanish
  Vector gram(k * k), direction(columns);
  for (std::size_t q = 0; q < k; ++q)
    for (std::size_t p = q; p < k; ++p)
      for (std::size_t c = 0; c < columns; ++c)
        gram[q * k + p] += covariance[q * columns + c] * covariance[p * columns + c];
  const Vector left = symmetric::eigen(gram.data(), k, k).vector;  // the first row
  const double* heaviest = covariance.data() + farthest(left, k) * columns;
  double square = 0, falls = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t q = 0; q < k; ++q) direction[c] += left[q] * covariance[q * columns + c];
    square += direction[c] * direction[c];
    falls += direction[c] * heaviest[c];
  }
  for (double& d : direction) d *= (falls < 0 ? 1 : -1) / std::sqrt(square);
  return direction;
}

std::optional<SplitCandidate> oblique_candidate(const SplitDirection& direction, const Leaf& leaf,
                                                const SplitCandidate& axis, double slope) {
  const std::size_t k = leaf.outputs, columns = leaf.columns;
  Vector gate = split_direction_of(direction.covariance, k, columns);
  if (gate.empty()) return std::nullopt;
  double square = 0, bias = 0;
  for (std::size_t c = 0; c < columns; ++c) square += gate[c] * direction.spread[c] * (gate[c] * direction.spread[c]);
  const double width = std::sqrt(square);
  if (!(width >= kNarrow)) return std::nullopt;
  for (std::size_t c = 0; c < columns; ++c) gate[c] *= slope / width, bias -= direction.mean[c] * gate[c];
  Vector first(leaf.here, leaf.here + k), second(first);
  for (std::size_t q = 0; q < k; ++q) {
    // Where the score rises and the slope of the loss falls, more output helps: there the first child answers more.
    double rises = 0;
    for (std::size_t c = 0; c < columns; ++c) rises += direction.covariance[q * columns + c] * gate[c];
    const double step = 0.5 * std::abs(axis.first[q] - axis.second[q]) * (rises < 0 ? 1 : rises > 0 ? -1 : 0);
    first[q] += step, second[q] -= step;
  }
  gate.push_back(bias);
  return SplitCandidate{leaf.node, axis.gain, std::move(gate), std::move(first), std::move(second)};
}

// The best split of a leaf by one input, a number or a category; none if nothing gains.
std::optional<SplitCandidate> axis_start(const Leaf& leaf, const SplitFeatures& split_features, const Threshold& number,
                                         const CandidateOptions& how) {
  std::optional<SplitCandidate> best;
  for (const Levels& levels : split_features.levels) {
    std::optional<SplitCandidate> start = level_start(leaf, levels, how);
    if (start && start->gain > (best ? best->gain : number.gain)) best = std::move(start);
  }
  if (!best && number.gain > 0) best = number_start(leaf, split_features, number, how);
  return best;
}

template <class T>
std::vector<std::size_t> leaves_with_rows(const SoftRows<T>& rows, const Shape& shape, const double* parameters,
                                          const CandidateOptions& how, int n_threads) {
  Vector reach(shape.nodes());
  mean_reach(rows, shape, parameters, reach.data(), n_threads);
  std::vector<std::size_t> found;
  for (std::size_t node = 0; node < shape.nodes(); ++node)
    if (shape.leaf[node] >= 0 && reach[node] * how.total_weight > how.least_rows) found.push_back(node);
  return found;
}

}  // namespace

bool SplitCandidate::by_one_column() const {
  return std::count_if(gate.begin(), gate.end() - 1, [](double weight) { return weight != 0; }) == 1;
}

template <class T>
std::vector<SplitCandidate> find_split_candidates(const SoftRows<T>& rows, const Shape& shape, const double* parameters,
                                                  const Binned& binned, const SplitFeatures& split_features,
                                                  const CandidateOptions& how, int n_threads) {
  const std::vector<std::size_t> nodes = leaves_with_rows(rows, shape, parameters, how, n_threads);
  const std::size_t k = shape.outputs, size = binned.inputs * binned.bins * 2 * k;
  Vector table(nodes.size() * size);
  reach_histograms(rows, shape, parameters, binned.code, binned.inputs, binned.bins, nodes, table.data(), n_threads);
  const auto threshold =
      best_thresholds(table.data(), nodes.size(), split_features.cuts, binned.bins, k, 1 / how.total_weight);
  const auto leaf_at = [&](std::size_t i) {
    const double* here = parameters + shape.response_begin() + static_cast<std::size_t>(shape.leaf[nodes[i]]) * k;
    return Leaf{nodes[i], here, table.data() + i * size, binned.bins, k, shape.columns};
  };
  std::vector<std::pair<std::size_t, SplitCandidate>> found;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (auto start = axis_start(leaf_at(i), split_features, threshold[i], how))
      found.emplace_back(i, std::move(*start));
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.second.gain > b.second.gain; });
  std::vector<SplitCandidate> candidates;
  for (std::size_t i = 0; i < std::min(how.tries, found.size()); ++i) {
    candidates.push_back(found[i].second);
    const SplitDirection direction = find_split_direction(rows, shape, parameters, found[i].second.node, n_threads);
    if (auto oblique = oblique_candidate(direction, leaf_at(found[i].first), found[i].second, how.slope))
      candidates.push_back(std::move(*oblique));
  }
  return candidates;
}

template std::vector<SplitCandidate> find_split_candidates(const SoftRows<double>&, const Shape&, const double*,
                                                           const Binned&, const SplitFeatures&, const CandidateOptions&,
                                                           int);
template std::vector<SplitCandidate> find_split_candidates(const SoftRows<float>&, const Shape&, const double*,
                                                           const Binned&, const SplitFeatures&, const CandidateOptions&,
                                                           int);

}  // namespace softwood::soft
