// The rows of an open node, as the search and the division of nodes need them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "columns.hpp"

namespace softwood {

// Exact: features x n entries in order of value. Binned: n rows, rising, and perhaps histograms.
struct NodeRows {
  std::size_t n = 0;
  std::size_t stride = 0;                  // exact: from the entries of one feature to the next
  const std::uint32_t* entries = nullptr;  // exact; points into `owned`, or into the sorted columns for a root
  std::unique_ptr<std::uint32_t[]> owned;
  std::vector<std::uint32_t> rows;  // binned
  std::vector<double> histogram;    // binned: of a large node, kept so that a child's can be had by subtraction
  std::vector<double> weight;       // where rows come in parts: the weight of row(i) here

  std::uint32_t row(std::size_t i) const { return entries ? entries[i] & ROW : rows[i]; }
};

}  // namespace softwood
