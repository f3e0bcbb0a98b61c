#include "c45_test.hpp"

#include <algorithm>

#include "columns.hpp"

namespace softwood {

namespace {

constexpr double SMALLEST_PART = 0.1, LARGEST_LEAST = 25.0;  // of a threshold's side

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

// Joins the two groups whose union has the largest ratio as long as that does not fall.
void join_groups(Groups& groups, std::vector<std::int32_t>& slot, double total) {
  double ratio = measure(groups, total).ratio();
  while (groups.size() > 2) {
    double best = -1;
    int first = 0, second = 0;
    for (int a = 0; a < groups.size(); ++a)
      for (int b = a + 1; b < groups.size(); ++b) {
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

// One side of a moving threshold; the x log2 x of each class is kept until its count changes.
struct Side {
  std::vector<double> count, part;
  double total = 0;

  explicit Side(int classes) : count(classes, 0.0), part(classes, 0.0) {}
  double bits() const {
    double inner = 0;
    for (const double p : part) inner += p;
    return times_log(total) - inner;
  }
};

}  // namespace

C45Test test_number(const C45Problem& problem, int feature, const std::vector<std::uint32_t>& order,
                    const std::vector<double>& weight, double total) {
  C45Test test;
  const int classes = problem.n_classes;
  std::vector<double> all(classes, 0.0);
  double known = 0;
  for (const std::uint32_t row : order) {
    all[problem.code[row]] += weight[row];
    known += weight[row];
  }
  double least = std::min(std::max(SMALLEST_PART * known / classes, problem.min_cases), LARGEST_LEAST);
  least = std::max(least, problem.min_cases) * (1 - C45_TIE);
  if (known < 2 * least) return test;
  const double base = bits(all.data(), classes);
  Side below(classes), above(classes);
  std::vector<std::uint8_t> changed(classes, 1);
  double best = -1, best_low = 0;
  std::size_t best_at = 0, tries = 0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const std::int32_t c = problem.code[order[i]];
    below.count[c] += weight[order[i]];
    below.total += weight[order[i]];
    changed[c] = 1;
    if (below.total < least || known - below.total < least) continue;
    if (!(problem.X(order[i], feature) < problem.X(order[i + 1], feature))) continue;
    ++tries;
    above.total = 0;
    for (int k = 0; k < classes; ++k) {
      if (changed[k]) {
        above.count[k] = std::max(all[k] - below.count[k], 0.0);
        below.part[k] = times_log(below.count[k]);
        above.part[k] = times_log(above.count[k]);
        changed[k] = 0;
      }
      above.total += above.count[k];
    }
    const double gain = (base - below.bits() - above.bits()) / total;
    if (gain <= best + C45_TIE) continue;
    best = gain;
    best_at = i;
    best_low = below.total;
  }
  if (tries == 0) return test;
  const double left = best - std::log2(static_cast<double>(tries)) / total;
  if (left <= 0) return test;
  test.gain = left;
  test.info = (times_log(total) - times_log(best_low) - times_log(std::max(known - best_low, 0.0)) -
               times_log(std::max(total - known, 0.0))) /
              total;
  test.threshold = middle(problem.X(order[best_at], feature), problem.X(order[best_at + 1], feature));
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
  test.gain = std::max(test.gain, 0.0);  // rounding may leave less than nothing
  test.slot = std::move(slot);
  return test;
}

}  // namespace softwood
