// Each branch is visited once, from the leaves up, instead of all ancestors after every collapse. The cost of the
// cheapest subtree below branch t is a line R + alpha * L in alpha that changes at the alphas at which branches below
// collapse. Those changes are in a heap, the latest on top. The last line is that of the bare children; t meets it at
//
//     alpha_t = (R(t) - R) / (L - 1)
//
// A later change never happens, since t collapses first: it is undone and alpha_t is recomputed. Every change is undone
// at most once and heaps are merged in log n (leftist heaps: Crane 1972), so the total time is n log n.
#include "hard/cost_complexity.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace softwood::hard {

namespace {

// A future collapse, in a heap of those below one branch. Its index is its node.
struct Change {
  double alpha = 0, risk = 0, leaves = 0;  // alpha, increase of R, decrease of L
  std::int32_t left = -1, right = -1;      // below it in the heap
  std::int32_t rank = 1;                   // steps down the right side: at most log n
};

// The union of two heaps; -1 is empty. Follows the right sides down, then repairs ranks on the way back.
std::int32_t merge(std::vector<Change>& change, std::int32_t a, std::int32_t b) {
  if (a < 0 || b < 0) return std::max(a, b);
  if (change[a].alpha < change[b].alpha) std::swap(a, b);
  Change& top = change[a];
  top.right = merge(change, top.right, b);
  if (top.left < 0 || change[top.left].rank < change[top.right].rank) std::swap(top.left, top.right);
  top.rank = 1 + (top.right < 0 ? 0 : change[top.right].rank);
  return a;
}

}  // namespace

std::vector<double> collapse_alphas(const std::int32_t* parent, const double* risk, std::size_t n) {
  constexpr double INF = std::numeric_limits<double>::infinity();
  std::vector<double> R(n), L(n), collapsed(n, -INF);  // R, L: of the bare children
  std::vector<std::int32_t> heap(n, -1);               // changes below each branch
  std::vector<Change> change(n);
  for (std::size_t node = n; node-- > 0;) {
    if (L[node] > 0) {
      Change& own = change[node];
      for (std::int32_t& top = heap[node];;) {
        own.alpha = (risk[node] - R[node]) / (L[node] - 1);
        if (top < 0 || change[top].alpha < own.alpha) break;
        R[node] -= change[top].risk;
        L[node] += change[top].leaves;
        top = merge(change, change[top].left, change[top].right);
      }
      own.risk = risk[node] - R[node];
      own.leaves = L[node] - 1;
      collapsed[node] = own.alpha;
      heap[node] = merge(change, heap[node], static_cast<std::int32_t>(node));
    }
    if (node == 0) break;
    R[parent[node]] += risk[node];
    L[parent[node]] += 1;
    heap[parent[node]] = merge(change, heap[parent[node]], heap[node]);
  }
  for (std::size_t node = 1; node < n; ++node)  // a branch below a collapsed one is removed with it
    collapsed[node] = std::min(collapsed[node], collapsed[parent[node]]);
  return collapsed;
}

}  // namespace softwood::hard
