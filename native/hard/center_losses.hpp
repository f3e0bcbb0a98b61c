// Absolute error, quantile and huber: losses about the centre of every prefix of an ordered list of rows.
//
// The rows' targets are ranked once per node. For a quantile, rows of weight 1 are removed from a linked list of their
// values, last prefix first, and the quantile moves by at most one place. Other rows are added to a Fenwick tree over
// the ranks with weight and weight * y, so that adding a row, finding the quantile and its loss each take log n time
// (hard/order_sums.hpp). Huber's centre has its own sums (hard/huber_sums.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "hard/best_split.hpp"
#include "hard/huber_sums.hpp"

namespace softwood::hard {

class Centers {
 public:
  // Ranks the targets of the node's rows. `rank` is scratch of table rows x targets that outlives this object: only the
  // node's rows are written, so a small node is cheap in a large table.
  Centers(const Objective& objective, const std::vector<std::uint32_t>& rows, std::vector<std::uint32_t>& rank);

  struct Prefix {
    std::vector<double> loss;    // sum of losses, averaged over targets, of the first i rows, i = 0 ... n
    std::vector<double> center;  // (n + 1) x targets
    std::vector<double> count;   // n + 1
  };
  // Prefixes of `rows`, each with the rows of `base`.
  Prefix prefixes(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base) const;

 private:
  const Objective& objective_;
  std::vector<std::vector<double>>
      value_;  // per target: the distinct values, increasing; for huber measured from origin_
  std::vector<double> origin_;
  std::vector<HuberPoints> points_;
  const std::vector<std::uint32_t>& rank_;
  std::size_t at(std::uint32_t row, int target) const {
    return static_cast<std::size_t>(row) * objective_.parts + target;
  }
  void take_out(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base, int target,
                Prefix& prefix) const;
  void add_huber(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base, int target,
                 Prefix& prefix) const;
  void add_target(const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& base, int target,
                  Prefix& prefix) const;
};

// Offers every position in `ordered` (missing rows from `known` on) at which the value changes.
void pass_centers(SplitSelector& selector, const Centers& centers, const std::vector<std::uint32_t>& ordered,
                  std::size_t known, bool missing_first, bool place_missing);

// Offers "present" against "missing".
void offer_present(SplitSelector& selector, const Centers& centers, const std::vector<std::uint32_t>& ordered,
                   std::size_t known);

// The centre of weighted targets: a quantile is the smallest y whose cumulative weight reaches its proportion, or the
// mean of it and the next if the weight meets the proportion exactly.
double find_center(const Objective& objective, int target, std::vector<std::pair<double, double>> value_and_weight);

}  // namespace softwood::hard
