#include "hard/binning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace softwood::hard {

namespace {

constexpr std::size_t BUCKETS = 4096;  // 16 per bin: few values lie in the same bucket as the end of a bin
constexpr std::uint16_t NONE = BUCKETS;
constexpr double ROUNDING = 1e-12;  // sums of weights in another order differ by less than this

struct WeightedValue {
  double value, weight;
};

class BinCutter {
 public:
  BinCutter(const double* value, const double* weight, std::size_t n)
      : value_(value), weight_(weight), n_(n), at_(n), sum_(BUCKETS), least_(BUCKETS, INF), size_(BUCKETS) {}

  std::vector<double> cut(int max_bins, std::uint8_t* bin) {
    fill_buckets();
    bins_ = missing_ ? std::min(max_bins, MAX_BINS - 1) : max_bins;
    sort_end_buckets();
    find_edges();
    for (std::size_t i = 0; i < n_; ++i) bin[i] = at_[i] == NONE ? MISSING_BIN : find_bin(i);
    return std::move(edge_);
  }

 private:
  static constexpr double INF = std::numeric_limits<double>::infinity();
  const double *value_, *weight_;
  const std::size_t n_;
  std::vector<std::uint16_t> at_;    // bucket of every value
  std::vector<double> sum_, least_;  // weight and smallest value of every bucket
  std::vector<std::size_t> size_;    // values in it
  std::vector<std::uint8_t> first_;  // bin in which it begins
  std::vector<WeightedValue> item_;  // of the sorted buckets, one after the other
  std::vector<std::size_t> begin_;   // where each bucket's items begin
  std::vector<double> edge_;
  double total_ = 0;
  bool missing_ = false, keeps_all_ = false;  // keeps_all: every distinct value is a bin
  int bins_ = 0;

  // Halving keeps the range finite; a range too small to divide is one bucket.
  void fill_buckets() {
    double low = INF, high = -INF;
    for (std::size_t i = 0; i < n_; ++i) {
      low = value_[i] < low ? value_[i] : low;
      high = value_[i] > high ? value_[i] : high;
    }
    const double origin = low / 2, range = high / 2 - origin;
    const double scale = range > 0 && BUCKETS / range < INF ? BUCKETS / range : 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double x = value_[i];
      if (std::isnan(x)) {
        at_[i] = NONE;
        missing_ = true;
        continue;
      }
      const auto b = std::min(static_cast<std::size_t>((x / 2 - origin) * scale), BUCKETS - 1);
      at_[i] = static_cast<std::uint16_t>(b);
      sum_[b] += weight_[i];
      least_[b] = std::min(least_[b], x);
      ++size_[b];
    }
    for (const double weight : sum_) total_ += weight;
  }

  // The number of bins that have ended at cumulative weight `sum`.
  double ended(double sum, double slack) const { return std::floor((sum / total_ + slack) * bins_); }

  // Gathers and sorts the buckets in which a bin may end; all of them if there may be at most as many values as bins.
  void sort_end_buckets() {
    const auto filled =
        static_cast<std::size_t>(std::count_if(size_.begin(), size_.end(), [](auto n) { return n > 0; }));
    keeps_all_ = filled <= static_cast<std::size_t>(bins_);
    std::vector<std::size_t> end(BUCKETS + 1, n_);
    begin_.assign(BUCKETS, n_);
    std::size_t items = 0;
    double sum = 0;
    for (std::size_t b = 0; b < BUCKETS; ++b) {
      const double before = sum;
      sum += sum_[b];
      if (size_[b] == 0 || !(keeps_all_ || ended(sum, 2 * ROUNDING) > ended(before, -2 * ROUNDING))) continue;
      begin_[b] = end[b] = items;
      items += size_[b];
    }
    item_.resize(items);
    for (std::size_t i = 0; i < n_; ++i)
      if (end[at_[i]] < n_) item_[end[at_[i]]++] = {value_[i], weight_[i]};
    for (std::size_t b = 0; b < BUCKETS; ++b)
      if (begin_[b] < n_) sort(item_.begin() + static_cast<std::ptrdiff_t>(begin_[b]), size_[b]);
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < items; ++i) distinct += item_[i].value != item_[i - 1].value;
    keeps_all_ = keeps_all_ && distinct <= static_cast<std::size_t>(bins_);
  }

  static void sort(std::vector<WeightedValue>::iterator begin, std::size_t n) {
    const auto end = begin + static_cast<std::ptrdiff_t>(n);
    const auto less = [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; };
    if (!std::is_sorted(begin, end, less)) std::stable_sort(begin, end, less);
  }

  // An edge after a value when the weight up to it passes the next multiple of W / bins.
  void find_edges() {
    first_.resize(BUCKETS);
    double sum = 0, done = 0;  // done: multiples passed by the last edge
    for (std::size_t b = 0; b < BUCKETS; ++b) {
      first_[b] = static_cast<std::uint8_t>(edge_.size());
      const double after = sum + sum_[b];
      for (std::size_t i = begin_[b]; begin_[b] < n_ && i < begin_[b] + size_[b]; ++i) {
        sum += item_[i].weight;
        const double next = next_value(b, i);
        const bool full = edge_.size() + 1 == static_cast<std::size_t>(bins_);
        if (full || next == INF || next == item_[i].value || !(keeps_all_ || ended(sum, ROUNDING) > done)) continue;
        edge_.push_back(middle(item_[i].value, next));
        done = ended(sum, ROUNDING);
      }
      sum = after;
    }
  }

  double next_value(std::size_t bucket, std::size_t i) const {
    if (i + 1 < begin_[bucket] + size_[bucket]) return item_[i + 1].value;
    while (++bucket < BUCKETS)
      if (size_[bucket] > 0) return least_[bucket];
    return INF;
  }

  std::uint8_t find_bin(std::size_t i) const {
    std::size_t b = first_[at_[i]];
    while (b < edge_.size() && value_[i] > edge_[b]) ++b;
    return static_cast<std::uint8_t>(b);
  }
};

}  // namespace

double middle(double a, double b) {
  const double m = a / 2 + b / 2;
  return m >= b || m < a ? a : m;  // rounding, or subnormal halves
}

std::vector<double> cut_bins(const double* value, const double* weight, std::size_t n, int max_bins,
                             std::uint8_t* bin) {
  return BinCutter(value, weight, n).cut(max_bins, bin);
}

}  // namespace softwood::hard
