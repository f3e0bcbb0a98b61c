#include "hard/level_order.hpp"

#include <algorithm>
#include <utility>

namespace softwood::hard {

namespace {

// Row i of every table becomes the current row was[i], in place; swap(a, b) exchanges two rows.
template <class Swap>
void rearrange(std::vector<std::int32_t> was, const Swap& swap) {
  for (std::int32_t start = 0; start < static_cast<std::int32_t>(was.size()); ++start)
    for (std::int32_t at = start, from; (from = std::exchange(was[at], at)) != start; at = from) swap(at, from);
}

template <class Value>
void rename_keys(std::map<std::int32_t, Value>& of, const std::vector<std::int32_t>& was) {
  if (of.empty()) return;
  std::map<std::int32_t, Value> renamed;
  for (std::size_t m = 0; m < was.size(); ++m)
    if (const auto found = of.find(was[m]); found != of.end())
      renamed[static_cast<std::int32_t>(m)] = std::move(found->second);
  of = std::move(renamed);
}

}  // namespace

void order_by_level(GrownTree& tree) {
  std::vector<std::int32_t> was{0};
  was.reserve(tree.node.size());
  for (std::size_t m = 0; m < was.size(); ++m)
    if (std::int32_t& first = tree.node[was[m]].first_child; first >= 0) {
      const std::int32_t child = std::exchange(first, static_cast<std::int32_t>(was.size()));
      was.insert(was.end(), {child, child + 1});
    }
  const auto swap_rows = [](std::vector<double>& table, std::ptrdiff_t width, std::int32_t a, std::int32_t b) {
    std::swap_ranges(table.begin() + a * width, table.begin() + (a + 1) * width, table.begin() + b * width);
  };
  rename_keys(tree.slot, was);
  rename_keys(tree.surrogates, was);
  rearrange(std::move(was), [&](std::int32_t a, std::int32_t b) {
    std::swap(tree.node[a], tree.node[b]);
    swap_rows(tree.value, tree.parts, a, b);
    swap_rows(tree.lower, tree.quantities, a, b);
    swap_rows(tree.upper, tree.quantities, a, b);
  });
}

}  // namespace softwood::hard
