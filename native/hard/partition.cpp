#include "hard/partition.hpp"

#include <algorithm>
#include <type_traits>

#include "core/parallel.hpp"

namespace softwood::hard {

namespace {

// Marks an entry of a child whose value equals that of the previous entry: if no value began in the parent since the
// child's last entry. Only bit 31 counts.
struct Runs {
  std::uint32_t began = SAME;

  std::uint32_t mark(std::uint32_t entry) {
    began |= ~entry;
    return (entry & ROW) | (~began & SAME);
  }
  void keep(bool mine) { began &= static_cast<std::uint32_t>(mine) - 1; }
};

// One child's entries of one feature, possibly over the parent's own. Every entry is written and the end moves only
// past the child's: no branch depends on the side, which cannot be predicted.
template <bool TIES, class Belongs>
void pick(const std::uint32_t* from, std::size_t n, std::uint32_t* to, Belongs&& belongs) {
  std::size_t end = 0;
  Runs runs;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t entry = from[i];
    const bool mine = belongs(entry & ROW);
    to[end] = TIES ? runs.mark(entry) : entry;
    if (TIES) runs.keep(mine);
    end += mine;
  }
}

// Both children's entries in one pass, if no row is in both. The first child's may overwrite the parent's own, which
// are read first; the second child's go elsewhere.
template <bool TIES>
void pick_both(const std::uint32_t* from, std::size_t n, const std::uint8_t* side, std::uint32_t* first,
               std::uint32_t* second) {
  std::size_t end = 0;  // of the second
  Runs in_first, in_second;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t entry = from[i];
    const std::uint8_t slot = side[entry & ROW];
    first[i - end] = TIES ? in_first.mark(entry) : entry;
    second[end] = TIES ? in_second.mark(entry) : entry;
    if (TIES) {
      in_first.keep(slot == 0);
      in_second.keep(slot == 1);
    }
    end += slot;
  }
}

// Calls visit(feature, whether it has ties) for every feature, on threads if there is enough work.
template <class Visit>
void for_each_list(const Columns& columns, std::size_t n, int n_threads, Visit&& visit) {
  const bool small = n * columns.features() < THREADS_FROM;
  for_each_piece(columns.features(), small ? 1 : n_threads, [&](std::size_t f) {
    if (columns.has_ties[f])
      visit(f, std::true_type{});
    else
      visit(f, std::false_type{});
  });
}

// Room for lists of n entries. One entry after the list may be written, but is never read.
NodeRows make_room(std::size_t features, std::size_t n) {
  NodeRows rows;
  rows.n = n;
  rows.stride = n + 1;
  rows.shared = std::make_unique_for_overwrite<std::uint32_t[]>(features * rows.stride);
  rows.entries = rows.shared.get();
  return rows;
}

std::uint32_t* writable(const NodeRows& rows) { return rows.shared.get() + (rows.entries - rows.shared.get()); }

// The range of `room` from `begin` on, as a node of n rows.
NodeRows stretch(const NodeRows& room, std::size_t begin, std::size_t n) {
  NodeRows rows;
  rows.n = n;
  rows.stride = room.stride;
  rows.shared = room.shared;
  rows.entries = room.entries + begin;
  return rows;
}

void divide_lists(const Columns& columns, const NodeRows& parent, const std::vector<std::uint8_t>& side,
                  const std::size_t n[2], int n_threads, Children& children) {
  const std::size_t kept = n[0] + n[1];
  const bool in_place = parent.shared && kept <= parent.n;
  const NodeRows room = in_place ? stretch(parent, 0, kept) : make_room(columns.features(), kept);
  for_each_list(columns, parent.n, n_threads, [&](std::size_t f, auto ties) {
    const std::uint32_t* from = parent.entries + f * parent.stride;
    std::uint32_t* to = writable(room) + f * room.stride;
    const auto belongs = [&](int slot) {
      return [&, other = 1 - slot](std::uint32_t row) { return side[row] != other; };
    };
    if (kept > parent.n) {  // some rows are in both
      pick<ties()>(from, parent.n, to, belongs(0));
      pick<ties()>(from, parent.n, to + n[0], belongs(1));
    } else if (n[0] && n[1]) {
      thread_local std::vector<std::uint32_t> aside;
      if (aside.size() <= parent.n) aside.resize(parent.n + 1);
      pick_both<ties()>(from, parent.n, side.data(), to, aside.data());
      for (std::size_t i = 0; i < n[1]; ++i) to[n[0] + i] = aside[i];  // usually too few for a memcpy call
    } else {
      pick<ties()>(from, parent.n, to, belongs(n[0] ? 0 : 1));
    }
  });
  if (n[0]) children.first = stretch(room, 0, n[0]);
  if (n[1]) children.second = stretch(room, n[0], n[1]);
}

// The same order as for sums over the rows of a dense table, so that sums are equal to the last bit.
std::vector<std::uint32_t> rows_by_first_column(const StoredColumns& stored, const std::vector<std::uint32_t>& live) {
  if (stored.binned || stored.features() == 0) return live;
  std::vector<std::uint32_t> rows;
  rows.reserve(live.size());
  std::vector<std::uint8_t> is_stored(stored.row_begin.size() - 1);
  const std::size_t end = stored.column_begin[1];
  for (std::size_t i = 0; i < end; ++i) is_stored[stored.column_row[i]] = 1;
  std::size_t i = 0;
  for (; i < end && stored.column_group[i] < stored.zero_at[0]; ++i) rows.push_back(stored.column_row[i]);
  std::copy_if(live.begin(), live.end(), std::back_inserter(rows), [&](std::uint32_t row) { return !is_stored[row]; });
  for (; i < end; ++i) rows.push_back(stored.column_row[i]);
  return rows;
}

}  // namespace

NodeRows root_rows(const Columns& columns, const std::vector<double>& weight) {
  const auto alive = [&](std::uint32_t row) { return weight[row] > 0; };
  NodeRows root;
  const std::size_t n = columns.live.size();
  const auto kept = static_cast<std::size_t>(std::count_if(columns.live.begin(), columns.live.end(), alive));
  if (columns.stored) {
    root.n = kept;
    for (const std::uint32_t row : rows_by_first_column(*columns.stored, columns.live))
      if (alive(row)) root.rows.push_back(row);
  } else if (columns.binned) {
    root.n = kept;
    std::copy_if(columns.live.begin(), columns.live.end(), std::back_inserter(root.rows), alive);
  } else if (kept == n) {
    root.n = root.stride = n;
    root.entries = columns.order.data();
  } else {
    root = make_room(columns.features(), kept);
    for_each_list(columns, n, 1, [&](std::size_t f, auto ties) {
      pick<ties()>(columns.order.data() + f * n, n, writable(root) + f * root.stride, alive);
    });
  }
  return root;
}

Children divide_rows(const Columns& columns, const NodeRows& parent, const std::vector<std::uint8_t>& side,
                     const std::vector<std::uint32_t> rows[2], const bool wanted[2], int n_threads) {
  Children children;
  const std::size_t n[2] = {wanted[0] ? rows[0].size() : 0, wanted[1] ? rows[1].size() : 0};
  if (parent.entries) {
    if (n[0] || n[1]) divide_lists(columns, parent, side, n, n_threads, children);
    return children;
  }
  for (const int slot : {0, 1}) {
    if (!wanted[slot]) continue;
    NodeRows& child = slot ? children.second : children.first;
    child.n = n[slot];
    child.rows = rows[slot];
  }
  return children;
}

}  // namespace softwood::hard
