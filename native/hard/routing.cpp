#include "hard/routing.hpp"

#include <algorithm>

namespace softwood::hard {

RowRouter::RowRouter(const Columns& columns, const Splitter& splitter, const Objective& objective, bool in_parts,
                     SurrogateUse surrogate_use, int max_surrogates, int n_threads)
    : columns_(columns),
      splitter_(splitter),
      objective_(objective),
      in_parts_(in_parts),
      surrogate_use_(surrogate_use),
      max_surrogates_(max_surrogates),
      n_threads_(n_threads),
      side_(columns.X.rows) {}

const RoutedRows& RowRouter::send(const NodeRows& rows, const Split& split) {
  const auto feature = static_cast<std::size_t>(split.feature);
  missing_.clear();
  if (columns_.stored)
    send_stored(rows, split);
  else
    columns_.is_category(feature) ? send_categories(rows, split) : send_numbers(rows, split);
  count_known(rows);
  const double lead = sent_.known[0] - sent_.known[1], tie = TIE * (sent_.known[0] + sent_.known[1]);
  sent_.default_slot = split.missing_slot >= 0 ? split.missing_slot : lead > tie ? 0 : 1;
  sent_.surrogates.clear();
  if (surrogate_use_ == SurrogateUse::always ||
      (surrogate_use_ == SurrogateUse::if_missing && splitter_.has_missing(feature)))
    sent_.surrogates = find_surrogates(splitter_, columns_, objective_, rows, split.feature, sent_.default_slot, side_,
                                       max_surrogates_, n_threads_);
  for (const std::uint32_t row : missing_) side_[row] = send_missing(row);
  list_rows(rows);
  return sent_;
}

// Counts the rows whose value is known.
void RowRouter::count_known(const NodeRows& rows) {
  double known[3 + 1] = {};
  if (objective_.plain)
    for (std::size_t i = 0; i < rows.n; ++i) known[side_[rows.row(i)]] += 1;
  else
    for (std::size_t i = 0; i < rows.n; ++i) known[side_[rows.row(i)]] += objective_.weight[rows.row(i)];
  std::copy_n(known, 2, sent_.known);
}

// Every row is written to both lists and the ends move only past the right ones: no branch to mispredict.
void RowRouter::list_rows(const NodeRows& rows) {
  for (auto& list : sent_.rows) list.resize(rows.n + 1);
  std::uint32_t *first = sent_.rows[0].data(), *second = sent_.rows[1].data();
  for (std::size_t i = 0; i < rows.n; ++i) {
    const std::uint32_t row = rows.row(i);
    *first = *second = row;
    first += side_[row] != 1;
    second += side_[row] != 0;
  }
  sent_.rows[0].resize(static_cast<std::size_t>(first - sent_.rows[0].data()));
  sent_.rows[1].resize(static_cast<std::size_t>(second - sent_.rows[1].data()));
}

void RowRouter::place_threshold(const NodeRows& rows, Split& split) const {
  const auto feature = static_cast<std::size_t>(split.feature);
  if (columns_.is_category(feature) || columns_.stored) return;
  if (!rows.entries) {
    const std::vector<double>& edge = columns_.edge[feature];
    split.last_bin = static_cast<int>(std::lower_bound(edge.begin(), edge.end(), split.threshold) - edge.begin());
    return;
  }
  const std::uint32_t* entries = rows.entries + feature * rows.stride;
  const auto* end =
      std::partition_point(entries, entries + splitter_.count_known(entries, rows.n, feature),
                           [&](std::uint32_t e) { return columns_.X(e & ROW, feature) <= split.threshold; });
  split.known_first = static_cast<std::size_t>(end - entries);
}

// Numbers: exact lists are in order, so the position in the list decides; binned rows have their bin.
void RowRouter::send_numbers(const NodeRows& rows, const Split& split) {
  const auto feature = static_cast<std::size_t>(split.feature);
  if (!rows.entries) {
    const std::uint8_t* bin = &columns_.bin[feature * columns_.X.rows];
    for (const std::uint32_t row : rows.rows) {
      const bool gone = bin[row] == MISSING_BIN && splitter_.has_missing(feature);
      side_[row] = gone ? UNKNOWN : bin[row] > split.last_bin;
      if (gone) missing_.push_back(row);
    }
    return;
  }
  const std::uint32_t* entries = rows.entries + feature * rows.stride;
  const std::size_t known = splitter_.count_known(entries, rows.n, feature);
  for (std::size_t i = 0; i < known; ++i) side_[entries[i] & ROW] = i >= split.known_first;
  for (std::size_t i = known; i < rows.n; ++i) {
    side_[entries[i] & ROW] = UNKNOWN;
    missing_.push_back(entries[i] & ROW);
  }
}

// Sparse tables: first all rows get the side of 0, then the stored ones, possibly including rows of other nodes, whose
// side is not used.
void RowRouter::send_stored(const NodeRows& rows, const Split& split) {
  const auto feature = static_cast<std::size_t>(split.feature);
  const StoredColumns& stored = *columns_.stored;
  const std::uint8_t of_zero = stored.zero_upper[feature] > split.threshold;
  for (const std::uint32_t row : rows.rows) side_[row] = of_zero;
  stored.for_each_stored(feature, rows.rows, [&](std::uint32_t row, std::uint32_t group) {
    side_[row] = stored.is_missing(feature, group) ? UNKNOWN : stored.upper[group] > split.threshold;
  });
  if (!splitter_.has_missing(feature)) return;
  std::copy_if(rows.rows.begin(), rows.rows.end(), std::back_inserter(missing_),
               [&](std::uint32_t row) { return side_[row] == UNKNOWN; });
}

void RowRouter::send_categories(const NodeRows& rows, const Split& split) {
  const auto feature = static_cast<std::size_t>(split.feature);
  const auto levels = static_cast<std::size_t>(columns_.n_levels[feature]);
  if (slot_of_level_.size() < levels) slot_of_level_.resize(levels, -1);
  for (const LevelSlot& known : split.slot) slot_of_level_[known.level] = static_cast<std::int8_t>(known.slot);
  for (std::size_t i = 0; i < rows.n; ++i) {
    const std::uint32_t row = rows.row(i);
    const int code = columns_.code(row, feature), slot = code < 0 ? -1 : slot_of_level_[static_cast<std::size_t>(code)];
    side_[row] = slot < 0 ? UNKNOWN : static_cast<std::uint8_t>(slot);
    if (slot < 0) missing_.push_back(row);
  }
  for (const LevelSlot& known : split.slot) slot_of_level_[known.level] = -1;
}

std::uint8_t RowRouter::send_missing(std::uint32_t row) const {
  if (in_parts_) return BOTH;
  for (const Surrogate& surrogate : sent_.surrogates)
    if (const int slot = surrogate_slot(surrogate, columns_, row); slot >= 0) return static_cast<std::uint8_t>(slot);
  return static_cast<std::uint8_t>(sent_.default_slot);
}

}  // namespace softwood::hard
