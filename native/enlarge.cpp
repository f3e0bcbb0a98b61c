#include "enlarge.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace softwood::soft {
namespace {

using Vector = std::vector<double>;

constexpr double kClosed = -1;  // the strength that keeps a parameter as it is

// What each parameter costs.
struct Prices {
  Vector strength, centre, ease;

  void add(double how_strong, double held_to, double how_easy) {
    strength.push_back(how_strong), centre.push_back(held_to), ease.push_back(how_easy);
  }
  operator Price() const { return {strength.data(), centre.data(), ease.data()}; }
};

// The weights of a gate: closed ones stay as they are, the bias is free, and so is one that may be steep. A gate that
// was told which few inputs to look at has no ease.
void add_gate(Prices& prices, const std::uint8_t* closed, bool steep, std::size_t columns, const Enlarging& how) {
  const double ease = std::any_of(closed, closed + columns, [](auto shut) { return shut != 0; }) ? 0 : how.ease;
  for (std::size_t c = 0; c < columns; ++c) prices.add(closed[c] ? kClosed : steep ? 0 : how.penalty, 0, ease);
  prices.add(0, 0, ease);
}

void add_responses(Prices& prices, std::size_t leaves, const Vector& origin, const Enlarging& how) {
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    for (const double centre : origin) prices.add(how.decay * how.penalty, centre, 0);
}

Prices prices_of(const Plant& tree, const Enlarging& how) {
  Prices prices;
  const Shape& shape = tree.shape;
  for (std::size_t gate = 0; gate < shape.gates; ++gate)
    add_gate(prices, &tree.closed[gate * (shape.columns + 1)], tree.steep[gate] != 0, shape.columns, how);
  add_responses(prices, shape.leaves, tree.origin, how);
  for (std::size_t slope = 0; slope < shape.slopes; ++slope)
    for (const double centre : tree.origin_slope) prices.add(how.penalty, tree.slopes == Slopes::kOwn ? centre : 0, 0);
  return prices;
}

void append(Vector& table, const Vector& row) { table.insert(table.end(), row.begin(), row.end()); }

// A new gate and its two leaves.
struct Sprout {
  Vector gate, first, second;
  std::vector<std::uint8_t> closed;
  bool steep = false;

  // The same but for the weights that are closed now.
  void look_at(std::vector<std::uint8_t> shut, bool steeply) {
    for (std::size_t c = 0; c < gate.size(); ++c)
      if (shut[c]) gate[c] = 0;
    closed = std::move(shut), steep = steeply;
  }
};

Shape three_nodes(std::size_t columns, std::size_t outputs) {
  Shape shape;
  shape.first_child = {1, -1, -1}, shape.slope_row = {-1, -1};
  shape.columns = columns, shape.outputs = outputs;
  shape.number();
  return shape;
}

// Rows as the leaf sees them whose place a sprout will take, and what its numbers will cost in the tree.
template <class T>
struct Bed {
  std::size_t node;
  SoftRows<T> rows;
  const Vector& origin;
  const Enlarging& how;
  int n_threads;

  // Gate and answers moved together.
  void refine_in(Sprout& sprout) const {
    const std::size_t width = sprout.gate.size(), k = origin.size();
    Prices prices;
    add_gate(prices, sprout.closed.data(), sprout.steep, width - 1, how);
    add_responses(prices, 2, origin, how);
    Vector at(sprout.gate);
    append(at, sprout.first), append(at, sprout.second);
    Refinement refinement;
    refinement.max_iter = how.alone, refinement.tol = how.tol;
    refine(rows, three_nodes(width - 1, k), at.data(), prices, refinement, n_threads);
    std::copy_n(at.begin(), width, sprout.gate.begin());
    std::copy_n(at.begin() + static_cast<std::ptrdiff_t>(width), k, sprout.first.begin());
    std::copy_n(at.begin() + static_cast<std::ptrdiff_t>(width + k), k, sprout.second.begin());
  }
};

// The weights of all inputs but the `most` with the longest vector of weights; never the bias.
std::vector<std::uint8_t> all_but_heaviest(const Vector& gate, const Axes& axes, std::size_t most) {
  Vector length(axes.cuts.size());
  for (std::size_t c = 0; c + 1 < gate.size(); ++c) length[axes.place[c]] += gate[c] * gate[c];
  std::vector<std::size_t> order(length.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return length[a] > length[b]; });
  std::vector<std::uint8_t> light(length.size(), 1), closed(gate.size(), 0);
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) light[order[i]] = 0;
  for (std::size_t c = 0; c + 1 < gate.size(); ++c) closed[c] = light[axes.place[c]];
  return closed;
}

// Gates that a start leads to, refined alone: one that looks at one input, one that may at all.
template <class T>
std::vector<Sprout> sprouts_of(const Start& start, const Bed<T>& bed, const Axes& axes) {
  const Enlarging& how = bed.how;
  std::vector<Sprout> sprouts;
  Sprout whole{start.gate, start.first, start.second, std::vector<std::uint8_t>(start.gate.size(), 0)};
  if ((how.gates == Gates::kSteep || how.gates == Gates::kEither) && start.by_one_column()) {
    Sprout sharp(whole);
    std::vector<std::uint8_t> closed(start.gate.size(), 0);
    for (std::size_t c = 0; c + 1 < closed.size(); ++c) closed[c] = start.gate[c] == 0;
    for (double& weight : sharp.gate) weight *= how.steeper;
    sharp.look_at(std::move(closed), true);
    bed.refine_in(sharp);
    sprouts.push_back(std::move(sharp));
    if (how.gates == Gates::kSteep) return sprouts;
  }
  bed.refine_in(whole);
  if (how.most > 0) {
    auto closed = all_but_heaviest(whole.gate, axes, how.most);
    const bool one_column = std::count(closed.begin(), closed.end(), 0) == 2;  // and the bias
    whole.look_at(std::move(closed), how.gates == Gates::kSteep && one_column);
    bed.refine_in(whole);
  }
  sprouts.push_back(std::move(whole));
  return sprouts;
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

// The tree with the sprout in place of a leaf, whose slope both children inherit.
Plant split(const Plant& tree, std::size_t node, const Sprout& sprout) {
  const Shape& before = tree.shape;
  Plant larger(tree);
  split_shape(larger.shape, node, tree.slopes);
  const auto leaf = static_cast<std::size_t>(before.leaf[node]);
  const auto gate = static_cast<std::size_t>(larger.shape.gate[node]);
  const auto part = [&](std::size_t from, std::size_t to) {
    return Vector(tree.parameters.data() + from, tree.parameters.data() + to);
  };
  Vector gates = part(0, before.response_begin()), slopes = part(before.slope_begin(), before.parameters());
  Vector responses = part(before.response_begin(), before.slope_begin());
  insert_row(gates, gate, sprout.gate);
  take_out(responses, leaf, before.outputs);
  append(responses, sprout.first), append(responses, sprout.second);
  if (tree.slopes == Slopes::kOwn) {
    const Vector mine = take_out(slopes, leaf, before.outputs * before.columns);
    append(slopes, mine), append(slopes, mine);
  }
  append(gates, responses), append(gates, slopes);
  larger.parameters = std::move(gates);
  insert_row(larger.closed, gate, sprout.closed);
  larger.steep.insert(larger.steep.begin() + static_cast<std::ptrdiff_t>(gate), sprout.steep);
  return larger;
}

}  // namespace

template <class T>
std::optional<Enlarged> enlarge(const SoftRows<T>& rows, const Plant& tree, const Binned& binned, const Axes& axes,
                                const Enlarging& how, int n_threads) {
  const auto refined = [&](Enlarged& trial, int max_iter) {
    Refinement refinement;
    refinement.max_iter = max_iter, refinement.tol = how.tol;
    const Prices prices = prices_of(trial.tree, how);
    const auto [value, passes] =
        refine(rows, trial.tree.shape, trial.tree.parameters.data(), prices, refinement, n_threads);
    trial.passes += passes;
    return value;
  };
  const double* parameters = tree.parameters.data();
  std::unique_ptr<Bed<T>> bed;
  std::optional<Enlarged> best;
  double least = std::numeric_limits<double>::infinity();
  for (const Start& start : find_starts(rows, tree.shape, parameters, binned, axes, how.starting, n_threads)) {
    if (!bed || bed->node != start.node)
      bed = std::make_unique<Bed<T>>(Bed<T>{start.node, rows_under(rows, tree.shape, parameters, start.node, n_threads),
                                            tree.origin, how, n_threads});
    for (const Sprout& sprout : sprouts_of(start, *bed, axes)) {
      Enlarged trial{split(tree, start.node, sprout), start.node, 0};
      const double value = refined(trial, how.together);
      if (!best || value < least) best = std::move(trial), least = value;
    }
  }
  if (best) refined(*best, how.joint);
  return best;
}

template std::optional<Enlarged> enlarge(const SoftRows<double>&, const Plant&, const Binned&, const Axes&,
                                         const Enlarging&, int);
template std::optional<Enlarged> enlarge(const SoftRows<float>&, const Plant&, const Binned&, const Axes&,
                                         const Enlarging&, int);

}  // namespace softwood::soft
