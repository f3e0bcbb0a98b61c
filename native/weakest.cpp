#include "weakest.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

namespace softwood {

std::vector<double> collapse_alphas(const std::int32_t* parent, const double* risk, std::size_t n) {
  constexpr double INF = std::numeric_limits<double>::infinity();
  std::vector<double> below(risk, risk + n), leaves(n, 1), collapsed(n, -INF);
  std::vector<bool> is_branch(n);
  for (std::size_t node = 1; node < n; ++node) is_branch[parent[node]] = true;
  for (std::size_t node = 0; node < n; ++node)
    if (is_branch[node]) {
      below[node] = leaves[node] = 0;
      collapsed[node] = INF;
    }
  for (std::size_t node = n; node-- > 1;) {
    below[parent[node]] += below[node];
    leaves[parent[node]] += leaves[node];
  }
  using Link = std::pair<double, std::int32_t>;
  std::priority_queue<Link, std::vector<Link>, std::greater<>> heap;
  const auto link = [&](std::int32_t node) { return Link{(risk[node] - below[node]) / (leaves[node] - 1), node}; };
  for (std::size_t node = 0; node < n; ++node)
    if (is_branch[node]) heap.push(link(static_cast<std::int32_t>(node)));
  const auto is_gone = [&](std::int32_t node) {
    for (; node >= 0; node = parent[node])
      if (collapsed[node] < INF) return true;
    return false;
  };
  // Collapsing the weakest branch only raises the alpha of those above it: a link is brought up to date when it is due.
  double reached = -INF;
  while (!heap.empty()) {
    const auto [alpha, node] = heap.top();
    heap.pop();
    if (is_gone(node)) continue;
    if (const Link now = link(node); now.first > alpha) {
      heap.push(now);
      continue;
    }
    collapsed[node] = reached = std::max(reached, alpha);
    const double less_risk = risk[node] - below[node], less_leaves = leaves[node] - 1;
    for (std::int32_t above = parent[node]; above >= 0; above = parent[above]) {
      below[above] += less_risk;
      leaves[above] -= less_leaves;
    }
  }
  for (std::size_t node = 1; node < n; ++node)  // a branch below a collapsed one is gone with it
    collapsed[node] = std::min(collapsed[node], collapsed[parent[node]]);
  return collapsed;
}

}  // namespace softwood
