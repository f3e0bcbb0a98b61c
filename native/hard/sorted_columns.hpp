// The columns of a table, ordered once: sorted for an exact search, cut into bins for a fast one. Columns of a sparse
// table are in hard/stored_columns.hpp.
//
// An entry of a sorted column is a row id with a top bit: SAME means that the value equals the previous one. These four
// bytes are all that the search for a split needs, so the values themselves are read only when a split is made:
//
//     value     1.5  1.5  2.0  7.1  7.1   nan
//     entry      a    b*   c    d    e*    f       * = SAME; missing values last
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "core/views.hpp"
#include "hard/binning.hpp"
#include "hard/stored_columns.hpp"

namespace softwood::hard {

constexpr double TIE = 1e-12;                                            // relative size of rounding errors
constexpr double FAR_TIE = 16 * std::numeric_limits<double>::epsilon();  // of src/softwood/kernels/contracts/growth.py

constexpr std::size_t THREADS_FROM =
    64 * 1024;  // entries (rows x features) of a node from which threads are worthwhile
constexpr std::uint32_t SAME = 1u << 31;
constexpr std::uint32_t ROW = SAME - 1;

struct Columns {
  Table X;
  std::vector<int> n_levels;  // per feature, 0 for a number
  bool binned = false;
  std::vector<std::uint8_t> has_missing, has_ties;  // per feature, over the live rows

  // exact: features x live rows, entries in increasing order of value, missing values last
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> live;  // rows of positive weight, increasing

  // binned: per number feature one code per row (features x rows) and the upper edge of every bin but the last
  std::vector<std::uint8_t> bin;
  std::vector<std::vector<double>> edge;

  std::unique_ptr<const StoredColumns> stored;  // of a sparse table, whose X has sizes only

  // max_bins 0: exact. Weights decide which rows are used and where bins are cut.
  Columns(Table X, std::vector<int> n_levels, const double* weight, int max_bins, int n_threads);
  Columns(const SparseRows& X, const double* weight, int max_bins, int n_threads);

  std::size_t features() const { return X.columns; }
  bool is_category(std::size_t feature) const { return n_levels[feature] > 0; }
  // Category code of a row, -1 for a missing value or a code outside the levels.
  int code(std::uint32_t row, std::size_t feature) const;
  bool is_missing(std::uint32_t row, std::size_t feature) const;
  // Whether some row of positive weight has no value.
  bool any_missing(std::size_t feature, const std::vector<double>& weight) const;

 private:
  // Calls visit(feature, values of the live rows) for every feature.
  void for_each_column(int n_threads, const std::function<void(std::size_t, const double*)>& visit) const;
  // Fills the entries of a feature.
  void sort_column(std::size_t feature, const double* value, std::uint32_t* entries);
  void bin_column(std::size_t feature, const double* value, const double* weight, int max_bins);
};

}  // namespace softwood::hard
