// The rows of an open node, as the splitter and the division of nodes need them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hard/sorted_columns.hpp"

namespace softwood::hard {

// Exact: features x n entries in order of value. Binned, and of a sparse table: n rows, and perhaps histograms.
//
// Children replace their parent, each with a range of every list, so a whole subtree shares one block:
//
//     parent     [a b c d e]  [c a e d b]      two features
//     children   [a d|b c e]  [a d|c e b]      the first from 0, the second from 2, stride 5
struct NodeRows {
  std::size_t n = 0;
  std::size_t stride = 0;                  // exact: from the entries of one feature to the next
  const std::uint32_t* entries = nullptr;  // exact; points into `shared`, or into the sorted columns for a root
  std::shared_ptr<std::uint32_t[]> shared;
  std::vector<std::uint32_t> rows;  // binned
  std::vector<double> histogram;    // binned: of a large node, kept to compute a child's by subtraction
  int subtracted = 0;               // number of subtractions since the histogram was counted
  std::vector<double> weight;       // with partial rows: the weight of row(i) in this node

  std::uint32_t row(std::size_t i) const { return entries ? entries[i] & ROW : rows[i]; }
};

}  // namespace softwood::hard
