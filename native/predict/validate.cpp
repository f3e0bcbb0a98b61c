#include "predict/validate.hpp"

#include <cmath>
#include <limits>

namespace softwood {
namespace {

bool is_within(std::int32_t value, std::int32_t end) { return value >= 0 && value < end; }

bool has_valid_basis(const TreeArrays& tree) {
  for (std::size_t c = 0; c < tree.basis.term.size(); ++c) {
    if (tree.basis.term[c] == static_cast<std::uint8_t>(Term::category)) return false;
    if (!is_within(tree.basis.feature[c], static_cast<std::int32_t>(tree.n_features))) return false;
  }
  return true;
}

// The two children of a branch are adjacent, after their parent; so every node has one parent.
bool has_valid_children(const TreeArrays& tree, std::size_t m, std::vector<bool>& has_parent) {
  const auto nodes = static_cast<std::int64_t>(has_parent.size());
  const std::int64_t first = tree.first_child[m];
  if (tree.n_children[m] != 2 || first <= static_cast<std::int64_t>(m) || first + 2 > nodes) return false;
  for (std::int64_t child = first; child < first + 2; ++child) {
    if (has_parent[static_cast<std::size_t>(child)]) return false;
    has_parent[static_cast<std::size_t>(child)] = true;
  }
  return tree.leafness[m] >= 0 && tree.leafness[m] <= 1;
}

bool is_threshold(const TreeArrays& tree, std::size_t m) {
  const double at = tree.threshold[m];
  return tree.squash[m] == static_cast<std::uint8_t>(Squash::step) &&
         is_within(tree.feature[m], static_cast<std::int32_t>(tree.n_features)) && is_within(tree.default_slot[m], 2) &&
         (std::isfinite(at) || at == std::numeric_limits<double>::infinity()) &&
         tree.weight_begin[m] == tree.weight_begin[m + 1];
}

bool is_sum(const TreeArrays& tree, std::size_t m) {
  const std::uint8_t squash = tree.squash[m];
  if (squash != static_cast<std::uint8_t>(Squash::step) && squash != static_cast<std::uint8_t>(Squash::sigmoid))
    return false;
  std::int32_t last = -1;
  for (auto i = static_cast<std::size_t>(tree.weight_begin[m]); i < static_cast<std::size_t>(tree.weight_begin[m + 1]);
       ++i) {
    const std::int32_t column = tree.weight_column[i];
    if (column <= last || column >= static_cast<std::int32_t>(tree.basis.term.size())) return false;
    if (!std::isfinite(tree.weight[i])) return false;
    last = column;
  }
  return true;
}

bool is_leaf(const TreeArrays& tree, std::size_t m) {
  return tree.first_child[m] == -1 && tree.leafness[m] == 1 &&
         tree.score[m] == static_cast<std::uint8_t>(Score::none) &&
         tree.squash[m] == static_cast<std::uint8_t>(Squash::step) && tree.weight_begin[m] == tree.weight_begin[m + 1];
}

}  // namespace

bool is_valid(const TreeArrays& tree) {
  if (!tree.group.empty() || !tree.cut.empty() || !tree.surrogates.begin.empty()) return false;
  if (!has_valid_basis(tree)) return false;
  std::vector<bool> has_parent(tree.leafness.size());
  has_parent[0] = true;
  for (std::size_t m = 0; m < has_parent.size(); ++m) {
    if (tree.missing[m] != static_cast<std::uint8_t>(Missing::direction) || !std::isfinite(tree.bias[m])) return false;
    if (tree.n_children[m] == 0) {
      if (!is_leaf(tree, m)) return false;
      continue;
    }
    const bool sum = tree.score[m] == static_cast<std::uint8_t>(Score::linear);
    if (!sum && tree.score[m] != static_cast<std::uint8_t>(Score::threshold)) return false;
    if (!has_valid_children(tree, m, has_parent) || !(sum ? is_sum(tree, m) : is_threshold(tree, m))) return false;
  }
  for (const bool known : has_parent) {
    if (!known) return false;
  }
  return true;
}

}  // namespace softwood
