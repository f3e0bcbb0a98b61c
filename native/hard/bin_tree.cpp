#include "hard/bin_tree.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace softwood::hard {
namespace {

constexpr std::size_t ROUTED_ROWS = 8192;  // rows per piece
constexpr std::size_t LANES = 8;           // values whose bins are searched side by side

// The rows to sum over, in order, each with the index of its leaf.
struct Arrived {
  std::vector<std::uint32_t> row, place;
};

template <class Code>
std::size_t leaf_of(const CodeTable<Code>& code, const BinTree& tree, std::size_t row) {
  std::size_t node = 0;
  while (tree.first_child[node] >= 0) {
    const auto bin =
        code.column(static_cast<std::size_t>(tree.feature[node]))[static_cast<std::ptrdiff_t>(row) * code.row_stride];
    node = static_cast<std::size_t>(tree.first_child[node] + tree.child[node * (code.bins + 1) + bin]);
  }
  return node;
}

template <class Code>
Arrived arrive(const CodeTable<Code>& code, const BinTree& tree, std::span<const std::int32_t> place,
               const double* weight, int n_threads) {
  std::vector<std::int32_t> own(code.rows);
  for_each_piece((code.rows + ROUTED_ROWS - 1) / ROUTED_ROWS, n_threads, [&](std::size_t piece) {
    const std::size_t end = std::min(code.rows, (piece + 1) * ROUTED_ROWS);
    for (std::size_t row = piece * ROUTED_ROWS; row < end; ++row) {
      own[row] = weight[row] > 0.0 ? place[leaf_of(code, tree, row)] : -1;
    }
  });
  Arrived found;
  found.row.reserve(code.rows);
  found.place.reserve(code.rows);
  for (std::size_t row = 0; row < code.rows; ++row) {
    if (own[row] < 0) continue;
    found.row.push_back(static_cast<std::uint32_t>(row));
    found.place.push_back(static_cast<std::uint32_t>(own[row]));
  }
  return found;
}

// Calls add(cell, i) for every input and arrived row i with the cell of its leaf, input and bin. Each input belongs to
// one thread, so sums are in the order of the rows.
template <class Code, class Add>
void for_each_cell(const CodeTable<Code>& code, const Arrived& arrived, std::size_t width, int n_threads, double* table,
                   Add&& add) {
  const std::size_t of_input = (code.bins + 1) * width, of_leaf = code.columns * of_input;
  for_each_piece(code.columns, n_threads, [&](std::size_t f) {
    const Code* bin = code.column(f);
    for (std::size_t i = 0; i < arrived.row.size(); ++i) {
      const auto at = bin[static_cast<std::ptrdiff_t>(arrived.row[i]) * code.row_stride];
      add(table + arrived.place[i] * of_leaf + f * of_input + at * width, i);
    }
  });
}

// The number of edges below each value, by bisection of all values at once, so that none waits for another.
void count_below(std::span<const double> edge, const double* value, std::size_t* below) {
  for (std::size_t rest = edge.size(), half; rest > 0; rest -= half) {
    half = (rest + 1) / 2;
    for (std::size_t i = 0; i < LANES; ++i)
      below[i] += half * static_cast<std::size_t>(edge[below[i] + half - 1] < value[i]);
  }
}

}  // namespace

template <class Code>
void sum_classes(const CodeTable<Code>& code, const BinTree& tree, std::span<const std::int32_t> place,
                 const std::int32_t* y, const double* weight, std::size_t n_classes, int n_threads, double* table) {
  const Arrived arrived = arrive(code, tree, place, weight, n_threads);
  const std::uint32_t* row = arrived.row.data();
  for_each_cell(code, arrived, n_classes, n_threads, table,
                [&](double* cell, std::size_t i) { cell[y[row[i]]] += weight[row[i]]; });
}

template <class Code>
void sum_numbers(const CodeTable<Code>& code, const BinTree& tree, std::span<const std::int32_t> place, const double* y,
                 std::size_t n_targets, const double* origin, const double* weight, int n_threads, double* table) {
  const Arrived arrived = arrive(code, tree, place, weight, n_threads);
  const std::size_t width = 1 + 2 * n_targets;
  std::vector<double> statistics(arrived.row.size() * width);
  for (std::size_t i = 0; i < arrived.row.size(); ++i) {
    const double w = weight[arrived.row[i]];
    double* own = statistics.data() + i * width;
    own[0] = w;
    for (std::size_t t = 0; t < n_targets; ++t) {
      const double away = y[arrived.row[i] * n_targets + t] - origin[arrived.place[i] * n_targets + t];
      own[1 + t] = w * away;
      own[1 + n_targets + t] = w * away * away;
    }
  }
  if (width == 3) {
    for_each_cell(code, arrived, 3, n_threads, table, [&](double* cell, std::size_t i) {
      for (std::size_t s = 0; s < 3; ++s) cell[s] += statistics[3 * i + s];
    });
  } else {
    for_each_cell(code, arrived, width, n_threads, table, [&](double* cell, std::size_t i) {
      for (std::size_t s = 0; s < width; ++s) cell[s] += statistics[i * width + s];
    });
  }
}

template <class Code>
void find_bins(const Table& X, const std::vector<std::span<const double>>& edge, std::span<const std::int32_t> levels,
               std::size_t bins, int n_threads, Code* code) {
  for_each_piece(X.columns, n_threads, [&](std::size_t f) {
    for (std::size_t begin = 0; begin < X.rows; begin += LANES) {
      const std::size_t n = std::min(LANES, X.rows - begin);
      double value[LANES] = {};
      std::size_t bin[LANES] = {};
      for (std::size_t i = 0; i < n; ++i) value[i] = X(begin + i, f);
      if (levels[f] == 0) {
        count_below(edge[f], value, bin);
      } else {
        for (std::size_t i = 0; i < n; ++i) bin[i] = value[i] == value[i] ? static_cast<std::size_t>(value[i]) : 0;
      }
      Code* own = code + f * X.rows + begin;
      for (std::size_t i = 0; i < n; ++i) own[i] = static_cast<Code>(value[i] == value[i] ? bin[i] : bins);
    }
  });
}

#define SOFTWOOD_BIN_TREE(Code)                                                                                     \
  template void sum_classes(const CodeTable<Code>&, const BinTree&, std::span<const std::int32_t>,                  \
                            const std::int32_t*, const double*, std::size_t, int, double*);                         \
  template void sum_numbers(const CodeTable<Code>&, const BinTree&, std::span<const std::int32_t>, const double*,   \
                            std::size_t, const double*, const double*, int, double*);                               \
  template void find_bins(const Table&, const std::vector<std::span<const double>>&, std::span<const std::int32_t>, \
                          std::size_t, int, Code*);
SOFTWOOD_BIN_TREE(std::uint8_t)
SOFTWOOD_BIN_TREE(std::uint16_t)
#undef SOFTWOOD_BIN_TREE

}  // namespace softwood::hard
