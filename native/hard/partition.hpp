// Divides the rows of a node between its two children.
#pragma once

#include <cstdint>
#include <vector>

#include "hard/node_rows.hpp"
#include "hard/sorted_columns.hpp"

namespace softwood::hard {

constexpr std::uint8_t BOTH = 2;  // side of a row that is split between both children

// Entries of the rows of positive weight; views the sorted columns if those are all rows.
NodeRows root_rows(const Columns& columns, const std::vector<double>& weight);

// The rows of the children, by side[row] (0, 1 or BOTH) and in the order of `rows`; an unneeded child is left empty.
//
//     parent, one feature   [a b* c d e*]      side 0 1 1 0 1
//     children              [a d]  [b c e]     the second b begins its value now: its SAME is gone
struct Children {
  NodeRows first, second;
};
Children divide_rows(const Columns& columns, const NodeRows& parent, const std::vector<std::uint8_t>& side,
                     const std::vector<std::uint32_t> rows[2], const bool wanted[2], int n_threads);

}  // namespace softwood::hard
