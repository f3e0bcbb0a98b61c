// Absolute error: losses about the median of every prefix of an ordered list of rows.
//
// The rows' targets are ranked once a node. Rows that weigh 1 each are taken out of a linked list of their values, last
// prefix first, and the median moves by a place at most. Others are added to a Fenwick tree over the ranks, which holds
// weight and weight * y, so that adding a row, finding the median and its loss each cost log n.
#pragma once

#include <cstdint>
#include <vector>

#include "hard/best_split.hpp"

namespace softwood::hard {

class Medians {
 public:
  // Ranks the targets of the node's rows. `rank` is scratch of table rows x targets that outlives this object: only the
  // node's rows are written, so a small node is cheap in a large table.
  Medians(const Objective& objective, const std::vector<std::uint32_t>& rows, std::vector<std::uint32_t>& rank);

  struct Prefix {
    std::vector<double> loss;    // sum of w |y - median|, averaged over targets, of the first i rows, i = 0 ... n
    std::vector<double> median;  // (n + 1) x targets
    std::vector<double> count;   // n + 1
  };
  // Prefixes of `rows`, with the rows of `base` in every one of them.
  Prefix prefixes(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base) const;

 private:
  const Objective& objective_;
  std::vector<std::vector<double>> value_;  // per target: the distinct values, rising
  const std::vector<std::uint32_t>& rank_;
  std::size_t at(std::uint32_t row, int target) const {
    return static_cast<std::size_t>(row) * objective_.parts + target;
  }
  void take_out(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base, int target,
                Prefix& prefix) const;
  void add_target(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base, int target,
                  Prefix& prefix) const;
};

// Offers every place in `ordered` (missing rows from `known` on) where the value changes.
void pass_absolute(SplitSelector& selector, const Medians& medians, const std::vector<std::uint32_t>& ordered,
                   std::size_t known, bool missing_first, bool place_missing);

// Offers "present" against "missing".
void offer_present(SplitSelector& selector, const Medians& medians, const std::vector<std::uint32_t>& ordered,
                   std::size_t known);

// Smallest y whose cumulative weight reaches half; the mean of it and the next where it meets half exactly.
double weighted_median(std::vector<std::pair<double, double>> value_and_weight);

}  // namespace softwood::hard
