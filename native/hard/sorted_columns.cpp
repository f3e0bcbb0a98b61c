#include "hard/sorted_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/parallel.hpp"

namespace softwood::hard {

namespace {

struct Item {
  std::uint32_t high;   // upper half of the value's key
  std::uint32_t place;  // among the live rows
};

// An unsigned key in the order of the doubles: flip the sign bit of positive numbers and all bits of negative ones.
std::uint64_t rising_key(double x) {
  if (x == 0) x = 0;  // -0 and +0 are one value
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return bits ^ ((bits >> 63) ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

constexpr int DIGIT = 11;  // bits per pass: 2048 counters fit in the L1 cache
constexpr std::size_t DIGITS = 1u << DIGIT;
constexpr int PASSES = 3;               // 3 * 11 >= 32
constexpr std::size_t RADIX_MIN = 512;  // below this, comparing is faster than counting

std::size_t digit(std::uint32_t key, int pass) { return (key >> (pass * DIGIT)) & (DIGITS - 1); }

// Stable least-significant-digit radix sort by `high`; passes with only one digit are skipped.
void radix_sort(std::vector<Item>& items) {
  std::array<std::array<std::uint32_t, DIGITS>, PASSES> count{};
  for (const Item& item : items)
    for (int pass = 0; pass < PASSES; ++pass) ++count[pass][digit(item.high, pass)];
  std::vector<Item> spare(items.size());
  for (int pass = 0; pass < PASSES; ++pass) {
    auto& c = count[pass];
    if (c[digit(items[0].high, pass)] == items.size()) continue;
    std::uint32_t sum = 0;
    for (auto& n : c) sum += std::exchange(n, sum);
    for (const Item& item : items) spare[c[digit(item.high, pass)]++] = item;
    items.swap(spare);
  }
}

// Sorts by the whole key. The upper half sorts nearly all; runs that share it are finished by comparing.
void sort_items(std::vector<Item>& items, const std::vector<std::uint64_t>& key) {
  const auto less = [&](const Item& a, const Item& b) { return key[a.place] < key[b.place]; };
  if (items.size() < RADIX_MIN) {
    std::stable_sort(items.begin(), items.end(), less);
    return;
  }
  radix_sort(items);
  for (auto run = items.begin(); run != items.end();) {
    auto end = run;
    bool equal = true;
    for (; end != items.end() && end->high == run->high; ++end) equal &= key[end->place] == key[run->place];
    if (!equal) std::stable_sort(run, end, less);
    run = end;
  }
}

}  // namespace

Columns::Columns(Table table, std::vector<int> levels, const double* weight, int max_bins, int n_threads)
    : X(table), n_levels(std::move(levels)), binned(max_bins > 0), has_missing(table.columns), has_ties(table.columns) {
  for (std::size_t row = 0; row < X.rows; ++row)
    if (weight[row] > 0) live.push_back(static_cast<std::uint32_t>(row));
  if (binned) {
    bin.resize(features() * X.rows);
    edge.resize(features());
  } else {
    order.resize(features() * live.size());
  }
  for_each_column(n_threads, [&](std::size_t feature, const double* value) {
    if (!binned) {
      sort_column(feature, value, order.data() + feature * live.size());
      return;
    }
    bin_column(feature, value, weight, max_bins);
  });
}

Columns::Columns(const SparseRows& table, const double* weight, int max_bins, int n_threads)
    : X{nullptr, table.rows, table.columns, 0, 0},
      n_levels(table.columns),
      has_missing(table.columns),
      has_ties(table.columns, true) {
  for (std::size_t row = 0; row < X.rows; ++row)
    if (weight[row] > 0) live.push_back(static_cast<std::uint32_t>(row));
  stored = std::make_unique<StoredColumns>(table, live, weight, max_bins, n_threads);
  for (std::size_t f = 0; f < features(); ++f) has_missing[f] = stored->missing_at[f] < stored->begin[f + 1];
}

int Columns::code(std::uint32_t row, std::size_t feature) const {
  const double x = X(row, feature);
  return x >= 0 && x < n_levels[feature] ? static_cast<int>(x) : -1;
}

bool Columns::is_missing(std::uint32_t row, std::size_t feature) const {
  if (stored) return stored->is_missing(feature, stored->group_of(row, feature));
  return is_category(feature) ? code(row, feature) < 0 : std::isnan(X(row, feature));
}

bool Columns::any_missing(std::size_t feature, const std::vector<double>& weight) const {
  if (!has_missing[feature]) return false;
  return std::any_of(live.begin(), live.end(),
                     [&](std::uint32_t row) { return weight[row] > 0 && is_missing(row, feature); });
}

// Columns of a row-major table share cache lines: read a few at once, up to GATHER bytes.
void Columns::for_each_column(int n_threads, const std::function<void(std::size_t, const double*)>& visit) const {
  constexpr std::size_t LINE = 8, GATHER = std::size_t{16} << 20;
  const std::size_t fit = std::max<std::size_t>(1, GATHER / sizeof(double) / std::max<std::size_t>(1, live.size()));
  const std::size_t together = std::min({LINE, fit, (features() + n_threads - 1) / n_threads});
  for_each_piece((features() + together - 1) / together, n_threads, [&](std::size_t piece) {
    const std::size_t first = piece * together, last = std::min(first + together, features());
    std::vector<double> value((last - first) * live.size());
    for (std::size_t i = 0; i < live.size(); ++i)
      for (std::size_t f = first; f < last; ++f) value[(f - first) * live.size() + i] = X(live[i], f);
    for (std::size_t f = first; f < last; ++f) visit(f, value.data() + (f - first) * live.size());
  });
}

void Columns::sort_column(std::size_t feature, const double* value, std::uint32_t* entries) {
  const auto n = static_cast<std::uint32_t>(live.size());
  const double levels = is_category(feature) ? n_levels[feature] : std::numeric_limits<double>::infinity();
  const double least = is_category(feature) ? 0 : -levels;
  std::vector<std::uint64_t> key(n);
  std::vector<Item> items;
  std::vector<std::uint32_t> missing;
  items.reserve(n);
  for (std::uint32_t place = 0; place < n; ++place) {
    if (value[place] >= least && value[place] < levels) {
      key[place] = rising_key(value[place]);
      items.push_back({static_cast<std::uint32_t>(key[place] >> 32), place});
    } else {
      missing.push_back(live[place]);
    }
  }
  if (!items.empty()) sort_items(items, key);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::uint64_t now = key[items[i].place];
    const bool same = i && now == before;
    entries[i] = live[items[i].place] | (same ? SAME : 0);
    has_ties[feature] |= same;
    before = now;
  }
  std::copy(missing.begin(), missing.end(), entries + items.size());
  has_missing[feature] = !missing.empty();
}

void Columns::bin_column(std::size_t feature, const double* value, const double* weight, int max_bins) {
  has_ties[feature] = true;  // rows of one bin count as equal
  const auto in = [&](double x) { return is_category(feature) ? x >= 0 && x < n_levels[feature] : !std::isnan(x); };
  has_missing[feature] = !std::all_of(value, value + live.size(), in);
  if (is_category(feature)) return;
  std::vector<double> of_live(live.size());
  for (std::size_t i = 0; i < live.size(); ++i) of_live[i] = weight[live[i]];
  std::uint8_t* code = bin.data() + feature * X.rows;
  edge[feature] = cut_bins(value, of_live.data(), live.size(), max_bins, code);
  if (live.size() == X.rows) return;
  for (std::size_t i = live.size(); i-- > 0;)
    code[live[i]] = code[i];  // live rows increase: none is overwritten before it is read
}

}  // namespace softwood::hard
