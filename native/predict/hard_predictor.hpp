// Fast evaluation of hard trees with constant responses: one path per row, nodes of 16 bytes.
//
// The next child is computed without a branch, so nothing is mispredicted; eight rows go down at once, which hides the
// latency of memory. A leaf is a node whose only child is itself, so rows may take a few steps too many. Every few
// levels the rows that have arrived leave the list:
//
//     row   [ 0  1  2  3  4  5 ]        all six at the root
//     node  [ 9  4  4  8  7  4 ]        four levels down; node 4 is a leaf: rows 1, 2, 5 have arrived
//     row   [ 0  3  4 ]                 the rows still under way, packed
#pragma once

#include <vector>

#include "core/views.hpp"
#include "predict/tree.hpp"

namespace softwood {

class HardPredictor {
 public:
  static constexpr std::size_t ROWS = 128;      // at a time: they, the next ones and the nodes fit in the L1 cache
  static constexpr std::int32_t IN_PARTS = -1;  // a missing value sent the row to several children

  // Whether the tree can be walked: hard, one feature per gate, constant responses; or a mean of such trees.
  static bool suits(const Tree& tree);

  // `tree` must outlive the predictor.
  explicit HardPredictor(const Tree& tree);

  // arrived[i] is the node below `root` that keeps row begin + i (n of them, at most ROWS), or IN_PARTS.
  void find_nodes(const Table& rows, std::int32_t root, std::size_t begin, std::size_t n, std::int32_t* arrived) const;

 private:
  struct Step {
    double threshold;
    std::int32_t feature;
    std::int32_t first_child;  // the node itself where the path ends
  };
  static_assert(sizeof(Step) == 16);
  struct RowOnPath {
    const double* x;
    std::int32_t node;
    std::uint32_t row;
  };
  static constexpr std::size_t GROUP = 8, LEVELS = 6;

  template <bool Adjacent>
  void walk_thresholds(const Table& rows, std::int32_t root, std::size_t begin, std::size_t n,
                       std::int32_t* arrived) const;
  template <bool Adjacent>
  void descend(RowOnPath* group, double* value_sum, std::ptrdiff_t column_stride) const;
  std::int32_t walk_one(const Table& rows, std::int32_t root, std::size_t row) const;
  bool ends(std::int32_t node) const { return step_[node].first_child == node; }

  const Tree& tree_;
  std::vector<Step> step_;
  bool thresholds_only_ = true;
};

}  // namespace softwood
