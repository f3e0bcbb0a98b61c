// Binned search: sums per bin instead of sums per row.
//
// A histogram has one cell per bin: the state of the objective (hard/impurity.hpp), or only [count, sum y] if that is
// enough. Large nodes keep theirs, so that only the smaller of two children is counted and the other is the parent
// minus the smaller. In small nodes most bins are empty: a bit mask marks the others, and only those are visited and
// cleared.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "hard/best_split.hpp"
#include "hard/sorted_columns.hpp"

namespace softwood::hard {

using Filled = std::array<std::uint64_t, MAX_BINS / 64>;

// Numbers in a cell.
int cell_width(const Objective& objective);

// Adds the rows to the histogram (MAX_BINS cells) and marks the bins they fall in (nullptr: does not mark them).
void fill_histogram(const Objective& objective, const std::uint32_t* rows, std::size_t n, const std::uint8_t* bin,
                    double* histogram, Filled* filled);

// Marks the bins whose count is not zero.
Filled filled_bins(const Objective& objective, const double* histogram);

// The state in a cell.
void read_cell(const Objective& objective, const double* cell, double* state);

// Offers the edge after every filled bin but the last; position is the bin. Bins from `bins` on are ignored.
void pass_bins(SplitSelector& selector, const double* histogram, const Filled& filled, std::size_t bins,
               const double* base, const double* total, int missing_slot);

template <class Visit>
void for_each_filled(const Filled& filled, Visit&& visit) {
  for (std::size_t word = 0; word < filled.size(); ++word)
    for (std::uint64_t bits = filled[word]; bits; bits &= bits - 1)
      visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
}

}  // namespace softwood::hard
