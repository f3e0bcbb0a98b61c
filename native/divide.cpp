#include "divide.hpp"

#include <algorithm>

#include "parallel.hpp"

namespace softwood {

namespace {

constexpr std::size_t THREADS_FROM = 65536;  // entries from which threads pay

// One child's entries of one feature. Every entry is written and the end moves only past those that belong: no branch
// depends on the side, which no processor can guess. The list has room for one entry more than it keeps.
template <bool TIES, class Belongs>
void pick(const std::uint32_t* from, std::size_t n, std::uint32_t* to, Belongs&& belongs) {
  std::size_t end = 0, run = 0, last = 0;  // runs of equal values are numbered from 1; last: the run of the last kept
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t row = from[i] & ROW;
    const bool mine = belongs(row);
    if constexpr (TIES) {
      run += !(from[i] >> 31);
      to[end] = row | (last == run ? SAME : 0);
      last = mine ? run : last;
    } else {
      to[end] = row;
    }
    end += mine;
  }
}

NodeRows make_room(std::size_t features, std::size_t n) {
  NodeRows rows;
  rows.n = n;
  rows.stride = n + 1;
  rows.owned = std::make_unique_for_overwrite<std::uint32_t[]>(features * rows.stride);
  rows.entries = rows.owned.get();
  return rows;
}

template <class Belongs>
NodeRows pick_rows(const Columns& columns, const std::uint32_t* entries, std::size_t n, std::size_t stride,
                   std::size_t kept, int n_threads, Belongs&& belongs) {
  NodeRows rows = make_room(columns.features(), kept);
  for_each_piece(columns.features(), n * columns.features() < THREADS_FROM ? 1 : n_threads, [&](std::size_t f) {
    std::uint32_t* to = rows.owned.get() + f * rows.stride;
    if (columns.has_ties[f])
      pick<true>(entries + f * stride, n, to, belongs);
    else
      pick<false>(entries + f * stride, n, to, belongs);
  });
  return rows;
}

}  // namespace

NodeRows root_rows(const Columns& columns, const std::vector<double>& weight) {
  const auto alive = [&](std::uint32_t row) { return weight[row] > 0; };
  NodeRows root;
  const std::size_t n = columns.live.size();
  const auto kept = static_cast<std::size_t>(std::count_if(columns.live.begin(), columns.live.end(), alive));
  if (columns.binned) {
    root.n = kept;
    std::copy_if(columns.live.begin(), columns.live.end(), std::back_inserter(root.rows), alive);
  } else if (kept == n) {
    root.n = root.stride = n;
    root.entries = columns.order.data();
  } else {
    root = pick_rows(columns, columns.order.data(), n, n, kept, 1, alive);
  }
  return root;
}

Children divide_rows(const Columns& columns, const NodeRows& parent, const std::vector<std::uint8_t>& side,
                     const std::vector<std::uint32_t> rows[2], const bool wanted[2], int n_threads) {
  Children children;
  for (const int slot : {0, 1}) {
    if (!wanted[slot]) continue;
    NodeRows& child = slot ? children.second : children.first;
    const std::uint8_t other = 1 - slot;
    const auto belongs = [&](std::uint32_t row) { return side[row] != other; };
    if (!parent.entries) {
      child.n = rows[slot].size();
      child.rows = rows[slot];
    } else {
      child = pick_rows(columns, parent.entries, parent.n, parent.stride, rows[slot].size(), n_threads, belongs);
    }
  }
  return children;
}

}  // namespace softwood
