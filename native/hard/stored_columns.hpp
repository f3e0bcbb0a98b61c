// The columns of a sparse table: only nonzero values are stored.
//
// The stored values of a column are in groups: one per distinct value, or per bin, and one for missing values. The
// groups of all columns are numbered consecutively, increasing within a column:
//
//     column f     begin[f] .. | zero_at[f] .. | missing_at[f] .. begin[f + 1]
//                  below 0     | above 0       | missing: one group, or none
//
// Rows with 0 are in no group: their sums are those of the node minus those of its groups. With bins, a value that
// shares the bin of 0 counts as 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/views.hpp"

namespace softwood::hard {

constexpr std::uint32_t ZERO = ~std::uint32_t{0};  // in place of a group: the rows of 0

struct StoredColumns {
  std::vector<std::uint32_t> begin, zero_at, missing_at;  // per feature; begin has one more
  std::vector<double> upper;                              // of a group: its value, or the edge after its bin
  std::vector<double> zero_upper;                         // the same of 0, per feature
  bool binned;

  // By column, with increasing groups and increasing rows in each; by row, with increasing groups.
  std::vector<std::size_t> column_begin, row_begin;
  std::vector<std::uint32_t> column_row, column_group, row_group;

  // For the rows of positive weight. max_bins 0: every distinct value is a group.
  StoredColumns(const SparseRows& X, const std::vector<std::uint32_t>& live, const double* weight, int max_bins,
                int n_threads);

  std::size_t features() const { return zero_at.size(); }
  std::size_t groups() const { return upper.size(); }
  std::size_t stored() const { return row_group.size(); }
  std::size_t stored_in(std::uint32_t row) const { return row_begin[row + 1] - row_begin[row]; }
  bool is_missing(std::size_t feature, std::uint32_t group) const {
    return group != ZERO && group >= missing_at[feature];
  }
  double upper_of(std::size_t feature, std::uint32_t group) const {
    return group == ZERO ? zero_upper[feature] : upper[group];
  }
  std::uint32_t group_of(std::uint32_t row, std::size_t feature) const;
  // Threshold between two neighbouring groups among the current rows.
  double threshold_between(std::size_t feature, std::uint32_t low, std::uint32_t high) const;

  // Calls visit(row, group) for the rows that are not 0 in a column, and possibly for other rows.
  template <class Visit>
  void for_each_stored(std::size_t feature, const std::vector<std::uint32_t>& rows, Visit&& visit) const {
    constexpr std::size_t SEARCH = 8;  // values of a column that are read in the time of one search in a row
    if (column_begin[feature + 1] - column_begin[feature] <= SEARCH * rows.size()) {
      for (std::size_t i = column_begin[feature]; i < column_begin[feature + 1]; ++i)
        visit(column_row[i], column_group[i]);
      return;
    }
    for (const std::uint32_t row : rows)
      if (const std::uint32_t group = group_of(row, feature); group != ZERO) visit(row, group);
  }

 private:
  struct Cell {
    double value;
    std::uint32_t row;
  };
  struct Column {  // as it is found, before groups are numbered through
    std::vector<std::uint32_t> row, group;
    std::vector<double> upper;
    std::uint32_t below = 0, known = 0;  // groups below 0, and groups of numbers
    double zero = 0;
  };

  Column find_groups(std::vector<Cell> cells, std::size_t n_live, double total, const double* weight,
                     int max_bins) const;
  void cut_bins_of(Column& column, const std::vector<Cell>& cells, std::size_t known, std::size_t n_live, double total,
                   const double* weight, int max_bins) const;
  void number_through(const std::vector<Column>& columns, std::size_t rows);
};

}  // namespace softwood::hard
