// The tree for the kernels: one packed gate per node, ragged data in flat arrays.
//
// Python's Tree is valid (src/softwood/tree/invariants.py): ids, slots and columns are in range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kinds.hpp"

namespace softwood {

using Floats = std::span<const double>;
using Ints = std::span<const std::int32_t>;
using Kinds = std::span<const std::uint8_t>;

// Fields of Python's Tree, Basis and Surrogates under their own names; views that live as long as the call.
struct TreeArrays {
  std::size_t n_outputs, n_features;
  Floats response, leafness, threshold, softness, fraction, bias, cut, weight, slope;
  Ints first_child, n_children, feature, default_slot, slope_row, group_begin, group, group_level, cut_begin,
      weight_begin, weight_column;
  Kinds score, squash, missing;
  struct {
    Kinds term;
    Ints feature;
    Floats parameter, when_missing, low, high;
  } basis;
  struct {
    Ints begin, feature, group_begin, group, group_level;
    Floats threshold;
    std::span<const bool> flip;
  } surrogates;
};

struct Gate {
  double leafness, threshold, below, above, bias;  // below, above: softness on the two sides of the threshold
  std::int32_t first_child, n_children, feature, default_slot, slope_row;
  std::int32_t group_begin, group_end, cut_begin, cut_end, weight_begin, weight_end, surrogate_begin, surrogate_end;
  Score score;
  Squash squash;
  Missing missing;

  // Whether no row goes further: a leaf, or a node with leafness 1.
  bool keeps_all() const { return n_children == 0 || leafness == 1.0; }
};

struct Column {
  double parameter, when_missing, low, high;  // the input is clipped to low and high
  std::int32_t feature;
  Term term;
};

struct Surrogate {
  double threshold;
  std::int32_t feature, group_begin, group_end;
  bool flip;
};

struct Tree {
  explicit Tree(const TreeArrays& given);

  std::size_t n_outputs, n_features;
  std::vector<Gate> gate;
  std::vector<double> response, fraction, cut, weight, slope;
  std::vector<std::int32_t> group, group_level, weight_column, surrogate_group, surrogate_level;
  std::vector<Surrogate> surrogate;
  std::vector<Column> basis;

  std::size_t n_nodes() const { return gate.size(); }
  // Whether the root has constant shares, so that each child is a separate tree.
  bool is_joined() const { return gate[0].score == Score::constant && gate[0].leafness == 0.0; }
  // The reachable nodes from `root`, level by level.
  std::vector<std::size_t> reached_from(std::size_t root) const;
};

}  // namespace softwood
