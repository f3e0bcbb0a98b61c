#include "hard/c45_splitter.hpp"

#include <algorithm>

#include "core/interrupt.hpp"
#include "hard/sorted_columns.hpp"
#include "simd/elementary.hpp"

namespace softwood {

namespace {

constexpr std::size_t OFTEN = 1024;                          // thresholds between two polls for an interrupt
constexpr double SMALLEST_PART = 0.1, LARGEST_LEAST = 25.0;  // for a side of a threshold

// Weight times information of counts by class.
double bits(const double* count, int n) {
  double sum = 0, inner = 0;
  for (int c = 0; c < n; ++c) {
    sum += count[c];
    inner += times_log(count[c]);
  }
  return times_log(sum) - inner;
}

struct Groups {
  std::vector<double> count;  // groups x classes
  int classes;

  int size() const { return static_cast<int>(count.size()) / classes; }
  double weight(int group) const {
    double sum = 0;
    for (int c = 0; c < classes; ++c) sum += count[group * classes + c];
    return sum;
  }
  void join(int a, int b) {
    for (int c = 0; c < classes; ++c) count[a * classes + c] += count[b * classes + c];
    count.erase(count.begin() + b * classes, count.begin() + (b + 1) * classes);
  }
};

C45Test measure(const Groups& groups, double total) {
  std::vector<double> all(groups.classes, 0.0);
  double inside = 0, known = 0, parts = 0;
  for (int g = 0; g < groups.size(); ++g) {
    const double* count = groups.count.data() + static_cast<std::ptrdiff_t>(g) * groups.classes;
    for (int c = 0; c < groups.classes; ++c) all[c] += count[c];
    inside += bits(count, groups.classes);
    known += groups.weight(g);
    parts += times_log(groups.weight(g));
  }
  C45Test test;
  test.gain = (bits(all.data(), groups.classes) - inside) / total;
  test.info = (times_log(total) - parts - times_log(std::max(total - known, 0.0))) / total;
  return test;
}

// Joins the two groups whose union has the largest ratio, as long as the ratio does not decrease.
void join_groups(Groups& groups, std::vector<std::int32_t>& slot, double total) {
  double ratio = measure(groups, total).ratio();
  while (groups.size() > 2) {
    double best = -1;
    int first = 0, second = 0;
    for (int a = 0; a < groups.size(); ++a)
      for (int b = a + 1; b < groups.size(); ++b) {
        poll_interrupt();
        Groups joined = groups;
        joined.join(a, b);
        const double r = measure(joined, total).ratio();
        if (best >= 0 && r <= best + C45_TIE) continue;
        best = r;
        first = a;
        second = b;
      }
    if (best < ratio - C45_TIE) return;
    ratio = best;
    groups.join(first, second);
    for (std::int32_t& s : slot) s = s == second ? first : s > second ? s - 1 : s;
  }
}

// A threshold that moves up through the known rows of a node. The x log2 x of a class is kept until its count changes.
class Sweep {
 public:
  Sweep(const C45Problem& problem, const std::vector<std::uint32_t>& order, const std::vector<double>& weight)
      : p_(problem), weight_(weight), all_(classes(), 0.0), below_(all_), below_part_(all_), above_part_(all_) {
    changed_.assign(classes(), 1);
    for (const std::uint32_t row : order) {
      all_[p_.code[row]] += weight[row];
      known_ += weight[row];
    }
    base_ = bits(all_.data(), p_.n_classes);
  }

  double known() const { return known_; }
  double low() const { return low_; }
  double high() const { return std::max(known_ - low_, 0.0); }

  void pass(std::uint32_t row) {
    const std::int32_t c = p_.code[row];
    below_[c] += weight_[row];
    low_ += weight_[row];
    changed_[c] = 1;
  }

  // Weight times gain of the current threshold.
  double gain() {
    double inner = 0, above = 0;
    for (std::size_t c = 0; c < classes(); ++c) {
      const double left = std::max(all_[c] - below_[c], 0.0);
      if (changed_[c]) {
        below_part_[c] = times_log(below_[c]);
        above_part_[c] = times_log(left);
        changed_[c] = 0;
      }
      inner += below_part_[c] + above_part_[c];
      above += left;
    }
    return base_ - (times_log(low_) + times_log(above) - inner);
  }

 private:
  std::size_t classes() const { return static_cast<std::size_t>(p_.n_classes); }

  const C45Problem& p_;
  const std::vector<double>& weight_;
  std::vector<double> all_, below_, below_part_, above_part_;
  std::vector<std::uint8_t> changed_;
  double known_ = 0, low_ = 0, base_ = 0;
};

}  // namespace

C45Test test_number(const C45Problem& problem, int feature, const std::vector<std::uint32_t>& order,
                    const std::vector<double>& weight, double total) {
  Sweep sweep(problem, order, weight);
  double least =
      std::min(std::max(SMALLEST_PART * sweep.known() / problem.n_classes, problem.min_cases), LARGEST_LEAST);
  least = std::max(least, problem.min_cases) * (1 - C45_TIE);
  if (sweep.known() < 2 * least) return {};
  double best = -1, low = 0, high = 0;
  std::size_t at = 0, tries = 0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    sweep.pass(order[i]);
    if (sweep.low() < least || sweep.high() < least) continue;
    if (!(problem.X(order[i], feature) < problem.X(order[i + 1], feature))) continue;
    if (++tries % OFTEN == 0) poll_interrupt();
    const double gain = sweep.gain() / total;
    if (gain <= best + C45_TIE) continue;
    best = gain;
    at = i;
    low = sweep.low();
    high = sweep.high();
  }
  const double left = tries ? best - elementary::log2(static_cast<double>(tries)) / total : 0;
  if (left <= 0) return {};
  C45Test test;
  test.gain = left;
  test.info = times_log(total) - times_log(low) - times_log(high) - times_log(std::max(total - sweep.known(), 0.0));
  test.info /= total;
  test.threshold = hard::middle(problem.X(order[at], feature), problem.X(order[at + 1], feature));
  return test;
}

C45Test test_category(const C45Problem& problem, int feature, const std::vector<std::uint32_t>& rows,
                      const std::vector<double>& weight, double total) {
  const int levels = problem.n_levels[feature], classes = problem.n_classes;
  Groups whole{std::vector<double>(static_cast<std::size_t>(levels) * classes, 0.0), classes}, groups{{}, classes};
  for (const std::uint32_t row : rows) {
    const double x = problem.X(row, feature);
    if (x >= 0 && x < levels) whole.count[static_cast<int>(x) * classes + problem.code[row]] += weight[row];
  }
  std::vector<std::int32_t> slot(levels, -1);
  for (int level = 0; level < levels; ++level) {
    if (!(whole.weight(level) > 0)) continue;
    slot[level] = groups.size();
    const auto begin = whole.count.begin() + static_cast<std::ptrdiff_t>(level) * classes;
    groups.count.insert(groups.count.end(), begin, begin + classes);
  }
  if (groups.size() < 2) return {};
  if (problem.subsets) join_groups(groups, slot, total);
  int reasonable = 0;
  for (int g = 0; g < groups.size(); ++g) reasonable += groups.weight(g) >= problem.min_cases * (1 - C45_TIE);
  if (reasonable < 2) return {};
  C45Test test = measure(groups, total);
  test.gain = std::max(test.gain, 0.0);  // rounding may leave a negative number
  test.slot = std::move(slot);
  return test;
}

}  // namespace softwood
