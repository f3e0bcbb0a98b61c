// Binned rows, gates over bins, and sums per leaf, input and bin; the reference is
// src/softwood/kernels/reference/bin_tree.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/views.hpp"

namespace softwood::hard {

// Bins of rows, with any strides in elements. The bin of missing values is `bins`.
template <class Code>
struct CodeTable {
  const Code* data;
  std::size_t rows, columns;
  std::ptrdiff_t row_stride, column_stride;
  std::size_t bins;

  const Code* column(std::size_t f) const { return data + static_cast<std::ptrdiff_t>(f) * column_stride; }
};

// Gates over bins: two children of every gate, after it; `child` has bins + 1 slots per node.
struct BinTree {
  std::span<const std::int32_t> first_child, feature;
  const std::int8_t* child;
};

// Adds the rows of weight > 0 to table[leaf, input, bin, class], which holds zeros. `place` is the leaf of every node
// in the table, or -1: its rows are left out.
template <class Code>
void sum_classes(const CodeTable<Code>& code, const BinTree& tree, std::span<const std::int32_t> place,
                 const std::int32_t* y, const double* weight, std::size_t n_classes, int n_threads, double* table);

// The same for numbers (rows, targets): sum w, sums w (y - origin), sums w (y - origin)^2; origin is (leaves, targets).
template <class Code>
void sum_numbers(const CodeTable<Code>& code, const BinTree& tree, std::span<const std::int32_t> place, const double* y,
                 std::size_t n_targets, const double* origin, const double* weight, int n_threads, double* table);

// The bin of every value, column after column; `levels` of a category, 0 for a number, whose edges increase.
template <class Code>
void find_bins(const Table& X, const std::vector<std::span<const double>>& edge, std::span<const std::int32_t> levels,
               std::size_t bins, int n_threads, Code* code);

}  // namespace softwood::hard
