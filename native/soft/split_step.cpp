#include "soft/split_step.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace softwood::soft {
namespace {

using Vector = std::vector<double>;

constexpr double kFrozen = -1;  // the strength that keeps a parameter as it is

// What each parameter costs.
struct Penalties {
  Vector strength, centre, log_penalty;

  void add(double how_strong, double held_to, double how_logarithmic) {
    strength.push_back(how_strong), centre.push_back(held_to), log_penalty.push_back(how_logarithmic);
  }
  operator Penalty() const { return {strength.data(), centre.data(), log_penalty.data()}; }
};

// The weights of a gate: frozen ones stay as they are, the bias is free, and so is one that may be unpenalized. A gate
// restricted to a few inputs has no log_penalty.
void add_gate(Penalties& penalties, const std::uint8_t* frozen, bool unpenalized, std::size_t columns,
              const SplitStepOptions& how) {
  const double log_penalty =
      std::any_of(frozen, frozen + columns, [](auto freezes) { return freezes != 0; }) ? 0 : how.log_penalty;
  for (std::size_t c = 0; c < columns; ++c)
    penalties.add(frozen[c] ? kFrozen : unpenalized ? 0 : how.penalty, 0, log_penalty);
  penalties.add(0, 0, log_penalty);
}

void add_responses(Penalties& penalties, std::size_t leaves, const Vector& origin, const SplitStepOptions& how) {
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    for (const double centre : origin) penalties.add(how.decay * how.penalty, centre, 0);
}

Penalties penalties_of(const SoftTreeParams& tree, const SplitStepOptions& how) {
  Penalties penalties;
  const Shape& shape = tree.shape;
  for (std::size_t gate = 0; gate < shape.gates; ++gate)
    add_gate(penalties, &tree.frozen[gate * (shape.columns + 1)], tree.unpenalized[gate] != 0, shape.columns, how);
  add_responses(penalties, shape.leaves, tree.origin, how);
  for (std::size_t slope = 0; slope < shape.slopes; ++slope)
    for (const double centre : tree.origin_slope)
      penalties.add(how.penalty, tree.slopes == Slopes::kOwn ? centre : 0, 0);
  return penalties;
}

void append(Vector& table, const Vector& row) { table.insert(table.end(), row.begin(), row.end()); }

// A new gate and its two leaves.
struct NewSplit {
  Vector gate, first, second;
  std::vector<std::uint8_t> frozen;
  bool unpenalized = false;

  // The same but for the weights that are frozen now.
  void freeze(std::vector<std::uint8_t> freezes, bool is_unpenalized) {
    for (std::size_t c = 0; c < gate.size(); ++c)
      if (freezes[c]) gate[c] = 0;
    frozen = std::move(freezes), unpenalized = is_unpenalized;
  }
};

Shape three_nodes(std::size_t columns, std::size_t outputs) {
  Shape shape;
  shape.first_child = {1, -1, -1}, shape.slope_row = {-1, -1};
  shape.columns = columns, shape.outputs = outputs;
  shape.number();
  return shape;
}

// Rows as the leaf sees them whose place a new_split will take, and what its numbers will cost in the tree.
template <class T>
struct LeafView {
  std::size_t node;
  SoftRows<T> rows;
  const Vector& origin;
  const SplitStepOptions& how;
  int n_threads;

  // Gate and answers moved together.
  void refine_in(NewSplit& new_split) const {
    const std::size_t width = new_split.gate.size(), k = origin.size();
    Penalties penalties;
    add_gate(penalties, new_split.frozen.data(), new_split.unpenalized, width - 1, how);
    add_responses(penalties, 2, origin, how);
    Vector at(new_split.gate);
    append(at, new_split.first), append(at, new_split.second);
    Refinement refinement;
    refinement.max_iter = how.alone, refinement.tol = how.tol;
    refine(rows, three_nodes(width - 1, k), at.data(), penalties, refinement, n_threads);
    std::copy_n(at.begin(), width, new_split.gate.begin());
    std::copy_n(at.begin() + static_cast<std::ptrdiff_t>(width), k, new_split.first.begin());
    std::copy_n(at.begin() + static_cast<std::ptrdiff_t>(width + k), k, new_split.second.begin());
  }
};

// The weights of all inputs but the `most` with the longest vector of weights; never the bias.
std::vector<std::uint8_t> all_but_heaviest(const Vector& gate, const SplitFeatures& split_features, std::size_t most) {
  Vector length(split_features.cuts.size());
  for (std::size_t c = 0; c + 1 < gate.size(); ++c) length[split_features.place[c]] += gate[c] * gate[c];
  std::vector<std::size_t> order(length.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return length[a] > length[b]; });
  std::vector<std::uint8_t> light(length.size(), 1), frozen(gate.size(), 0);
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) light[order[i]] = 0;
  for (std::size_t c = 0; c + 1 < gate.size(); ++c) frozen[c] = light[split_features.place[c]];
  return frozen;
}

// Gates that a start leads to, refined alone: one that looks at one input, one that may at all.
template <class T>
std::vector<NewSplit> new_splits_of(const SplitCandidate& start, const LeafView<T>& leaf_view,
                                    const SplitFeatures& split_features) {
  const SplitStepOptions& how = leaf_view.how;
  std::vector<NewSplit> new_splits;
  NewSplit whole{start.gate, start.first, start.second, std::vector<std::uint8_t>(start.gate.size(), 0)};
  if ((how.gates == Gates::kUnpenalized || how.gates == Gates::kEither) && start.by_one_column()) {
    NewSplit axis_split(whole);
    std::vector<std::uint8_t> frozen(start.gate.size(), 0);
    for (std::size_t c = 0; c + 1 < frozen.size(); ++c) frozen[c] = start.gate[c] == 0;
    for (double& weight : axis_split.gate) weight *= how.axis_factor;
    axis_split.freeze(std::move(frozen), true);
    leaf_view.refine_in(axis_split);
    new_splits.push_back(std::move(axis_split));
    if (how.gates == Gates::kUnpenalized) return new_splits;
  }
  leaf_view.refine_in(whole);
  if (how.most > 0) {
    auto frozen = all_but_heaviest(whole.gate, split_features, how.most);
    const bool one_column = std::count(frozen.begin(), frozen.end(), 0) == 2;  // and the bias
    whole.freeze(std::move(frozen), how.gates == Gates::kUnpenalized && one_column);
    leaf_view.refine_in(whole);
  }
  new_splits.push_back(std::move(whole));
  return new_splits;
}

template <class Value>
void insert_row(std::vector<Value>& table, std::size_t at, const std::vector<Value>& row) {
  table.insert(table.begin() + static_cast<std::ptrdiff_t>(at * row.size()), row.begin(), row.end());
}

Vector take_out(Vector& table, std::size_t row, std::size_t width) {
  const auto begin = table.begin() + static_cast<std::ptrdiff_t>(row * width);
  const auto end = begin + static_cast<std::ptrdiff_t>(width);
  const Vector out(begin, end);
  table.erase(begin, end);
  return out;
}

// Leaf `node` is a branch now, and its children are the last nodes.
void split_shape(Shape& shape, std::size_t node, Slopes slopes) {
  shape.first_child[node] = static_cast<std::int32_t>(shape.nodes());
  shape.first_child.insert(shape.first_child.end(), {-1, -1});
  shape.number();
  if (slopes == Slopes::kOwn) shape.slopes = shape.leaves;
  shape.slope_row.push_back(shape.slope_row[0]);  // none, or shared by all
  if (slopes == Slopes::kOwn) std::iota(shape.slope_row.begin(), shape.slope_row.end(), 0);
}

// The tree with the new_split in place of a leaf, whose slope both children inherit.
SoftTreeParams split(const SoftTreeParams& tree, std::size_t node, const NewSplit& new_split) {
  const Shape& before = tree.shape;
  SoftTreeParams larger(tree);
  split_shape(larger.shape, node, tree.slopes);
  const auto leaf = static_cast<std::size_t>(before.leaf[node]);
  const auto gate = static_cast<std::size_t>(larger.shape.gate[node]);
  const auto part = [&](std::size_t from, std::size_t to) {
    return Vector(tree.parameters.data() + from, tree.parameters.data() + to);
  };
  Vector gates = part(0, before.response_begin()), slopes = part(before.slope_begin(), before.parameters());
  Vector responses = part(before.response_begin(), before.slope_begin());
  insert_row(gates, gate, new_split.gate);
  take_out(responses, leaf, before.outputs);
  append(responses, new_split.first), append(responses, new_split.second);
  if (tree.slopes == Slopes::kOwn) {
    const Vector mine = take_out(slopes, leaf, before.outputs * before.columns);
    append(slopes, mine), append(slopes, mine);
  }
  append(gates, responses), append(gates, slopes);
  larger.parameters = std::move(gates);
  insert_row(larger.frozen, gate, new_split.frozen);
  larger.unpenalized.insert(larger.unpenalized.begin() + static_cast<std::ptrdiff_t>(gate), new_split.unpenalized);
  return larger;
}

}  // namespace

template <class T>
std::optional<SplitStepResult> split_step(const SoftRows<T>& rows, const SoftTreeParams& tree, const Binned& binned,
                                          const SplitFeatures& split_features, const SplitStepOptions& how,
                                          int n_threads) {
  const auto refined = [&](SplitStepResult& trial, int max_iter) {
    Refinement refinement;
    refinement.max_iter = max_iter, refinement.tol = how.tol;
    const Penalties penalties = penalties_of(trial.tree, how);
    const auto [value, passes] =
        refine(rows, trial.tree.shape, trial.tree.parameters.data(), penalties, refinement, n_threads);
    trial.passes += passes;
    return value;
  };
  const double* parameters = tree.parameters.data();
  std::unique_ptr<LeafView<T>> leaf_view;
  std::optional<SplitStepResult> best;
  double least = std::numeric_limits<double>::infinity();
  for (const SplitCandidate& start :
       find_split_candidates(rows, tree.shape, parameters, binned, split_features, how.starting, n_threads)) {
    if (!leaf_view || leaf_view->node != start.node)
      leaf_view = std::make_unique<LeafView<T>>(LeafView<T>{
          start.node, rows_under(rows, tree.shape, parameters, start.node, n_threads), tree.origin, how, n_threads});
    for (const NewSplit& new_split : new_splits_of(start, *leaf_view, split_features)) {
      SplitStepResult trial{split(tree, start.node, new_split), start.node, 0};
      const double value = refined(trial, how.together);
      if (!best || value < least) best = std::move(trial), least = value;
    }
  }
  if (best) refined(*best, how.joint);
  return best;
}

template std::optional<SplitStepResult> split_step(const SoftRows<double>&, const SoftTreeParams&, const Binned&,
                                                   const SplitFeatures&, const SplitStepOptions&, int);
template std::optional<SplitStepResult> split_step(const SoftRows<float>&, const SoftTreeParams&, const Binned&,
                                                   const SplitFeatures&, const SplitStepOptions&, int);

}  // namespace softwood::soft
