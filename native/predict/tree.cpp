// From Python's struct of arrays to one packed gate per node: a path then reads one location per node.
#include "predict/tree.hpp"

namespace softwood {
namespace {

template <class Value>
std::vector<Value> copy(std::span<const Value> given) {
  return {given.begin(), given.end()};
}

Gate pack_gate(const TreeArrays& given, std::size_t m) {
  Gate gate{};
  gate.leafness = given.leafness[m];
  gate.threshold = given.threshold[m];
  gate.below = given.softness[2 * m];
  gate.above = given.softness[2 * m + 1];
  gate.bias = given.bias[m];
  gate.first_child = given.first_child[m];
  gate.n_children = given.n_children[m];
  gate.feature = given.feature[m];
  gate.default_slot = given.default_slot[m];
  gate.slope_row = given.slope_row[m];
  gate.group_begin = given.group_begin[m];
  gate.group_end = given.group_begin[m + 1];
  gate.cut_begin = given.cut_begin[m];
  gate.cut_end = given.cut_begin[m + 1];
  gate.weight_begin = given.weight_begin[m];
  gate.weight_end = given.weight_begin[m + 1];
  if (!given.surrogates.begin.empty()) {
    gate.surrogate_begin = given.surrogates.begin[m];
    gate.surrogate_end = given.surrogates.begin[m + 1];
  }
  gate.score = static_cast<Score>(given.score[m]);
  gate.squash = static_cast<Squash>(given.squash[m]);
  gate.missing = static_cast<Missing>(given.missing[m]);
  return gate;
}

}  // namespace

Tree::Tree(const TreeArrays& given)
    : n_outputs(given.n_outputs),
      n_features(given.n_features),
      response(copy(given.response)),
      fraction(copy(given.fraction)),
      cut(copy(given.cut)),
      weight(copy(given.weight)),
      slope(copy(given.slope)),
      group(copy(given.group)),
      group_level(copy(given.group_level)),
      weight_column(copy(given.weight_column)),
      surrogate_group(copy(given.surrogates.group)),
      surrogate_level(copy(given.surrogates.group_level)) {
  gate.reserve(given.leafness.size());
  for (std::size_t m = 0; m < given.leafness.size(); ++m) gate.push_back(pack_gate(given, m));
  const auto& table = given.surrogates;
  for (std::size_t row = 0; row < table.feature.size(); ++row) {
    surrogate.push_back({table.threshold[row], table.feature[row], table.group_begin[row], table.group_begin[row + 1],
                         table.flip[row]});
  }
  const auto& columns = given.basis;
  for (std::size_t c = 0; c < columns.term.size(); ++c) {
    basis.push_back({columns.parameter[c], columns.when_missing[c], columns.low[c], columns.high[c], columns.feature[c],
                     static_cast<Term>(columns.term[c])});
  }
}

std::vector<std::size_t> Tree::reached_from(std::size_t root) const {
  std::vector<std::size_t> reached{root};
  for (std::size_t at = 0; at < reached.size(); ++at) {
    const Gate& from = gate[reached[at]];
    if (from.keeps_all()) continue;
    for (std::int32_t slot = 0; slot < from.n_children; ++slot)
      reached.push_back(static_cast<std::size_t>(from.first_child + slot));
  }
  return reached;
}

}  // namespace softwood
