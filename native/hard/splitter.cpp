#include "hard/splitter.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "hard/threshold_split.hpp"

namespace softwood::hard {

namespace {

constexpr std::size_t KEEP_HISTOGRAM = 1024;  // rows from which subtracting histograms is faster than counting
constexpr std::size_t MAKE_LISTS = 1024;      // rows up to which ordered lists are faster than histograms

}  // namespace

Splitter::Splitter(const Columns& columns, const Objective& objective, const Growth& growth)
    : columns_(columns),
      objective_(objective),
      growth_(growth),
      has_missing_(columns.features()),
      found_(columns.features()),
      cells_(objective),
      none_(static_cast<std::size_t>(objective.width())) {
  for (std::size_t f = 0; f < columns.features(); ++f) has_missing_[f] = columns.any_missing(f, objective.weight);
  const bool all_numbers = std::all_of(columns.n_levels.begin(), columns.n_levels.end(), [](int n) { return n == 0; });
  is_plain_ = all_numbers && !any_missing() && growth.monotone.empty() && objective.plain && objective.moments();
}

Split Splitter::best_split(NodeFacts node, int n_threads) {
  if (columns_.stored) return best_stored(node, n_threads);
  const std::size_t features = columns_.features();
  std::unique_ptr<Centers> centers;
  if (objective_.has_centers()) {
    std::vector<std::uint32_t> rows(node.rows.n);
    for (std::size_t i = 0; i < node.rows.n; ++i) rows[i] = node.rows.row(i);
    centers = std::make_unique<Centers>(objective_, rows, rank_);
  }
  const bool large = node.rows.n * features >= THREADS_FROM;
  if (is_plain_ && node.rows.entries && !large) return sweep(node);
  if (large && n_threads > 1)
    for_each_piece(features, n_threads, [&](std::size_t f) { search_feature(node, f, centers.get()); });
  std::size_t winner = features;
  for (std::size_t f = 0; f < features; ++f) {
    if (large) poll_interrupt();
    if (!large || n_threads <= 1) search_feature(node, f, centers.get());
    const Best& best = found_[f].best;
    if (!best.found || (winner < features && !(best.gain > found_[winner].best.gain + node.tie))) continue;
    winner = f;
    // A split into pure children cannot be beaten, only tied, and the lower feature wins ties: stop there.
    if (best.gain >= node.most) break;
    // In a small node the next features start from the best gain so far. Not in a large one, where threads do not wait
    // for each other and the tree must not depend on them.
    if (!large) node.floor = best.gain + node.tie;
  }
  if (winner == features) return {};
  return columns_.is_category(winner) ? std::move(found_[winner].category)
                                      : number_split(node, found_[winner].best, winner);
}

Split Splitter::sweep(const NodeFacts& node) const {
  const std::size_t features = columns_.features();
  const SplitSelector selector = make_selector(node, 0);
  Best best;
  const std::size_t winner =
      objective_.classes
          ? sweep_moments(selector, objective_.is_one.data(), node.rows, features, node.total, node.most, best)
          : sweep_moments(selector, objective_.y.data(), node.rows, features, node.total, node.most, best);
  return winner < features ? number_split(node, best, winner) : Split{};
}

SplitSelector Splitter::make_selector(const NodeFacts& node, std::size_t feature) const {
  const int sign = this->sign(static_cast<int>(feature));
  return {objective_, growth_.min_samples_leaf, node.tie, node.bounds, sign, node.floor, {}};
}

void Splitter::search_feature(const NodeFacts& node, std::size_t feature, const Centers* centers) {
  Found& found = found_[feature];
  if (columns_.is_category(feature))
    found = centers ? search_center_categories(node, feature, *centers) : search_categories(node, feature);
  else if (centers)
    found.best = search_centers(node, feature, *centers);
  else
    found.best = node.rows.entries ? search_entries(node, feature) : search_bins(node, feature);
}

const std::uint32_t* Splitter::entries(const NodeRows& rows, std::size_t feature,
                                       std::vector<std::uint32_t>& made) const {
  if (rows.entries) return rows.entries + feature * rows.stride;
  made.resize(rows.n);
  order_rows(rows, feature, made.data());
  return made.data();
}

// Binned: the rows ordered by bin or category; missing values have the largest key.
void Splitter::order_rows(const NodeRows& rows, std::size_t feature, std::uint32_t* entries) const {
  const std::uint8_t* bin = &columns_.bin[feature * columns_.X.rows];
  if (!columns_.is_category(feature)) {
    std::array<std::uint32_t, MAX_BINS> end{};
    for (const std::uint32_t row : rows.rows) ++end[bin[row]];
    std::uint32_t sum = 0;
    for (std::uint32_t& n : end) sum += std::exchange(n, sum);
    for (const std::uint32_t row : rows.rows) entries[end[bin[row]]++] = row;
    for (std::size_t i = rows.n; i-- > 1;)
      if (bin[entries[i]] == bin[entries[i - 1] & ROW]) entries[i] |= SAME;
    return;
  }
  std::vector<std::pair<int, std::uint32_t>> keyed(rows.n);
  for (std::size_t i = 0; i < rows.n; ++i) {
    const int code = columns_.code(rows.rows[i], feature);
    keyed[i] = {code < 0 ? columns_.n_levels[feature] : code, rows.rows[i]};
  }
  std::sort(keyed.begin(), keyed.end());
  for (std::size_t i = 0; i < rows.n; ++i)
    entries[i] = keyed[i].second | (i && keyed[i].first == keyed[i - 1].first ? SAME : 0);
}

void Splitter::make_lists(NodeRows& rows) const {
  rows.stride = rows.n;
  rows.shared = std::make_unique_for_overwrite<std::uint32_t[]>(columns_.features() * rows.stride);
  for (std::size_t f = 0; f < columns_.features(); ++f) order_rows(rows, f, rows.shared.get() + f * rows.stride);
  rows.entries = rows.shared.get();
  rows.rows = {};
  rows.histogram = {};
}

std::size_t Splitter::count_known(const std::uint32_t* entries, std::size_t n, std::size_t feature) const {
  if (!has_missing_[feature]) return n;
  const auto* end = std::partition_point(
      entries, entries + n, [&](std::uint32_t entry) { return !columns_.is_missing(entry & ROW, feature); });
  return static_cast<std::size_t>(end - entries);
}

double Splitter::threshold_between(std::uint32_t low, std::uint32_t high, std::size_t feature) const {
  if (columns_.binned) return columns_.edge[feature][columns_.bin[feature * columns_.X.rows + low]];
  return middle(columns_.X(low, feature), columns_.X(high, feature));
}

Splitter::Parts Splitter::tell_apart(const NodeFacts& node, const std::uint32_t* entries, std::size_t feature) const {
  Parts parts{entries, count_known(entries, node.rows.n, feature), none_, none_};
  for (std::size_t i = parts.known; i < node.rows.n; ++i) objective_.add(parts.missing_state.data(), entries[i] & ROW);
  for (std::size_t i = 0; i < none_.size(); ++i) parts.known_state[i] = node.total[i] - parts.missing_state[i];
  return parts;
}

void Splitter::pass(SplitSelector& selector, const std::uint32_t* entries, std::size_t n, const double* base,
                    const double* total, int missing_slot) const {
  const double scale = objective_.moments_scale();
  if (!objective_.moments()) {
    const double* table = objective_.x_log_x_of.data();
    if (objective_.criterion == Criterion::gini)
      pass_gini(selector, entries, n, base, total, missing_slot);
    else if (objective_.criterion == Criterion::entropy && !objective_.x_log_x_of.empty())
      pass_entropy(selector, entries, n, base, total, missing_slot,
                   [=](double x) { return table[static_cast<std::size_t>(x)]; });
    else if (objective_.criterion == Criterion::entropy)
      pass_entropy(selector, entries, n, base, total, missing_slot, Objective::x_log_x);
    else
      pass_states(selector, entries, n, base, total, missing_slot);
  } else if (objective_.classes) {
    const std::uint8_t* y = objective_.is_one.data();
    objective_.plain ? pass_moments<true>(selector, y, scale, entries, n, base, total, missing_slot)
                     : pass_moments<false>(selector, y, scale, entries, n, base, total, missing_slot);
  } else {
    const double* y = objective_.y.data();
    objective_.plain ? pass_moments<true>(selector, y, scale, entries, n, base, total, missing_slot)
                     : pass_moments<false>(selector, y, scale, entries, n, base, total, missing_slot);
  }
}

Best Splitter::search_entries(const NodeFacts& node, std::size_t feature) const {
  const std::uint32_t* entries = node.rows.entries + feature * node.rows.stride;
  SplitSelector selector = make_selector(node, feature);
  if (!has_missing_[feature]) {
    pass(selector, entries, node.rows.n, none_.data(), node.total, -1);
    return selector.best;
  }
  const Parts parts = tell_apart(node, entries, feature);
  if (!growth_.places_missing() || parts.known == node.rows.n) {
    pass(selector, entries, parts.known, none_.data(), parts.known_state.data(), -1);
  } else {
    pass(selector, entries, parts.known, none_.data(), node.total, 1);
    pass(selector, entries, parts.known, parts.missing_state.data(), node.total, 0);
    selector.offer(parts.known_state.data(), node.total, parts.known, 1);
  }
  return selector.best;
}

// Position is an index in the list, or the last bin of the first child if the splitter used bins.
Split Splitter::number_split(const NodeFacts& node, const Best& best, std::size_t feature) const {
  Split split;
  split.gain = best.gain;
  split.feature = static_cast<int>(feature);
  split.missing_slot = best.missing_slot;
  split.threshold = std::numeric_limits<double>::infinity();
  if (!node.rows.entries && !objective_.has_centers()) {
    split.last_bin = static_cast<int>(best.position);
    if (best.position < MAX_BINS) split.threshold = columns_.edge[feature][best.position];
    return split;
  }
  std::vector<std::uint32_t> made;
  const std::uint32_t* list = entries(node.rows, feature, made);
  split.known_first = best.position;
  split.last_bin = MAX_BINS;
  if (best.position == count_known(list, node.rows.n, feature)) return split;
  const std::uint32_t low = list[best.position - 1] & ROW;
  split.threshold = threshold_between(low, list[best.position] & ROW, feature);
  if (columns_.binned) split.last_bin = columns_.bin[feature * columns_.X.rows + low];
  return split;
}

Best Splitter::search_centers(const NodeFacts& node, std::size_t feature, const Centers& centers) const {
  std::vector<std::uint32_t> made;
  const std::uint32_t* list = entries(node.rows, feature, made);
  const std::vector<std::uint32_t> ordered(list, list + node.rows.n);
  const std::size_t known = count_known(list, node.rows.n, feature);
  const bool place = growth_.places_missing() && known < node.rows.n;
  SplitSelector selector = make_selector(node, feature);
  pass_centers(selector, centers, ordered, known, false, place);
  if (place) {
    pass_centers(selector, centers, ordered, known, true, true);
    offer_present(selector, centers, ordered, known);
  }
  return selector.best;
}

bool Splitter::wants_lists(const NodeRows& rows) const {
  return !rows.entries && !columns_.stored && rows.n <= MAKE_LISTS;
}

bool Splitter::keeps_histogram(const NodeRows& rows) const {
  if (columns_.stored) return keeps_cells(rows);
  return columns_.binned && !objective_.has_centers() && rows.n >= KEEP_HISTOGRAM;
}

void Splitter::count_histogram(NodeRows& rows, int n_threads) const {
  if (columns_.stored) {
    rows.histogram.assign(columns_.stored->groups() * cells_.width(), 0);
    rows.subtracted = 0;
    cells_.with_adder(
        [&](const auto& add) { add_rows(*columns_.stored, rows.rows, cells_.width(), 1, add, rows.histogram); });
    return;
  }
  const std::size_t size = static_cast<std::size_t>(MAX_BINS) * cell_width(objective_);
  rows.histogram.assign(columns_.features() * size, 0);
  for_each_piece(columns_.features(), rows.n * columns_.features() < THREADS_FROM ? 1 : n_threads, [&](std::size_t f) {
    if (!columns_.is_category(f))
      fill_histogram(objective_, rows.rows.data(), rows.n, &columns_.bin[f * columns_.X.rows],
                     &rows.histogram[f * size], nullptr);
  });
}

Best Splitter::search_bins(const NodeFacts& node, std::size_t feature) const {
  const auto width = static_cast<std::size_t>(cell_width(objective_));
  const std::size_t size = MAX_BINS * width;
  thread_local std::vector<double> scratch;  // all zero between calls
  if (scratch.size() < size) scratch.resize(size);
  const bool kept = !node.rows.histogram.empty();
  const double* histogram = kept ? &node.rows.histogram[feature * size] : scratch.data();
  Filled filled{};
  if (kept)
    filled = filled_bins(objective_, histogram);
  else
    fill_histogram(objective_, node.rows.rows.data(), node.rows.n, &columns_.bin[feature * columns_.X.rows],
                   scratch.data(), &filled);
  SplitSelector selector = make_selector(node, feature);
  if (!has_missing_[feature])
    pass_bins(selector, histogram, filled, MAX_BINS, none_.data(), node.total, -1);
  else
    pass_bins_missing(selector, node, histogram, filled);
  if (!kept) for_each_filled(filled, [&](std::size_t b) { std::fill_n(scratch.data() + b * width, width, 0.0); });
  return selector.best;
}

void Splitter::pass_bins_missing(SplitSelector& selector, const NodeFacts& node, const double* histogram,
                                 const Filled& filled) const {
  std::vector<double> missing(none_), known(none_);
  read_cell(objective_, histogram + static_cast<std::size_t>(MISSING_BIN) * cell_width(objective_), missing.data());
  for (std::size_t i = 0; i < known.size(); ++i) known[i] = node.total[i] - missing[i];
  if (known[1] <= 0) return;
  if (!growth_.places_missing() || missing[0] <= 0) {
    pass_bins(selector, histogram, filled, MISSING_BIN, none_.data(), known.data(), -1);
    return;
  }
  pass_bins(selector, histogram, filled, MISSING_BIN, none_.data(), node.total, 1);
  pass_bins(selector, histogram, filled, MISSING_BIN, missing.data(), node.total, 0);
  selector.offer(known.data(), node.total, MAX_BINS, 1);
}

Splitter::Found Splitter::search_categories(const NodeFacts& node, std::size_t feature) const {
  std::vector<std::uint32_t> made;
  const Parts parts = tell_apart(node, entries(node.rows, feature, made), feature);
  const bool lost = parts.known < node.rows.n, as_level = lost && growth_.missing == Missing::category;
  const Levels levels = read_levels(columns_, objective_, parts.entries, parts.known, node.rows.n, feature, as_level);
  SplitSelector selector = make_selector(node, feature);
  Grouping grouping;
  auto keep = [&](const double* base, const double* total, int missing_slot) {
    const double before = selector.bar();
    Grouping found = group_levels(selector, levels, parts.entries, base, total, missing_slot);
    if (selector.bar() != before) grouping = std::move(found);
  };
  if (!growth_.places_missing() || !lost || as_level) {
    keep(none_.data(), as_level ? node.total : parts.known_state.data(), -1);
  } else {
    keep(none_.data(), node.total, 1);
    keep(parts.missing_state.data(), node.total, 0);
    const double before = selector.bar();
    selector.offer(parts.known_state.data(), node.total, levels.size(), 1);
    if (selector.bar() != before) grouping.first.assign(levels.size(), true);
  }
  return {selector.best, category_split(selector.best, feature, levels, grouping)};
}

Split Splitter::category_split(const Best& best, std::size_t feature, const Levels& levels,
                               const Grouping& grouping) const {
  Split split;
  if (!best.found) return split;
  split.gain = best.gain;
  split.feature = static_cast<int>(feature);
  split.missing_slot = best.missing_slot;
  split.slot.reserve(levels.size());
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const int slot = grouping.first[l] ? 0 : 1;
    if (levels.code[l] < columns_.n_levels[feature])
      split.slot.push_back({levels.code[l], slot});
    else
      split.missing_slot = slot;
  }
  return split;
}

// Levels in each order are treated as values of a number.
Splitter::Found Splitter::search_center_categories(const NodeFacts& node, std::size_t feature,
                                                   const Centers& centers) const {
  std::vector<std::uint32_t> made;
  const std::uint32_t* list = entries(node.rows, feature, made);
  const std::size_t n = node.rows.n, known = count_known(list, n, feature);
  const bool as_level = known < n && growth_.missing == Missing::category;
  const bool place = known < n && growth_.missing == Missing::direction;
  const Levels levels = read_levels(columns_, objective_, list, known, n, feature, as_level);
  SplitSelector selector = make_selector(node, feature);
  Split split;
  const std::vector<std::vector<int>> orders = level_orders(objective_, levels, list, node.bounds.slack);
  // Stages: missing rows in the second child, in the first, against the present; each runs through all orders.
  for (int stage = 0; stage < (place ? 3 : 1); ++stage)
    for (const std::vector<int>& order : orders) {
      std::vector<std::uint32_t> ordered;
      std::vector<int> level_at;
      for (const int l : order)
        for (std::size_t i = levels.begin[l]; i < levels.begin[l + 1]; ++i) {
          ordered.push_back((list[i] & ROW) | (i > levels.begin[l] ? SAME : 0));
          level_at.push_back(l);
        }
      const std::size_t ranked = ordered.size();
      if (!as_level) ordered.insert(ordered.end(), list + known, list + n);
      const double before = selector.bar();
      if (stage < 2)
        pass_centers(selector, centers, ordered, ranked, stage == 1, place);
      else
        offer_present(selector, centers, ordered, ranked);
      if (selector.bar() == before) continue;
      Grouping grouping{std::vector<bool>(levels.size())};
      for (std::size_t i = 0; i < selector.best.position; ++i) grouping.first[level_at[i]] = true;
      split = category_split(selector.best, feature, levels, grouping);
    }
  return {selector.best, split};
}

}  // namespace softwood::hard
