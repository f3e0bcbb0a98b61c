#include "oblique/grower.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/interrupt.hpp"
#include "oblique/tolerances.hpp"
#include "oblique/univariate_split.hpp"
#include "simd/elementary.hpp"

namespace softwood::oblique {
namespace {

constexpr double SAME_GAIN = 1e-9, AIC_FACTOR = 2.0, NO_LOSS = 1e-12;  // of discriminant.py
// A child's scatter is the parent's minus its sibling's if it has this many rows per column (so that rounding is
// negligible), and up to this number of columns (open nodes store theirs).
constexpr std::size_t SHARE_ROWS = 1, SHARE_COLUMNS = 512;

// A node to split: rows from `begin` to `end`.
struct Open {
  std::int32_t node;
  int depth;
  std::size_t begin, end;
  NodeSums sums;
  hard::NodeRows lists;
};

class Grower {
 public:
  Grower(const Problem& problem, const Limits& limits, const SplitOptions& options)
      : problem_(problem), limits_(limits), options_(options), rows_(problem), impurity_(problem.criterion) {
    tree_.parts = problem.classes ? problem.classes : problem.targets;
    if (problem.classes) rows_.tabulate(impurity_);
    if (problem.inputs) {
      univariate_ = std::make_unique<UnivariateSplitter>(problem, options.least);
    }
  }

  GrownTree grow() {
    Open root{0, 0, 0, problem_.rows, {}, {}};
    tree_.node.emplace_back();
    root.sums = describe(root);
    whole_ = root.sums.total;
    if (univariate_) root.lists = univariate_->root();
    if (may_split(root)) {
      rows_.add_columns(0, problem_.rows, root.sums);
      add_scatter(root);
      waiting_.push_back(std::move(root));
    }
    while (!waiting_.empty()) {
      poll_interrupt();
      Open open = std::move(waiting_.back());
      waiting_.pop_back();
      split(std::move(open));
    }
    return by_level();
  }

 private:
  const Problem& problem_;
  const Limits& limits_;
  const SplitOptions& options_;
  PartitionedRows rows_;
  Impurity impurity_;
  std::unique_ptr<UnivariateSplitter> univariate_;
  GrownTree tree_;
  std::vector<Open> waiting_;  // a stack, so that few nodes store their scatter at a time
  double whole_ = 0;

  // -- one node -------------------------------------------------------------------------------------------------------

  NodeSums describe(const Open& open) {
    GrownNode& node = tree_.node[static_cast<std::size_t>(open.node)];
    NodeSums sums;
    node.count = rows_.describe(open.begin, open.end, impurity_, sums, tree_.value);
    node.impurity = sums.total > 0 ? sums.loss / sums.total : 0;
    return sums;
  }

  bool may_split(const Open& open) const {
    const GrownNode& node = tree_.node[static_cast<std::size_t>(open.node)];
    const double least = std::max(limits_.min_samples_split, 2 * options_.least);
    return open.depth < limits_.max_depth && node.count >= least && open.end - open.begin >= 2 &&
           node.impurity > EPSILON * tree_.node[0].impurity;
  }

  // -- one split ------------------------------------------------------------------------------------------------------

  void split(Open&& open) {
    const std::size_t n = open.end - open.begin;
    LinearSplit found = find_split(rows_.rows(open.begin, open.end), rows_.answers(open.begin, open.end), open.sums,
                                   impurity_, options_);
    hard::Split asked;
    if (univariate_) asked = univariate_->find(open.lists, open.sums.loss);
    const bool ask = asked.found() && !is_worth_it(open.sums, found.gain, asked.gain);
    const double gain = ask ? asked.gain : found.gain;
    const double least = std::max(limits_.min_impurity_decrease * whole_, TIE * open.sums.loss);  // or rounding
    if (gain < least || !(gain > 0)) return;
    if (ask) found.second = univariate_->send(open.lists, asked, rows_.id(open.begin), n);
    GrownNode& node = tree_.node[static_cast<std::size_t>(open.node)];
    node.gain = gain;
    node.first_child = static_cast<std::int32_t>(tree_.node.size());
    ask ? record(open.node, asked) : record(node, found);
    const std::vector<std::uint32_t> id(rows_.id(open.begin), rows_.id(open.begin) + n);
    const std::size_t middle = rows_.divide(open.begin, found.second);
    tree_.node.resize(tree_.node.size() + 2);
    add_children(std::move(open), middle, id, found.second);
  }

  // Whether the weights of a linear split pay: numbers by AIC, classes if they gain more.
  bool is_worth_it(const NodeSums& sums, double linear, double single) const {
    if (!(linear > single * (1 + SAME_GAIN))) return false;
    const auto left = [&](double gain) { return std::max(sums.loss - gain, NO_LOSS * sums.loss); };
    const double penalty = AIC_FACTOR * static_cast<double>(problem_.columns - 1);
    return problem_.classes || sums.total * elementary::log(left(single) / left(linear)) > penalty;
  }

  void record(GrownNode& node, const LinearSplit& found) {
    node.gate = static_cast<std::int32_t>(tree_.weight.size() / problem_.columns);
    node.bias = found.bias;
    tree_.weight.insert(tree_.weight.end(), found.weight.begin(), found.weight.end());
  }

  void record(std::int32_t at, const hard::Split& asked) {
    GrownNode& node = tree_.node[static_cast<std::size_t>(at)];
    node.feature = asked.feature;
    node.default_slot = univariate_->default_slot();
    if (asked.slot.empty()) {
      node.threshold = asked.threshold;
    } else {
      const int levels = problem_.inputs->n_levels[static_cast<std::size_t>(asked.feature)];
      tree_.slot[at] = hard::every_slot(asked.slot, static_cast<std::size_t>(levels));
    }
  }

  // The two children; those that may be split stay open.
  void add_children(Open&& parent, std::size_t middle, const std::vector<std::uint32_t>& id,
                    const std::vector<std::uint8_t>& second) {
    const std::int32_t first = tree_.node[static_cast<std::size_t>(parent.node)].first_child;
    Open child[2] = {{first, parent.depth + 1, parent.begin, middle, {}, {}},
                     {first + 1, parent.depth + 1, middle, parent.end, {}, {}}};
    bool wanted[2];
    for (const int slot : {0, 1}) {
      child[slot].sums = describe(child[slot]);
      wanted[slot] = may_split(child[slot]);
    }
    if (!wanted[0] && !wanted[1]) return;
    rows_.divide_columns(parent.begin, second);
    for (const int slot : {0, 1}) {
      if (wanted[slot]) rows_.add_columns(child[slot].begin, child[slot].end, child[slot].sums);
    }
    if (univariate_) {
      hard::Children lists = univariate_->divide(parent.lists, id, second, wanted);
      child[0].lists = std::move(lists.first);
      child[1].lists = std::move(lists.second);
    }
    spread(parent.sums, child, wanted);
    for (const int slot : {1, 0}) {
      if (wanted[slot]) waiting_.push_back(std::move(child[slot]));
    }
  }

  // With fewer rows than columns, solve in the span of the rows, without a scatter (discriminant.cpp).
  bool is_wide(const Open& open) const { return open.end - open.begin < problem_.columns; }

  void add_scatter(Open& open) const {
    if (!is_wide(open)) open.sums.S = scatter(rows_.rows(open.begin, open.end), open.sums.mean.data());
  }

  // Scatter of the children: of the smaller over its rows, of the larger by subtraction from the parent.
  void spread(NodeSums& parent, Open child[2], const bool wanted[2]) const {
    const int large = child[1].end - child[1].begin > child[0].end - child[0].begin;
    const std::size_t n = child[large].end - child[large].begin;
    const bool share = wanted[large] && n >= SHARE_ROWS * problem_.columns && problem_.columns <= SHARE_COLUMNS;
    for (const int slot : {0, 1}) {
      if (!share && wanted[slot]) add_scatter(child[slot]);
    }
    if (!share) return;
    NodeSums &less = child[1 - large].sums, &rest = child[large].sums;
    less.S = scatter(rows_.rows(child[1 - large].begin, child[1 - large].end), parent.mean.data());
    rest.S = std::move(parent.S);
    for (std::size_t i = 0; i < rest.S.size(); ++i) rest.S[i] -= less.S[i];
    for (const int slot : {0, 1}) {
      if (!wanted[slot]) continue;
      if (is_wide(child[slot])) child[slot].sums.S.clear();
      if (child[slot].sums.S.empty()) continue;
      shift_to_mean(child[slot].sums, parent.mean, rows_.rows(child[slot].begin, child[slot].end));
    }
  }

  // A stack grows one branch to its end before the next; the ids of the tree go level by level.
  GrownTree by_level() const {
    GrownTree ordered;
    ordered.parts = tree_.parts;
    std::vector<std::size_t> was{0};
    for (std::size_t m = 0; m < was.size(); ++m) {
      GrownNode node = tree_.node[was[m]];
      if (node.first_child >= 0) {
        const auto first = static_cast<std::size_t>(node.first_child);
        node.first_child = static_cast<std::int32_t>(was.size());
        was.insert(was.end(), {first, first + 1});
      }
      if (node.gate >= 0) {
        const double* weight = &tree_.weight[static_cast<std::size_t>(node.gate) * problem_.columns];
        node.gate = static_cast<std::int32_t>(ordered.weight.size() / problem_.columns);
        ordered.weight.insert(ordered.weight.end(), weight, weight + problem_.columns);
      }
      if (const auto found = tree_.slot.find(static_cast<std::int32_t>(was[m])); found != tree_.slot.end()) {
        ordered.slot[static_cast<std::int32_t>(m)] = found->second;
      }
      const double* value = &tree_.value[was[m] * tree_.parts];
      ordered.value.insert(ordered.value.end(), value, value + tree_.parts);
      ordered.node.push_back(node);
    }
    return ordered;
  }
};

}  // namespace

GrownTree grow(const Problem& problem, const Limits& limits, const SplitOptions& options) {
  return Grower(problem, limits, options).grow();
}

}  // namespace softwood::oblique
