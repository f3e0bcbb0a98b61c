// Sums over the rows of a node, group by group of a sparse table.
//
// A cell holds the sums of a group: cell[0] counts its rows, the rest is added by add(cell, row, 1). A large node finds
// them by a pass over the columns, a small one by sorting the groups of its rows.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "hard/stored_columns.hpp"

namespace softwood::hard {

// The groups of one column that have rows in a node, increasing, and the cell of each.
struct GroupSums {
  const std::uint32_t* group;
  const double* cell;
  std::size_t n;
};

struct RowGroup {
  std::uint32_t group, row;
};

// Sorts by group; the order of the rows stays as it is.
void sort_by_group(std::vector<RowGroup>& items, std::size_t groups);

inline std::size_t stored_in(const StoredColumns& columns, const std::vector<std::uint32_t>& rows) {
  std::size_t n = 0;
  for (const std::uint32_t row : rows) n += columns.stored_in(row);
  return n;
}

// Whether a node with this number of stored values finds its groups by a pass over all columns.
inline bool walks_columns(const StoredColumns& columns, std::size_t stored) {
  constexpr std::size_t SORTED = 4;  // values that are read in the time that sorting one of them takes
  return stored * SORTED > columns.stored();
}

// Calls visit(feature, sums) for every column of a large node, on threads; without groups if all its rows are 0.
template <class Add, class Visit>
void walk_columns(const StoredColumns& columns, const std::vector<std::uint32_t>& rows, std::size_t width,
                  int n_threads, const Add& add, const Visit& visit) {
  std::vector<std::uint8_t> here(columns.row_begin.size() - 1);
  for (const std::uint32_t row : rows) here[row] = 1;
  constexpr std::size_t TOGETHER = 64;  // columns, so that threads rarely contend
  const std::size_t features = columns.features();
  for_each_piece((features + TOGETHER - 1) / TOGETHER, n_threads, [&](std::size_t piece) {
    std::vector<std::uint32_t> group;
    std::vector<double> cell;
    for (std::size_t f = piece * TOGETHER; f < std::min((piece + 1) * TOGETHER, features); ++f) {
      group.clear();
      cell.clear();
      for (std::size_t i = columns.column_begin[f]; i < columns.column_begin[f + 1]; ++i) {
        if (!here[columns.column_row[i]]) continue;
        if (group.empty() || group.back() != columns.column_group[i]) {
          group.push_back(columns.column_group[i]);
          cell.resize(group.size() * width);
        }
        add(cell.data() + cell.size() - width, columns.column_row[i], 1.0);
      }
      visit(f, GroupSums{group.data(), cell.data(), group.size()});
    }
  });
}

// Calls visit(feature, sums) for every column of a small node that is not all 0, in order, until it returns false.
template <class Add, class Visit>
void visit_sorted(const StoredColumns& columns, const std::vector<std::uint32_t>& rows, std::size_t width,
                  const Add& add, const Visit& visit) {
  std::vector<RowGroup> items;
  items.reserve(stored_in(columns, rows));
  for (const std::uint32_t row : rows)
    for (std::size_t i = columns.row_begin[row]; i < columns.row_begin[row + 1]; ++i)
      items.push_back({columns.row_group[i], row});
  sort_by_group(items, columns.groups());
  std::vector<std::uint32_t> group;
  std::vector<double> cell;
  for (std::size_t i = 0; i < items.size();) {
    const auto next = std::upper_bound(columns.begin.begin(), columns.begin.end(), items[i].group);
    const auto feature = static_cast<std::size_t>(next - columns.begin.begin()) - 1;
    group.clear();
    cell.clear();
    for (; i < items.size() && items[i].group < *next; ++i) {
      if (group.empty() || group.back() != items[i].group) {
        group.push_back(items[i].group);
        cell.resize(group.size() * width);
      }
      add(cell.data() + cell.size() - width, items[i].row, 1.0);
    }
    if (!visit(feature, GroupSums{group.data(), cell.data(), group.size()})) return;
  }
}

// Adds the rows, `times` each, to the cells of all groups.
template <class Add>
void add_rows(const StoredColumns& columns, const std::vector<std::uint32_t>& rows, std::size_t width, double times,
              const Add& add, std::vector<double>& cells) {
  for (const std::uint32_t row : rows)
    for (std::size_t i = columns.row_begin[row]; i < columns.row_begin[row + 1]; ++i)
      add(cells.data() + columns.row_group[i] * width, row, times);
}

}  // namespace softwood::hard
