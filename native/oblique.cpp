#include "oblique.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "axis.hpp"

namespace softwood::oblique {
namespace {

constexpr double EPSILON = std::numeric_limits<double>::epsilon();  // impurity of a pure node, in parts of the root's
constexpr double SAME_GAIN = 1e-9, PRICE = 2.0, NO_LOSS = 1e-12;    // of discriminant.py
constexpr std::size_t MOST_TABLED = 1 << 20;  // whole weights up to which logarithms are looked up
// A child's scatter is the parent's less its sibling's where it has this many rows for every column (what rounding
// leaves of the difference is then nothing), and up to so many columns (open nodes keep theirs).
constexpr std::size_t SHARE_ROWS = 1, SHARE_COLUMNS = 512;

// A node that is to be split: rows from `begin` to `end`.
struct Open {
  std::int32_t node;
  int depth;
  std::size_t begin, end;
  NodeSums sums;
  hard::NodeRows lists;
};

// The rows, in an order in which every node is a stretch.
class Ground {
 public:
  explicit Ground(const Problem& problem)
      : columns_(problem.columns), stride_(padded(problem.columns)), targets_(problem.classes ? 0 : problem.targets) {
    const std::size_t n = problem.rows;
    phi_.resize(n * stride_);
    weight_.assign(problem.weight, problem.weight + n);
    heft_ = weight_;
    if (problem.classes) code_.assign(problem.code, problem.code + n);
    if (targets_) y_.assign(problem.y, problem.y + n * targets_);
    for (std::size_t i = 0; i < n; ++i) {
      id_.push_back(static_cast<std::uint32_t>(i));
      std::copy_n(problem.phi + i * columns_, columns_, &phi_[i * stride_]);
      if (problem.classes) heft_[i] *= problem.factor[code_[i]];
    }
  }

  Stretch rows(std::size_t begin, std::size_t end) const {
    return {&phi_[begin * stride_], &heft_[begin], end - begin, columns_, stride_};
  }
  Answers answers(std::size_t begin, std::size_t end) const {
    return {end - begin,
            &weight_[begin],
            &heft_[begin],
            code_.empty() ? nullptr : &code_[begin],
            y_.empty() ? nullptr : &y_[begin * targets_],
            targets_};
  }
  const std::uint32_t* id(std::size_t begin) const { return &id_[begin]; }
  const std::vector<double>& heft() const { return heft_; }

  // Rows of the first child before those of the second, each in the order they had; where the second begins.
  std::size_t divide(std::size_t begin, const std::vector<std::uint8_t>& second) {
    divide(phi_, stride_, begin, second);
    divide(weight_, 1, begin, second);
    divide(heft_, 1, begin, second);
    divide(id_, 1, begin, second);
    if (!code_.empty()) divide(code_, 1, begin, second);
    if (!y_.empty()) divide(y_, targets_, begin, second);
    return begin + static_cast<std::size_t>(std::count(second.begin(), second.end(), 0));
  }

 private:
  std::size_t columns_, stride_, targets_;
  std::vector<double> phi_, weight_, heft_, y_;
  std::vector<std::int32_t> code_;
  std::vector<std::uint32_t> id_;

  template <class T>
  static void divide(std::vector<T>& table, std::size_t width, std::size_t begin,
                     const std::vector<std::uint8_t>& second) {
    std::vector<T> aside;
    T *from = &table[begin * width], *to = from;
    for (const std::uint8_t there : second) {
      if (there) {
        aside.insert(aside.end(), from, from + width);
      } else {
        if (from != to) std::copy_n(from, width, to);
        to += width;
      }
      from += width;
    }
    std::copy(aside.begin(), aside.end(), to);
  }
};

class Grower {
 public:
  Grower(const Problem& problem, const Limits& limits, const Manner& manner)
      : problem_(problem), limits_(limits), manner_(manner), ground_(problem), impurity_(problem.criterion) {
    tree_.parts = problem.classes ? problem.classes : problem.targets;
    double total = 0;
    bool whole = problem.classes > 0;
    for (const double heft : ground_.heft()) {
      total += heft;
      whole = whole && heft == std::floor(heft);
    }
    if (whole && total <= MOST_TABLED) impurity_.make_table(static_cast<std::size_t>(total));
    if (problem.inputs) {
      axis_ = std::make_unique<Axis>(*problem.inputs,
                                     hard::Target{problem.classes ? problem.code : nullptr, problem.y, problem.weight,
                                                  problem.factor, static_cast<int>(tree_.parts)},
                                     static_cast<hard::Criterion>(problem.criterion), manner.least);
    }
  }

  GrownTree grow() {
    Open root{0, 0, 0, problem_.rows, {}, {}};
    tree_.node.emplace_back();
    root.sums = describe(root, tree_.node[0]);
    whole_ = root.sums.total;
    if (axis_) root.lists = axis_->root();
    if (may_split(root)) {
      add_columns(root, root.sums);
      root.sums.S = scatter(ground_.rows(0, problem_.rows), root.sums.mean.data());
      waiting_.push_back(std::move(root));
    }
    while (!waiting_.empty()) {
      Open open = std::move(waiting_.back());
      waiting_.pop_back();
      split(std::move(open));
    }
    return by_level();
  }

 private:
  const Problem& problem_;
  const Limits& limits_;
  const Manner& manner_;
  Ground ground_;
  Impurity impurity_;
  std::unique_ptr<Axis> axis_;
  GrownTree tree_;
  std::vector<Open> waiting_;  // a stack: few nodes keep their scatter at a time
  double whole_ = 0;

  // -- one node -------------------------------------------------------------------------------------------------------

  // Count, value and impurity of a node.
  NodeSums describe(const Open& open, GrownNode& node) {
    const Stretch rows = ground_.rows(open.begin, open.end);
    const Answers answers = ground_.answers(open.begin, open.end);
    NodeSums sums;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      node.count += answers.weight[i];
      sums.total += rows.heft[i];
    }
    problem_.classes ? count_classes(rows, answers, sums) : average(answers, sums);
    node.impurity = sums.total > 0 ? sums.loss / sums.total : 0;
    return sums;
  }

  // Sums of the columns, by class; the mean of all.
  void add_columns(const Open& open, NodeSums& sums) const {
    const Stretch rows = ground_.rows(open.begin, open.end);
    const Answers answers = ground_.answers(open.begin, open.end);
    sums.mean.resize(rows.stride);
    const std::size_t groups = problem_.classes ? problem_.classes : 1;
    sums.by_class.resize(groups * rows.stride);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      double* sum = &sums.by_class[problem_.classes ? static_cast<std::size_t>(answers.code[i]) * rows.stride : 0];
      for (std::size_t j = 0; j < rows.stride; ++j) sum[j] += rows.heft[i] * rows.row(i)[j];
    }
    for (std::size_t k = 0; k < groups && sums.total > 0; ++k) {
      for (std::size_t j = 0; j < rows.stride; ++j) sums.mean[j] += sums.by_class[k * rows.stride + j] / sums.total;
    }
  }

  void count_classes(const Stretch& rows, const Answers& answers, NodeSums& sums) {
    sums.size.resize(problem_.classes);
    std::vector<double> value(problem_.classes), part(problem_.classes);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      value[static_cast<std::size_t>(answers.code[i])] += answers.weight[i];
      sums.size[static_cast<std::size_t>(answers.code[i])] += answers.heft[i];
    }
    for (std::size_t k = 0; k < part.size(); ++k) part[k] = impurity_.part(sums.size[k]);
    sums.loss = impurity_.loss(part.data(), part.size(), sums.total);
    tree_.value.insert(tree_.value.end(), value.begin(), value.end());
  }

  void average(const Answers& answers, NodeSums& sums) {
    const std::size_t n = answers.targets;
    sums.answer.resize(n);
    for (std::size_t t = 0; t < n; ++t) {
      bool constant = true;
      for (std::size_t i = 0; i < answers.rows; ++i) {
        sums.answer[t] += answers.weight[i] * answers.y[i * n + t] / sums.total;
        constant = constant && answers.y[i * n + t] == answers.y[t];
      }
      if (constant) sums.answer[t] = answers.y[t];
      for (std::size_t i = 0; i < answers.rows && !constant; ++i) {
        const double d = answers.y[i * n + t] - sums.answer[t];
        sums.loss += answers.weight[i] * d * d / static_cast<double>(n);
      }
    }
    tree_.value.insert(tree_.value.end(), sums.answer.begin(), sums.answer.end());
  }

  bool may_split(const Open& open) const {
    const GrownNode& node = tree_.node[static_cast<std::size_t>(open.node)];
    const double least = std::max(limits_.min_samples_split, 2 * manner_.least);
    return open.depth < limits_.max_depth && node.count >= least && open.end - open.begin >= 2 &&
           node.impurity > EPSILON * tree_.node[0].impurity;
  }

  // -- one split ------------------------------------------------------------------------------------------------------

  void split(Open&& open) {
    const std::size_t n = open.end - open.begin;
    LinearSplit found = find_split(ground_.rows(open.begin, open.end), ground_.answers(open.begin, open.end), open.sums,
                                   impurity_, manner_);
    hard::Split asked;
    if (axis_) asked = axis_->find(open.lists, open.sums.loss);
    const bool ask = asked.found() && !is_worth_it(open.sums, found.gain, asked.gain);
    const double gain = ask ? asked.gain : found.gain;
    if (gain < limits_.min_impurity_decrease * whole_ || !(gain > 0)) return;
    if (ask) found.second = axis_->send(open.lists, asked, ground_.id(open.begin), n);
    GrownNode& node = tree_.node[static_cast<std::size_t>(open.node)];
    node.gain = gain;
    node.first_child = static_cast<std::int32_t>(tree_.node.size());
    ask ? record(open.node, asked) : record(node, found);
    const std::vector<std::uint32_t> id(ground_.id(open.begin), ground_.id(open.begin) + n);
    const std::size_t middle = ground_.divide(open.begin, found.second);
    tree_.node.resize(tree_.node.size() + 2);
    plant(std::move(open), middle, id, found.second);
  }

  // Whether the weights of a linear split pay: numbers by AIC, classes as soon as they gain more.
  bool is_worth_it(const NodeSums& sums, double linear, double single) const {
    if (!(linear > single * (1 + SAME_GAIN))) return false;
    const auto left = [&](double gain) { return std::max(sums.loss - gain, NO_LOSS * sums.loss); };
    const double price = PRICE * static_cast<double>(problem_.columns - 1);
    return problem_.classes || sums.total * std::log(left(single) / left(linear)) > price;
  }

  void record(GrownNode& node, const LinearSplit& found) {
    node.gate = static_cast<std::int32_t>(tree_.weight.size() / problem_.columns);
    node.bias = found.bias;
    tree_.weight.insert(tree_.weight.end(), found.weight.begin(), found.weight.end());
  }

  void record(std::int32_t at, const hard::Split& asked) {
    GrownNode& node = tree_.node[static_cast<std::size_t>(at)];
    node.feature = asked.feature;
    node.default_slot = axis_->default_slot();
    if (asked.slot.empty()) {
      node.threshold = asked.threshold;
    } else {
      tree_.slot[at] = asked.slot;
    }
  }

  // The two children, of which those that may be split wait for it.
  void plant(Open&& parent, std::size_t middle, const std::vector<std::uint32_t>& id,
             const std::vector<std::uint8_t>& second) {
    const std::int32_t first = tree_.node[static_cast<std::size_t>(parent.node)].first_child;
    Open child[2] = {{first, parent.depth + 1, parent.begin, middle, {}, {}},
                     {first + 1, parent.depth + 1, middle, parent.end, {}, {}}};
    bool wanted[2];
    for (const int slot : {0, 1}) {
      child[slot].sums = describe(child[slot], tree_.node[static_cast<std::size_t>(first + slot)]);
      wanted[slot] = may_split(child[slot]);
      if (wanted[slot]) add_columns(child[slot], child[slot].sums);
    }
    if (axis_) {
      hard::Children lists = axis_->divide(parent.lists, id, second, wanted);
      child[0].lists = std::move(lists.first);
      child[1].lists = std::move(lists.second);
    }
    spread(parent.sums, child, wanted);
    for (const int slot : {1, 0}) {
      if (wanted[slot]) waiting_.push_back(std::move(child[slot]));
    }
  }

  // Scatter of the children: of the smaller over its rows, of the larger by what the parent has left.
  void spread(NodeSums& parent, Open child[2], const bool wanted[2]) const {
    const int large = child[1].end - child[1].begin > child[0].end - child[0].begin;
    const std::size_t n = child[large].end - child[large].begin;
    const bool share = wanted[large] && n >= SHARE_ROWS * problem_.columns && problem_.columns <= SHARE_COLUMNS;
    for (const int slot : {0, 1}) {
      if (!share && wanted[slot]) {
        child[slot].sums.S = scatter(ground_.rows(child[slot].begin, child[slot].end), child[slot].sums.mean.data());
      }
    }
    if (!share) return;
    NodeSums &less = child[1 - large].sums, &rest = child[large].sums;
    less.S = scatter(ground_.rows(child[1 - large].begin, child[1 - large].end), parent.mean.data());
    rest.S = std::move(parent.S);
    for (std::size_t i = 0; i < rest.S.size(); ++i) rest.S[i] -= less.S[i];
    for (const int slot : {0, 1}) {
      if (!wanted[slot]) continue;
      NodeSums& sums = child[slot].sums;
      std::vector<double> away(sums.mean);
      for (std::size_t j = 0; j < away.size(); ++j) away[j] -= parent.mean[j];
      shift(sums.S, ground_.rows(child[slot].begin, child[slot].end), away.data(), sums.total);
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

GrownTree grow(const Problem& problem, const Limits& limits, const Manner& manner) {
  return Grower(problem, limits, manner).grow();
}

}  // namespace softwood::oblique
