#include "hard/stored_columns.hpp"

#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "hard/binning.hpp"

namespace softwood::hard {

StoredColumns::StoredColumns(const SparseRows& X, const std::vector<std::uint32_t>& live, const double* weight,
                             int max_bins, int n_threads)
    : binned(max_bins > 0) {
  std::vector<std::size_t> place(X.columns + 1);
  double total = 0;
  for (const std::uint32_t row : live) {
    total += weight[row];
    for (std::int64_t i = X.begin[row]; i < X.begin[row + 1]; ++i) ++place[static_cast<std::size_t>(X.column[i]) + 1];
  }
  for (std::size_t f = 0; f < X.columns; ++f) place[f + 1] += place[f];
  const std::vector<std::size_t> first(place);
  std::vector<Cell> cells(place.back());
  for (const std::uint32_t row : live)
    for (std::int64_t i = X.begin[row]; i < X.begin[row + 1]; ++i)
      cells[place[static_cast<std::size_t>(X.column[i])]++] = {X.value[i], row};
  std::vector<Column> columns(X.columns);
  for_each_piece(X.columns, n_threads, [&](std::size_t f) {
    columns[f] = find_groups({cells.begin() + static_cast<std::ptrdiff_t>(first[f]),
                              cells.begin() + static_cast<std::ptrdiff_t>(first[f + 1])},
                             live.size(), total, weight, max_bins);
  });
  cells = {};
  number_through(columns, X.rows);
}

// Missing values last, rows increasing among ties.
StoredColumns::Column StoredColumns::find_groups(std::vector<Cell> cells, std::size_t n_live, double total,
                                                 const double* weight, int max_bins) const {
  const auto end =
      std::stable_partition(cells.begin(), cells.end(), [](const Cell& c) { return !std::isnan(c.value); });
  std::stable_sort(cells.begin(), end, [](const Cell& a, const Cell& b) { return a.value < b.value; });
  const auto known = static_cast<std::size_t>(end - cells.begin());
  Column column;
  if (max_bins > 0) {
    cut_bins_of(column, cells, known, n_live, total, weight, max_bins);
  } else {
    for (std::size_t i = 0; i < known; ++i) {
      if (i == 0 || cells[i].value != cells[i - 1].value) {
        column.upper.push_back(cells[i].value);
        column.below += cells[i].value < 0;
      }
      column.row.push_back(cells[i].row);
      column.group.push_back(static_cast<std::uint32_t>(column.upper.size()) - 1);
    }
  }
  column.known = static_cast<std::uint32_t>(column.upper.size());
  if (known < cells.size()) column.upper.push_back(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = known; i < cells.size(); ++i) {
    column.row.push_back(cells[i].row);
    column.group.push_back(column.known);
  }
  return column;
}

// Bins of the stored values and of the zeros, which are one value with all their weight.
void StoredColumns::cut_bins_of(Column& column, const std::vector<Cell>& cells, std::size_t known, std::size_t n_live,
                                double total, const double* weight, int max_bins) const {
  std::vector<double> value, w;
  for (const Cell& cell : cells) {
    value.push_back(cell.value);
    w.push_back(weight[cell.row]);
    total -= w.back();
  }
  const bool has_zeros = cells.size() < n_live;
  if (has_zeros) {
    value.push_back(0);
    w.push_back(std::max(total, 0.0));
  }
  std::vector<std::uint8_t> bin(value.size() + 1);
  const std::vector<double> edge = cut_bins(value.data(), w.data(), value.size(), max_bins, bin.data());
  const auto above = [&](std::size_t b) { return b < edge.size() ? edge[b] : std::numeric_limits<double>::infinity(); };
  // If no row is 0, 0 is at the position of a value of 0.
  const auto zero = static_cast<std::size_t>(
      has_zeros ? bin[cells.size()] : std::lower_bound(edge.begin(), edge.end(), 0.0) - edge.begin());
  column.zero = above(zero);
  std::size_t last = MAX_BINS;
  for (std::size_t i = 0; i < known; ++i) {
    if (bin[i] == zero && has_zeros) continue;
    if (bin[i] != last) {
      column.upper.push_back(above(bin[i]));
      column.below += bin[i] < zero;
    }
    last = bin[i];
    column.row.push_back(cells[i].row);
    column.group.push_back(static_cast<std::uint32_t>(column.upper.size()) - 1);
  }
}

void StoredColumns::number_through(const std::vector<Column>& columns, std::size_t rows) {
  begin.push_back(0);
  column_begin.push_back(0);
  std::vector<std::size_t> place(rows + 1);
  for (const Column& column : columns) {
    const std::uint32_t first = begin.back();
    zero_at.push_back(first + column.below);
    missing_at.push_back(first + column.known);
    zero_upper.push_back(column.zero);
    begin.push_back(first + static_cast<std::uint32_t>(column.upper.size()));
    column_begin.push_back(column_begin.back() + column.row.size());
    upper.insert(upper.end(), column.upper.begin(), column.upper.end());
    column_row.insert(column_row.end(), column.row.begin(), column.row.end());
    for (const std::uint32_t group : column.group) column_group.push_back(first + group);
    for (const std::uint32_t row : column.row) ++place[row + 1];
  }
  for (std::size_t row = 0; row < rows; ++row) place[row + 1] += place[row];
  row_begin = place;
  row_group.resize(column_row.size());
  for (std::size_t i = 0; i < column_row.size(); ++i) row_group[place[column_row[i]]++] = column_group[i];
}

std::uint32_t StoredColumns::group_of(std::uint32_t row, std::size_t feature) const {
  const auto from = row_group.begin() + static_cast<std::ptrdiff_t>(row_begin[row]),
             to = row_group.begin() + static_cast<std::ptrdiff_t>(row_begin[row + 1]);
  const auto found = std::lower_bound(from, to, begin[feature]);
  return found != to && *found < begin[feature + 1] ? *found : ZERO;
}

double StoredColumns::threshold_between(std::size_t feature, std::uint32_t low, std::uint32_t high) const {
  const double a = upper_of(feature, low);
  return binned ? a : middle(a, upper_of(feature, high));
}

}  // namespace softwood::hard
