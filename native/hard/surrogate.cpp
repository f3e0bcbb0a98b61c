#include "hard/surrogate.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.hpp"

namespace softwood::hard {

namespace {

constexpr double MIN_ADJUSTED = 1e-10;  // adjusted agreement of a surrogate worth keeping
using Sides = std::array<double, 2>;    // weight that the primary split sends to each slot

struct RatedSurrogate {
  double agree = -1;
  Surrogate surrogate;
};

// Ways in which a threshold may replace the split: x <= threshold in slot 0 (plain) or in slot 1 (flipped).
struct Ways {
  bool plain = true, flipped = true;
  bool none() const { return !plain && !flipped; }
};

// The ways that satisfy the monotone constraints. The children of a split are in order only if its feature has a sign.
Ways allowed_ways(int sign, int primary_sign) {
  return sign == 0 ? Ways{} : Ways{sign == primary_sign, sign == -primary_sign};
}

class SurrogateFinder {
 public:
  SurrogateFinder(const Splitter& splitter, const Columns& columns, const Objective& objective, const NodeRows& rows,
                  const std::vector<std::uint8_t>& side, Sides all)
      : splitter_(splitter),
        columns_(columns),
        objective_(objective),
        rows_(rows),
        side_(side),
        all_(all),
        plain_(objective.plain),
        all_count_one_(plain_ && all[0] + all[1] == static_cast<double>(rows.n)) {}

  // The best surrogate on a feature, if it agrees with more than `bar`.
  RatedSurrogate best_of(std::size_t feature, int default_slot, double bar, Ways ways) const {
    std::vector<std::uint32_t> made;
    const std::uint32_t* entries = splitter_.entries(rows_, feature, made);
    const std::size_t known = splitter_.count_known(entries, rows_.n, feature);
    RatedSurrogate best = columns_.is_category(feature)        ? by_levels(feature, entries, known, default_slot)
                          : all_count_one_ && known == rows_.n ? by_count(feature, entries, bar, ways)
                                                               : by_threshold(feature, entries, known, bar, ways);
    best.surrogate.feature = static_cast<int>(feature);
    return best;
  }

 private:
  const Splitter& splitter_;
  const Columns& columns_;
  const Objective& objective_;
  const NodeRows& rows_;
  const std::vector<std::uint8_t>& side_;
  const Sides all_;  // of all rows whose primary value is known
  const bool plain_;
  const bool all_count_one_;  // no primary value is missing, all weights are 1

  // Rows whose primary value is known too, as [value order] of (row, begins a new value).
  template <class Visit>
  void visit(const std::uint32_t* entries, std::size_t known, Visit&& visit) const {
    bool fresh = true;
    for (std::size_t i = 0; i < known; ++i) {
      const std::uint32_t row = entries[i] & ROW;
      fresh |= !(entries[i] & SAME);
      if (side_[row] == UNKNOWN) continue;
      visit(row, fresh);
      fresh = false;
    }
  }

  // With lead = weight below in slot 0 minus weight below in slot 1, a threshold agrees with all[1] + lead, and flipped
  // with all[0] - lead. A threshold that agrees with at most `bar` is useless, so few are examined.
  RatedSurrogate by_threshold(std::size_t feature, const std::uint32_t* entries, std::size_t known, double bar,
                              Ways ways) const {
    const Sides all = known == rows_.n ? all_ : sum_sides(entries, known);
    RatedSurrogate best;
    const double tie = TIE * (all_[0] + all_[1]);
    double lead = 0, most = bar + tie;
    std::uint32_t last = 0, low = 0, high = 0;
    bool started = false;
    visit(entries, known, [&](std::uint32_t row, bool fresh) {
      const double plain = ways.plain ? all[1] + lead : -1, flipped = ways.flipped ? all[0] - lead : -1;
      if (fresh && started && std::max(plain, flipped) > most) {
        const bool flip = !(plain > most) || flipped > plain + tie;
        best.agree = flip ? flipped : plain;
        best.surrogate.flip = flip;
        most = best.agree + tie;
        low = last, high = row;
      }
      const double w = plain_ ? 1 : objective_.weight[row];
      lead += side_[row] ? -w : w;
      last = row;
      started = true;
    });
    if (best.agree >= 0) best.surrogate.threshold = splitter_.threshold_between(low, high, feature);
    return best;
  }

  // The same if every row counts one: whole numbers, which need no tolerance.
  RatedSurrogate by_count(std::size_t feature, const std::uint32_t* entries, double bar, Ways ways) const {
    const std::array<int, 2> all = {static_cast<int>(all_[0]), static_cast<int>(all_[1])};
    int lead = 0, most = static_cast<int>(bar), best = -1;
    bool flip = false;
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows_.n; ++i) {
      const std::uint32_t entry = entries[i];
      if (!(entry & SAME)) {
        const int plain = ways.plain ? all[1] + lead : -1, flipped = ways.flipped ? all[0] - lead : -1;
        if (std::max(plain, flipped) > most) {
          flip = flipped > plain;
          best = most = std::max(plain, flipped);
          at = i;
        }
      }
      lead += 1 - 2 * side_[entry & ROW];
    }
    RatedSurrogate found;
    if (best < 0) return found;
    found.agree = best;
    found.surrogate.flip = flip;
    found.surrogate.threshold = splitter_.threshold_between(entries[at - 1] & ROW, entries[at] & ROW, feature);
    return found;
  }

  Sides sum_sides(const std::uint32_t* entries, std::size_t known) const {
    Sides all{};
    visit(entries, known, [&](std::uint32_t row, bool) { all[side_[row]] += objective_.weight[row]; });
    return all;
  }

  RatedSurrogate by_levels(std::size_t feature, const std::uint32_t* entries, std::size_t known,
                           int default_slot) const {
    RatedSurrogate best;
    best.agree = 0;
    best.surrogate.threshold = std::numeric_limits<double>::quiet_NaN();
    best.surrogate.flip = false;
    int level = -1;  // the group of w
    Sides w{};
    const auto end_level = [&] {
      if (w[0] + w[1] <= 0) return;
      const bool tied = std::abs(w[0] - w[1]) <= TIE * (w[0] + w[1]);
      const int slot = tied ? default_slot : w[1] > w[0];
      best.surrogate.slot.push_back({level, slot});
      best.agree += w[slot];
    };
    visit(entries, known, [&](std::uint32_t row, bool fresh) {
      if (fresh) {
        end_level();
        level = columns_.code(row, feature);
        w = {};
      }
      w[side_[row]] += objective_.weight[row];
    });
    end_level();
    return best;
  }
};

// The same of a sparse table: a cell is [rows, weight to slot 0, weight to slot 1], of rows whose primary value is
// known.
class StoredSurrogates {
 public:
  StoredSurrogates(const StoredColumns& columns, const Objective& objective, const std::vector<std::uint8_t>& side,
                   Sides all)
      : columns_(columns), objective_(objective), side_(side), all_(all) {}

  // Those that agree with more than `bar`, in increasing order of features.
  template <class WaysOf>
  std::vector<RatedSurrogate> find(std::vector<std::uint32_t> rows, double bar, int n_threads,
                                   const WaysOf& ways_of) const {
    std::erase_if(rows, [&](std::uint32_t row) { return side_[row] == UNKNOWN; });
    const auto add = [&](double* cell, std::uint32_t row, double times) {
      cell[0] += times;
      cell[1 + side_[row]] += times * objective_.weight[row];
    };
    const auto look = [&](std::size_t feature, const GroupSums& sums) {
      const Ways ways = ways_of(feature);
      RatedSurrogate best;
      if (sums.n && !ways.none()) best = best_of(feature, sums, rows.size(), bar, ways);
      best.surrogate.feature = static_cast<int>(feature);
      return best;
    };
    std::vector<RatedSurrogate> found;
    if (walks_columns(columns_, stored_in(columns_, rows))) {
      found.resize(columns_.features());
      walk_columns(columns_, rows, WIDTH, n_threads, add,
                   [&](std::size_t feature, const GroupSums& sums) { found[feature] = look(feature, sums); });
    } else {
      visit_sorted(columns_, rows, WIDTH, add, [&](std::size_t feature, const GroupSums& sums) {
        RatedSurrogate best = look(feature, sums);
        if (best.agree >= 0) found.push_back(std::move(best));
        return true;
      });
    }
    return found;
  }

 private:
  static constexpr std::size_t WIDTH = 3;
  const StoredColumns& columns_;
  const Objective& objective_;
  const std::vector<std::uint8_t>& side_;
  const Sides all_;  // of all rows whose primary value is known

  // Lead and agreement as in SurrogateFinder::by_threshold.
  RatedSurrogate best_of(std::size_t feature, const GroupSums& sums, std::size_t n, double bar, Ways ways) const {
    Sides all = all_;
    double zeros = static_cast<double>(n), zero_lead = all_[0] - all_[1];
    for (std::size_t i = 0; i < sums.n; ++i) {
      const double* cell = sums.cell + i * WIDTH;
      zeros -= cell[0];
      zero_lead -= cell[1] - cell[2];
      if (columns_.is_missing(feature, sums.group[i])) all = {all_[0] - cell[1], all_[1] - cell[2]};
    }
    RatedSurrogate best;
    const double tie = TIE * (all_[0] + all_[1]);
    double lead = 0, most = bar + tie;
    std::uint32_t last = 0, low = 0, high = 0;
    bool started = false, zero_seen = !(zeros > 0);
    const auto go_on = [&](std::uint32_t group, double more) {
      const double plain = ways.plain ? all[1] + lead : -1, flipped = ways.flipped ? all[0] - lead : -1;
      if (started && std::max(plain, flipped) > most) {
        const bool flip = !(plain > most) || flipped > plain + tie;
        best.agree = flip ? flipped : plain;
        best.surrogate.flip = flip;
        most = best.agree + tie;
        low = last, high = group;
      }
      lead += more;
      last = group;
      started = true;
    };
    for (std::size_t i = 0; i < sums.n; ++i) {
      const double* cell = sums.cell + i * WIDTH;
      if (!zero_seen && sums.group[i] >= columns_.zero_at[feature]) go_on(ZERO, zero_lead);
      zero_seen |= sums.group[i] >= columns_.zero_at[feature];
      if (!columns_.is_missing(feature, sums.group[i])) go_on(sums.group[i], cell[1] - cell[2]);
    }
    if (!zero_seen) go_on(ZERO, zero_lead);
    if (best.agree >= 0) best.surrogate.threshold = columns_.threshold_between(feature, low, high);
    return best;
  }
};

// Best agreement first; on ties within TIE, the lowest feature.
std::vector<Surrogate> rank(std::vector<Surrogate> found, std::size_t most) {
  std::vector<Surrogate> ranked;
  while (!found.empty() && ranked.size() < most) {
    double largest = 0;
    for (const Surrogate& one : found) largest = std::max(largest, one.agreement);
    const auto first =
        std::find_if(found.begin(), found.end(), [&](const Surrogate& one) { return one.agreement >= largest - TIE; });
    ranked.push_back(std::move(*first));
    found.erase(first);
  }
  return ranked;
}

}  // namespace

std::vector<Surrogate> find_surrogates(const Splitter& splitter, const Columns& columns, const Objective& objective,
                                       const NodeRows& rows, int primary, int default_slot,
                                       const std::vector<std::uint8_t>& side, int most, int n_threads) {
  Sides all{};
  for (std::size_t i = 0; i < rows.n; ++i)
    if (side[rows.row(i)] != UNKNOWN) all[side[rows.row(i)]] += objective.weight[rows.row(i)];
  const double total = all[0] + all[1], majority = std::max(all[0], all[1]);
  if (total - majority < MIN_SMALLER_CHILD * (1 - TIE)) return {};
  const auto ways_of = [&](std::size_t f) {
    if (static_cast<int>(f) == primary) return Ways{false, false};
    return allowed_ways(splitter.sign(static_cast<int>(f)), splitter.sign(primary));
  };
  std::vector<RatedSurrogate> found;
  if (columns.stored) {
    found = StoredSurrogates(*columns.stored, objective, side, all).find(rows.rows, majority, n_threads, ways_of);
  } else {
    found.resize(columns.features());
    const SurrogateFinder finder(splitter, columns, objective, rows, side, all);
    for_each_piece(columns.features(), rows.n * columns.features() < THREADS_FROM ? 1 : n_threads, [&](std::size_t f) {
      if (const Ways ways = ways_of(f); !ways.none()) found[f] = finder.best_of(f, default_slot, majority, ways);
    });
  }
  std::vector<Surrogate> kept;
  for (RatedSurrogate& rated : found) {
    const double adjusted = total > majority ? (rated.agree - majority) / (total - majority) : 0;
    if (rated.agree < 0 || !(adjusted > MIN_ADJUSTED)) continue;  // also NaN: from infinite sums
    rated.surrogate.agreement = rated.agree / total;
    rated.surrogate.adjusted = adjusted;
    kept.push_back(std::move(rated.surrogate));
  }
  return rank(std::move(kept), static_cast<std::size_t>(most));
}

int surrogate_slot(const Surrogate& surrogate, const Columns& columns, std::uint32_t row) {
  const auto feature = static_cast<std::size_t>(surrogate.feature);
  if (columns.is_category(feature)) {
    const int code = columns.code(row, feature);
    return code < 0 ? -1 : slot_of(surrogate.slot, code);
  }
  const double x = columns.stored ? columns.stored->upper_of(feature, columns.stored->group_of(row, feature))
                                  : columns.X(row, feature);
  return std::isnan(x) ? -1 : (x <= surrogate.threshold) == surrogate.flip;
}

}  // namespace softwood::hard
