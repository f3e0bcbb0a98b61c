#include "hard/grower.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/interrupt.hpp"
#include "hard/level_order.hpp"
#include "hard/node_stats.hpp"
#include "hard/partition.hpp"
#include "hard/routing.hpp"

namespace softwood::hard {

namespace {

constexpr double EPSILON = std::numeric_limits<double>::epsilon();  // impurity of a pure node

// An open node.
struct Open {
  std::int32_t node;
  int depth;
  NodeRows rows;
  Split split;
};

class Grower {
 public:
  Grower(const Columns& columns, const Target& target, Criterion criterion, const Growth& growth, int n_threads)
      : columns_(columns),
        target_(target),
        growth_(growth),
        n_threads_(n_threads),
        objective_(make_objective(columns, target, criterion, growth.parameter)),
        splitter_(columns, objective_, growth),
        in_parts_(growth.missing == Missing::fraction && splitter_.any_missing()),
        router_(columns, splitter_, objective_, in_parts_,
                growth.missing == Missing::surrogate ? SurrogateUse::if_missing : SurrogateUse::never,
                growth.max_surrogates, n_threads) {
    if (in_parts_) {
      objective_.plain = false;
      objective_.x_log_x_of.clear();
    }
    tree_.parts = objective_.parts;
    tree_.quantities = growth.monotone.empty() ? 0 : objective_.quantities();
    for (auto& state : state_) state.resize(static_cast<std::size_t>(objective_.width()));
  }

  GrownTree grow() {
    add_children();
    int leaves = 1;
    while (!waiting_.empty() && (growth_.max_leaves == 0 || leaves < growth_.max_leaves)) {
      poll_interrupt();
      split(next());
      ++leaves;
    }
    for (const Open& open : waiting_) tree_.node[open.node].gain = 0;  // leaves after all
    if (!best_first()) order_by_level(tree_);
    return std::move(tree_);
  }

 private:
  const Columns& columns_;
  const Target& target_;
  const Growth& growth_;
  const int n_threads_;
  Objective objective_;
  Splitter splitter_;
  const bool in_parts_;  // rows with missing values go to both children in parts
  RowRouter router_;
  GrownTree tree_;
  std::size_t places_ = 0;        // of levels, in tree_.slot
  std::vector<Open> waiting_;     // a stack, or a heap by gain when max_leaves asks for the best first
  std::vector<double> state_[2];  // of the two current children
  double root_weight_ = 0;

  // -- the frontier -----------------------------------------------------------------------------------------------

  bool best_first() const { return growth_.max_leaves > 0; }
  static bool worse(const Open& a, const Open& b) {
    return a.split.gain != b.split.gain ? a.split.gain < b.split.gain : a.node > b.node;
  }
  void wait(Open&& open) {
    waiting_.push_back(std::move(open));
    if (best_first()) std::push_heap(waiting_.begin(), waiting_.end(), worse);
  }
  Open pop() {
    if (best_first()) std::pop_heap(waiting_.begin(), waiting_.end(), worse);
    Open open = std::move(waiting_.back());
    waiting_.pop_back();
    return open;
  }
  // Among gains that are equal up to rounding the lowest id comes first: the others go back to the heap.
  Open next() {
    Open open = pop();
    if (!best_first()) return open;
    std::vector<Open> others;
    const double least = open.split.gain - TIE * root_weight_ * tree_.node[0].impurity;
    while (!waiting_.empty() && waiting_.front().split.gain >= least) {
      others.push_back(pop());
      if (others.back().node < open.node) std::swap(others.back(), open);
    }
    for (Open& other : others) wait(std::move(other));
    return open;
  }

  // -- one node ---------------------------------------------------------------------------------------------------

  void add_children() {
    Open root{0, 0, root_rows(columns_, objective_.weight), {}};
    std::vector<std::uint32_t> rows(root.rows.n);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = root.rows.row(i);
    if (in_parts_)
      for (const std::uint32_t row : rows) root.rows.weight.push_back(objective_.weight[row]);
    add_nodes(1);
    std::fill(tree_.lower.begin(), tree_.lower.end(), -std::numeric_limits<double>::infinity());
    std::fill(tree_.upper.begin(), tree_.upper.end(), std::numeric_limits<double>::infinity());
    describe(objective_, target_, rows, tree_.node[0], value(0), state_[0].data());
    root_weight_ = state_[0][1];
    if (!is_leaf(tree_.node[0], 0)) open(std::move(root), state_[0]);
  }

  void add_nodes(std::size_t n) {
    tree_.node.resize(tree_.node.size() + n);
    tree_.value.resize(tree_.node.size() * static_cast<std::size_t>(tree_.parts));
    tree_.lower.resize(tree_.node.size() * static_cast<std::size_t>(tree_.quantities));
    tree_.upper.resize(tree_.lower.size());
  }

  double* value(std::int32_t node) { return &tree_.value[static_cast<std::size_t>(node) * tree_.parts]; }
  double* lower(std::int32_t node) { return tree_.lower.data() + static_cast<std::size_t>(node) * tree_.quantities; }
  double* upper(std::int32_t node) { return tree_.upper.data() + static_cast<std::size_t>(node) * tree_.quantities; }

  bool is_leaf(const GrownNode& node, int depth) const {
    const double least = std::max(growth_.min_samples_split, 2 * growth_.min_samples_leaf) * (1 - TIE);
    return depth >= growth_.max_depth || node.count < least || node.impurity <= std::max(growth_.min_impurity, EPSILON);
  }

  void load_weights(const NodeRows& rows) {
    for (std::size_t i = 0; i < rows.weight.size(); ++i) objective_.weight[rows.row(i)] = rows.weight[i];
  }

  void make_lists(NodeRows& rows) {
    splitter_.make_lists(rows);
    if (in_parts_)  // weights follow the order of the rows, which has changed
      for (std::size_t i = 0; i < rows.n; ++i) rows.weight[i] = objective_.weight[rows.row(i)];
  }

  // Searches the split of a node; the node stays open if a good enough one is found.
  void open(Open&& open, const std::vector<double>& state) {
    GrownNode& node = tree_.node[open.node];
    load_weights(open.rows);
    if (splitter_.wants_lists(open.rows))
      make_lists(open.rows);
    else if (splitter_.keeps_histogram(open.rows) && open.rows.histogram.empty())
      splitter_.count_histogram(open.rows, n_threads_);
    Bounds bounds;
    bounds.lower.assign(lower(open.node), lower(open.node) + tree_.quantities);
    bounds.upper.assign(upper(open.node), upper(open.node) + tree_.quantities);
    bounds.slack = TIE * unit(node, value(open.node));
    center(bounds);
    const double all = state[1] * node.impurity, tie = tie_of(state, unit(node, value(open.node))) * all;
    open.split = splitter_.best_split({open.rows, state.data(), tie, all - tie, bounds}, n_threads_);
    if (!open.split.found()) return;
    open.split.gain = std::max(open.split.gain, 0.0);  // below 0 only by rounding
    if (open.split.gain / root_weight_ + EPSILON < growth_.min_impurity_decrease) return;
    node.gain = open.split.gain;
    wait(std::move(open));
  }

  // Bounds of the constrained quantities.
  double unit(const GrownNode& node, const double* value) const {
    switch (objective_.criterion) {
      case Criterion::squared_error:
      case Criterion::huber:
        return std::sqrt(node.impurity);
      case Criterion::poisson:
        return std::sqrt(2 * node.impurity * std::accumulate(value, value + objective_.parts, 0.0) / objective_.parts);
      default:
        return objective_.classes ? 1 : node.impurity;
    }
  }

  // Proportion of the loss within which gains count as equal: sums about the root's mean lose digits far from it, sums
  // of counts if their mean is many standard deviations.
  double tie_of(const std::vector<double>& state, double unit) const {
    if (objective_.criterion != Criterion::squared_error && objective_.criterion != Criterion::poisson) return TIE;
    double away = 0;
    for (int t = 0; t < objective_.parts; ++t) away = std::max(away, std::abs(state[2 + t] / state[1]));
    return TIE + FAR_TIE * away / unit;
  }

  // The splitter works on targets about their root mean.
  void center(Bounds& bounds) const {
    if (objective_.classes) return;
    for (std::size_t t = 0; t < bounds.lower.size(); ++t) {
      const double mean = objective_.center[t];
      bounds.lower[t] -= mean;
      bounds.upper[t] -= mean;
    }
  }

  // -- one split --------------------------------------------------------------------------------------------------

  void split(Open&& parent) {
    load_weights(parent.rows);
    const RoutedRows& sent = router_.send(parent.rows, parent.split);
    const auto first = static_cast<std::int32_t>(tree_.node.size());
    add_nodes(2);
    record(parent, sent, first);
    const double known = sent.known[0] + sent.known[1];
    bool wanted[2];
    for (const int slot : {0, 1}) {
      GrownNode& child = tree_.node[first + slot];
      child.fraction = sent.known[slot] / known;
      scale_parts(sent.rows[slot], child.fraction);
      describe(objective_, target_, sent.rows[slot], child, value(first + slot), state_[slot].data());
      scale_parts(sent.rows[slot], 1 / child.fraction);
      std::copy_n(lower(parent.node), tree_.quantities, lower(first + slot));
      std::copy_n(upper(parent.node), tree_.quantities, upper(first + slot));
      wanted[slot] = !is_leaf(child, parent.depth + 1);
    }
    narrow_bounds(parent);
    Children children = divide_rows(columns_, parent.rows, router_.side(), sent.rows, wanted, n_threads_);
    NodeRows* rows[2] = {&children.first, &children.second};
    for (const int slot : {0, 1})
      if (in_parts_ && wanted[slot]) set_weights(*rows[slot], tree_.node[first + slot].fraction);
    if (columns_.stored)
      share_cells(parent.rows, rows, sent.rows, wanted);
    else
      share_histogram(parent.rows, rows, wanted);
    parent.rows = {};
    for (const int slot : {1, 0})  // the first child on top of the stack
      if (wanted[slot]) open({first + slot, parent.depth + 1, std::move(*rows[slot]), {}}, state_[slot]);
  }

  void record(const Open& parent, const RoutedRows& sent, std::int32_t first) {
    GrownNode& node = tree_.node[parent.node];
    node.first_child = first;
    node.feature = parent.split.feature;
    node.threshold = parent.split.threshold;
    node.default_slot = sent.default_slot;
    if (!parent.split.slot.empty()) {
      places_ += parent.split.slot.size();
      if (places_ > growth_.max_places) throw std::length_error(too_many_places(columns_.n_levels[node.feature]));
      tree_.slot[parent.node] = parent.split.slot;
      node.threshold = std::numeric_limits<double>::quiet_NaN();
    }
    if (!sent.surrogates.empty()) tree_.surrogates[parent.node] = sent.surrogates;
  }

  std::string too_many_places(int levels) const {
    return "gates on a category of " + std::to_string(levels) + " levels keep a place for each level of their rows, " +
           "and after " + std::to_string(tree_.slot.size() + 1) + " gates the tree has " + std::to_string(places_) +
           " of them, more than " + std::to_string(growth_.max_places) +
           ". Bound the tree (max_leaves, max_depth, min_samples_leaf), or merge levels.";
  }

  void set_weights(NodeRows& rows, double fraction) const {
    rows.weight.resize(rows.n);
    for (std::size_t i = 0; i < rows.n; ++i) {
      const std::uint32_t row = rows.row(i);
      rows.weight[i] = objective_.weight[row] * (router_.side()[row] == BOTH ? fraction : 1);
    }
  }

  void scale_parts(const std::vector<std::uint32_t>& rows, double by) {
    if (!in_parts_) return;
    for (const std::uint32_t row : rows)
      if (router_.side()[row] == BOTH) objective_.weight[row] *= by;
  }

  // If both children have histograms, the smaller is counted, and the other is the parent minus the smaller.
  void share_histogram(NodeRows& parent, NodeRows* rows[2], const bool wanted[2]) const {
    const int large = rows[1]->n > rows[0]->n;
    if (in_parts_ || parent.histogram.empty() || !wanted[large] || !wanted[1 - large]) return;
    if (!splitter_.keeps_histogram(*rows[large])) return;
    splitter_.count_histogram(*rows[1 - large], n_threads_);
    NodeRows& rest = *rows[large];
    rest.histogram = std::move(parent.histogram);
    const std::vector<double>& less = rows[1 - large]->histogram;
    for (std::size_t i = 0; i < less.size(); ++i) rest.histogram[i] -= less[i];
    if (objective_.plain) return;
    constexpr double RESIDUE = 1e-9;  // rounding left in an empty bin by subtraction
    const auto width = static_cast<std::size_t>(cell_width(objective_));
    for (std::size_t b = 0; b < rest.histogram.size(); b += width)
      if (rest.histogram[b] < RESIDUE) std::fill_n(&rest.histogram[b], width, 0.0);
  }

  // The same for a sparse table: the rows of the smaller child are subtracted one by one.
  void share_cells(NodeRows& parent, NodeRows* rows[2], const std::vector<std::uint32_t> sent[2],
                   const bool wanted[2]) const {
    const int large = sent[1].size() > sent[0].size();
    if (in_parts_ || parent.histogram.empty() || !wanted[large] || !splitter_.keeps_histogram(*rows[large])) return;
    if (!splitter_.take_away(parent, sent[1 - large])) return;
    rows[large]->histogram = std::move(parent.histogram);
    rows[large]->subtracted = parent.subtracted;
  }

  // Children of a constrained split share the middle of their quantities as a bound.
  void narrow_bounds(const Open& parent) {
    const int sign = splitter_.sign(parent.split.feature);
    if (sign == 0) return;
    const std::int32_t first = tree_.node[parent.node].first_child;
    const std::int32_t low = sign > 0 ? first : first + 1, high = sign > 0 ? first + 1 : first;
    const std::vector<double> q1 = quantities(low), q2 = quantities(high);
    for (std::size_t i = 0; i < q1.size(); ++i) {
      const auto clip = [&](double q) { return std::clamp(q, lower(parent.node)[i], upper(parent.node)[i]); };
      upper(low)[i] = lower(high)[i] = clip(q1[i]) / 2 + clip(q2[i]) / 2;
    }
  }

  std::vector<double> quantities(std::int32_t node) {
    const double* v = value(node);
    if (!objective_.classes) return {v, v + tree_.parts};
    std::vector<double> state(static_cast<std::size_t>(objective_.width())), q(tree_.quantities);
    for (int c = 0; c < objective_.parts; ++c) state[1] += state[2 + c] = v[c] * objective_.factor[c];
    objective_.constrained(state.data(), q.data());
    return q;
  }
};

}  // namespace

GrownTree grow(const Columns& columns, const Target& target, Criterion criterion, const Growth& growth, int n_threads) {
  return Grower(columns, target, criterion, growth, n_threads).grow();
}

void replay_surrogates(const Columns& columns, const double* weight, GrownTree& tree, int max_surrogates,
                       const std::vector<int>& monotone, int n_threads) {
  Objective objective;
  objective.criterion = Criterion::squared_error;
  objective.classes = false;
  objective.parts = 1;
  objective.weight.assign(weight, weight + columns.X.rows);
  objective.plain = std::all_of(weight, weight + columns.X.rows, [](double w) { return w == 0 || w == 1; });
  Growth growth{};
  growth.missing = Missing::surrogate;
  growth.monotone = monotone;
  const Splitter splitter(columns, objective, growth);
  RowRouter router(columns, splitter, objective, false, SurrogateUse::always, max_surrogates, n_threads);
  // Smaller nodes, and all nodes below, have no surrogates.
  const auto least = static_cast<std::size_t>(objective.plain ? 2 * MIN_SMALLER_CHILD : 2);
  std::vector<std::pair<std::int32_t, NodeRows>> stack;
  stack.emplace_back(0, root_rows(columns, objective.weight));
  while (!stack.empty()) {
    poll_interrupt();
    auto [at, rows] = std::move(stack.back());
    stack.pop_back();
    const GrownNode& node = tree.node[at];
    if (node.first_child < 0 || rows.n == 0) continue;  // surrogates may send rows to other children than during growth
    if (splitter.wants_lists(rows)) splitter.make_lists(rows);
    Split split;
    split.feature = node.feature;
    split.threshold = node.threshold;
    split.missing_slot = node.default_slot;
    if (tree.slot.contains(at)) split.slot = tree.slot[at];
    router.place_threshold(rows, split);
    const RoutedRows& sent = router.send(rows, split);
    if (!sent.surrogates.empty()) tree.surrogates[at] = sent.surrogates;
    const std::int32_t first = node.first_child;
    bool wanted[2];
    for (const int slot : {0, 1})
      wanted[slot] = tree.node[first + slot].first_child >= 0 && sent.rows[slot].size() >= least;
    Children children = divide_rows(columns, rows, router.side(), sent.rows, wanted, n_threads);
    if (wanted[1]) stack.emplace_back(first + 1, std::move(children.second));
    if (wanted[0]) stack.emplace_back(first, std::move(children.first));
  }
}

}  // namespace softwood::hard
