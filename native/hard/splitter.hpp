// Finds the best split of a node: every feature, every candidate, by the rules of kernels/contracts/growth.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "hard/best_split.hpp"
#include "hard/category_split.hpp"
#include "hard/center_losses.hpp"
#include "hard/histogram.hpp"
#include "hard/level_slots.hpp"
#include "hard/node_rows.hpp"
#include "hard/sorted_columns.hpp"
#include "hard/stored_split.hpp"

namespace softwood::hard {

struct Growth {
  int max_depth;
  int max_leaves;  // 0: no limit
  double min_samples_split, min_samples_leaf, min_impurity, min_impurity_decrease;
  Missing missing;
  int max_surrogates;
  std::vector<int> monotone;      // sign per feature, empty: no constraints
  std::vector<double> parameter;  // of quantile and huber, per target
  std::size_t max_places;         // maximum number of levels that all gates store
  // Whether candidates place missing rows, instead of surrogates or fractions.
  bool places_missing() const { return missing == Missing::direction || missing == Missing::category; }
};

struct Split {
  double gain = -std::numeric_limits<double>::infinity();
  int feature = -1;
  double threshold = std::numeric_limits<double>::quiet_NaN();
  std::size_t known_first = 0;  // exact numbers: how many entries go to the first child
  int last_bin = -1;            // binned numbers: the last bin of the first child
  LevelSlots slot;              // categories: child slot of every level present
  int missing_slot = -1;        // where the candidate placed the missing rows; -1: nowhere
  bool found() const { return feature >= 0; }
};

// The data of a node for the splitter.
struct NodeFacts {
  const NodeRows& rows;
  const double* total;  // state of all rows
  double tie;           // gains closer than this are equal
  double most;          // upper bound of the gain: all of W * impurity, minus the tie
  const Bounds& bounds;
  double floor = -std::numeric_limits<double>::infinity();  // gain that the remaining features must exceed
};

class Splitter {
 public:
  Splitter(const Columns& columns, const Objective& objective, const Growth& growth);

  Split best_split(NodeFacts node, int n_threads);

  // Monotone sign of a feature, 0: none.
  int sign(int feature) const { return growth_.monotone.empty() ? 0 : growth_.monotone[feature]; }

  // Entries of a feature in increasing order, missing values last; `made` stores them if they must be built.
  const std::uint32_t* entries(const NodeRows& rows, std::size_t feature, std::vector<std::uint32_t>& made) const;
  // The number of the n entries with a value.
  std::size_t count_known(const std::uint32_t* entries, std::size_t n, std::size_t feature) const;
  bool has_missing(std::size_t feature) const { return has_missing_[feature]; }
  bool any_missing() const { return std::find(has_missing_.begin(), has_missing_.end(), true) != has_missing_.end(); }
  // Threshold between two neighbouring rows in the order of a numeric feature.
  double threshold_between(std::uint32_t low, std::uint32_t high, std::size_t feature) const;

  // Whether a binned node switches to ordered lists, which in small nodes are faster than mostly empty histograms.
  bool wants_lists(const NodeRows& rows) const;
  void make_lists(NodeRows& rows) const;

  // Whether a node of this size keeps its histograms.
  bool keeps_histogram(const NodeRows& rows) const;
  void count_histogram(NodeRows& rows, int n_threads) const;

  // Sparse tables: turns the cells of a node into those of its larger child by subtracting the rows of the other; false
  // if counting is better.
  bool take_away(NodeRows& node, const std::vector<std::uint32_t>& rows) const;

 private:
  struct Parts {  // the rows of a feature, split by whether they have a value
    const std::uint32_t* entries;
    std::size_t known;
    std::vector<double> missing_state, known_state;
  };
  // The best candidate of a feature; for categories the split itself, since its levels are costly to recompute.
  struct Found {
    Best best;
    Split category;
  };

  const Columns& columns_;
  const Objective& objective_;
  const Growth& growth_;
  std::vector<bool> has_missing_;
  std::vector<Found> found_;         // per feature, of the current node
  std::vector<std::uint32_t> rank_;  // scratch of Centers
  const StoredCells cells_;          // of a sparse table
  std::vector<double> none_;         // the state of no row
  bool is_plain_ = false;            // numbers only, nothing missing, no weights, no bounds, moments: sweep_moments

  Split sweep(const NodeFacts& node) const;
  SplitSelector make_selector(const NodeFacts& node, std::size_t feature) const;
  void search_feature(const NodeFacts& node, std::size_t feature, const Centers* centers);
  Best search_entries(const NodeFacts& node, std::size_t feature) const;
  Best search_centers(const NodeFacts& node, std::size_t feature, const Centers& centers) const;
  Best search_bins(const NodeFacts& node, std::size_t feature) const;
  void pass_bins_missing(SplitSelector& selector, const NodeFacts& node, const double* histogram,
                         const Filled& filled) const;
  Found search_categories(const NodeFacts& node, std::size_t feature) const;
  Found search_center_categories(const NodeFacts& node, std::size_t feature, const Centers& centers) const;
  void order_rows(const NodeRows& rows, std::size_t feature, std::uint32_t* entries) const;
  Parts tell_apart(const NodeFacts& node, const std::uint32_t* entries, std::size_t feature) const;
  void pass(SplitSelector& selector, const std::uint32_t* entries, std::size_t n, const double* base,
            const double* total, int missing_slot) const;
  Split number_split(const NodeFacts& node, const Best& best, std::size_t feature) const;
  bool keeps_cells(const NodeRows& rows) const;
  Split best_stored(NodeFacts node, int n_threads);
  void search_stored(const NodeFacts& node, std::size_t feature, const GroupSums& sums);
  void search_all_cells(const NodeFacts& node, int n_threads);
  bool is_winner(const NodeFacts& node, std::size_t winner, std::size_t feature) const;
  Split stored_number_split(std::size_t feature) const;
  Split category_split(const Best& best, std::size_t feature, const Levels& levels, const Grouping& grouping) const;
};

}  // namespace softwood::hard
