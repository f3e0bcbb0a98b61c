#include "hard/c45_grower.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "hard/c45_splitter.hpp"

namespace softwood {

namespace {

constexpr double GAIN_SLACK = 1e-3;           // bits below the mean gain that still count as the mean
constexpr double MANY_LEVELS_PART = 0.3;      // levels per row from which a category counts as having many levels
constexpr std::size_t WORTH_THREADS = 20000;  // cells of a node from which threads are worth starting
constexpr std::int32_t UNKNOWN = -1;

class C45Grower {
 public:
  C45Grower(const C45Problem& problem, int n_threads)
      : p_(problem), n_threads_(n_threads), weight_(problem.X.rows, 0.0), slot_(problem.X.rows, 0) {}

  C45Tree run() {
    std::deque<C45Rows> open;
    open.push_back(all_rows());
    tree_.node.emplace_back();
    mark_many(open.front());
    for (std::size_t m = 0; m < tree_.node.size(); ++m) {
      poll_interrupt();
      C45Rows rows = std::move(open.front());
      open.pop_front();
      grow_node(m, rows, open);
    }
    return std::move(tree_);
  }

 private:
  C45Rows all_rows() {
    C45Rows all;
    for (std::uint32_t row = 0; row < p_.X.rows; ++row) {
      if (!(p_.weight[row] > 0)) continue;
      all.row.push_back(row);
      all.weight.push_back(p_.weight[row]);
    }
    all.order.resize(p_.X.columns);
    for_each_piece(p_.X.columns, n_threads_, [&](std::size_t f) {
      if (p_.n_levels[f]) return;
      std::vector<std::uint32_t>& order = all.order[f];
      for (const std::uint32_t row : all.row)
        if (!std::isnan(p_.X(row, f))) order.push_back(row);
      std::stable_sort(order.begin(), order.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return p_.X(a, f) < p_.X(b, f); });
    });
    return all;
  }

  // Categories with this many levels are left out of the mean gain.
  void mark_many(const C45Rows& all) {
    double total = 0;
    for (const double w : all.weight) total += w;
    many_.assign(p_.X.columns, 0);
    for (std::size_t f = 0; f < many_.size(); ++f)
      many_[f] = p_.n_levels[f] > 0 && p_.n_levels[f] >= MANY_LEVELS_PART * total;
    if (std::accumulate(many_.begin(), many_.end(), std::size_t{0}) == many_.size()) std::ranges::fill(many_, 0);
  }

  void grow_node(std::size_t m, C45Rows& rows, std::deque<C45Rows>& open) {
    std::vector<double> value(p_.n_classes, 0.0);
    double total = 0;
    for (std::size_t i = 0; i < rows.row.size(); ++i) {
      weight_[rows.row[i]] = rows.weight[i];
      value[p_.code[rows.row[i]]] += rows.weight[i];
      total += rows.weight[i];
    }
    tree_.value.insert(tree_.value.end(), value.begin(), value.end());
    const bool pure = *std::max_element(value.begin(), value.end()) >= total * (1 - C45_TIE);
    if (pure || total < 2 * p_.min_cases * (1 - C45_TIE)) return;
    C45Test test;
    const int feature = choose(rows, total, test);
    if (feature >= 0) divide(m, feature, test, total, rows, open);
  }

  int choose(const C45Rows& rows, double total, C45Test& chosen) const {
    std::vector<C45Test> tests(p_.X.columns);
    const bool large = rows.row.size() * p_.X.columns >= WORTH_THREADS;
    for_each_piece(p_.X.columns, large ? n_threads_ : 1, [&](std::size_t f) {
      const int feature = static_cast<int>(f);
      tests[f] = p_.n_levels[f] ? test_category(p_, feature, rows.row, weight_, total)
                                : test_number(p_, feature, rows.order[f], weight_, total);
    });
    double sum = 0, n = 0;
    for (std::size_t f = 0; f < tests.size(); ++f) {
      if (!tests[f].counts() || many_[f]) continue;
      sum += tests[f].gain;
      n += 1;
    }
    const double least = (n > 0 ? sum / n : 0) - GAIN_SLACK;
    int best = -1;
    for (std::size_t f = 0; f < tests.size(); ++f) {
      if (!tests[f].counts() || tests[f].gain < least) continue;
      if (tests[f].ratio() <= (best < 0 ? 0 : tests[best].ratio()) + C45_TIE) continue;
      best = static_cast<int>(f);
    }
    if (best >= 0) chosen = std::move(tests[best]);
    return best;
  }

  std::int32_t read(const C45Test& test, std::uint32_t row, int feature) const {
    const double x = p_.X(row, feature);
    if (std::isnan(x)) return UNKNOWN;
    if (test.slot.empty()) return x <= test.threshold ? 0 : 1;
    return x >= 0 && x < static_cast<double>(test.slot.size()) ? test.slot[static_cast<std::size_t>(x)] : UNKNOWN;
  }

  void divide(std::size_t m, int feature, C45Test& test, double total, const C45Rows& rows, std::deque<C45Rows>& open) {
    const int children = test.slot.empty() ? 2 : *std::max_element(test.slot.begin(), test.slot.end()) + 1;
    std::vector<double> fraction(children, 0.0);
    double known = 0;
    for (const std::uint32_t row : rows.row) {
      slot_[row] = read(test, row, feature);
      if (slot_[row] != UNKNOWN) fraction[slot_[row]] += weight_[row];
    }
    for (const double f : fraction) known += f;
    for (double& f : fraction) f /= known;
    const double largest = *std::max_element(fraction.begin(), fraction.end());
    C45Node& node = tree_.node[m];
    node.first_child = static_cast<std::int32_t>(tree_.node.size());
    node.n_children = children;
    node.feature = feature;
    node.threshold = test.threshold;
    node.gain = test.gain * total;
    while (fraction[node.default_slot] < largest - C45_TIE) ++node.default_slot;
    node.slot = std::move(test.slot);
    for (const double f : fraction) tree_.node.emplace_back().fraction = f;
    for (C45Rows& child : parts(rows, fraction)) open.push_back(std::move(child));
  }

  // The rows of every child: those of its slot, and a fraction of those that the gate cannot read. One pass for all
  // children, of which a category of many levels has as many.
  std::vector<C45Rows> parts(const C45Rows& rows, const std::vector<double>& fraction) const {
    std::vector<C45Rows> child(fraction.size());
    for (std::size_t i = 0; i < rows.row.size(); ++i) {
      each_child(rows.row[i], child, [&](C45Rows& of, std::size_t s, bool known) {
        of.row.push_back(rows.row[i]);
        of.weight.push_back(known ? rows.weight[i] : rows.weight[i] * fraction[s]);
      });
    }
    for (C45Rows& of : child) of.order.resize(rows.order.size());
    for (std::size_t f = 0; f < rows.order.size(); ++f) {
      for (const std::uint32_t row : rows.order[f])
        each_child(row, child, [&](C45Rows& of, std::size_t, bool) { of.order[f].push_back(row); });
    }
    return child;
  }

  // Visits the child of a row, or all children if the gate cannot read it.
  template <class Visit>
  void each_child(std::uint32_t row, std::vector<C45Rows>& child, Visit&& visit) const {
    if (slot_[row] != UNKNOWN) {
      visit(child[static_cast<std::size_t>(slot_[row])], static_cast<std::size_t>(slot_[row]), true);
      return;
    }
    for (std::size_t s = 0; s < child.size(); ++s) visit(child[s], s, false);
  }

  const C45Problem& p_;
  int n_threads_;
  std::vector<double> weight_;      // of the rows of the current node
  std::vector<std::int32_t> slot_;  // their slots
  std::vector<std::uint8_t> many_;  // per feature
  C45Tree tree_;
};

}  // namespace

C45Tree grow_c45(const C45Problem& problem, int n_threads) { return C45Grower(problem, n_threads).run(); }

}  // namespace softwood
