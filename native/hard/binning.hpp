// Cuts a column into bins of about equal weight; the rule is in src/softwood/kernels/contracts/growth.py.
//
// The edges of 256 bins are found without sorting the column: its values are counted in many even buckets in one pass,
// and only the few buckets in which a bin ends are sorted.
//
//     bucket      | . .. | ... .. | :.. | ... |       weights add up from left to right
//     bin ends                ^              ^         these two are sorted, the others only counted
#pragma once

#include <cstdint>
#include <vector>

namespace softwood::hard {

constexpr int MAX_BINS = 256;
constexpr std::uint8_t MISSING_BIN = 255;  // a column with missing values keeps its last bin for them

// Fills bin (one code per value; NaN: MISSING_BIN) and returns the upper edge of every bin but the last.
std::vector<double> cut_bins(const double* value, const double* weight, std::size_t n, int max_bins, std::uint8_t* bin);

// The threshold between two neighbouring values a < b.
double middle(double a, double b);

}  // namespace softwood::hard
