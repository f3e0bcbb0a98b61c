// Columns computed from inputs, once or in every pass; twin of kernels/contracts/expansion.py, which documents the
// tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softwood::soft {

constexpr std::size_t kGroup = 8;  // blocks whose rows are put in order together

// The rows of every group of blocks, input by input, in the order of their segments: for sums by segment without a
// store per row. Very large tables are not ordered, to save memory.
template <class T>
struct SegmentOrder {
  std::vector<std::uint16_t> row;  // [group][used input][kGroup * 64], counted within the group
  std::vector<T> t;                // of these rows
  std::vector<std::uint16_t> end;  // [group][entry], of the rows of each segment

  bool empty() const { return row.empty(); }
};

template <class T>
struct Expansion {
  std::size_t inputs = 0, columns = 0;
  std::vector<std::size_t> column_begin, table_begin;
  std::vector<T> height, slope, square;
  bool curved = false;  // some square is not 0
  // Inputs that have columns, and where the entries of each begin, one per segment: what passes over tables read
  // (soft/form_tables.hpp). by_tables: whether they do, since columns are many.
  std::vector<std::size_t> used, entry_begin;
  std::size_t entries = 0;
  bool by_tables = false;
  // The rows: [block][input][64]; segment is the segment of a number in the tables.
  std::vector<T> t;
  std::vector<std::uint16_t> segment;
  SegmentOrder<T> order;  // empty unless passes go by tables

  // Determines the inputs for passes by tables, and whether to use them.
  void number_entries();
  // Orders the rows of all groups.
  void put_in_order(std::size_t rows, int n_threads);
  // Columns of one block, [column][64]; one of them, [64].
  void expand(std::size_t block, T* phi) const;
  void expand(std::size_t block, std::size_t column, T* phi) const;
  // Columns of all blocks, [block][column][64].
  std::vector<T> expand_all(std::size_t blocks, int n_threads) const;
};

// Knots, origins and units of inputs; kernels/contracts/expansion.py documents their layout.
struct Segments {
  const std::int64_t* knot_begin;
  const double *knot, *origin, *width;
};

// Reads `rows` rows of inputs: row i is row place[i] of X, or row i if place is null.
template <class T>
void take_rows(Expansion<T>& expansion, const double* X, const std::int64_t* place, std::size_t rows,
               const Segments& segments, int n_threads);

}  // namespace softwood::soft
