#include "soft/expansion.hpp"

#include <algorithm>
#include <cmath>

#include "core/machine.hpp"
#include "core/parallel.hpp"
#include "soft/soft_rows.hpp"

namespace softwood::soft {
namespace {

template <class T>
SOFTWOOD_INLINE void expand_column(const Expansion<T>& of, std::size_t column, const std::uint16_t* segment, const T* t,
                                   T* out) {
  const std::size_t begin = of.table_begin[column];
  const T *height = of.height.data() + begin, *slope = of.slope.data() + begin, *square = of.square.data() + begin;
  if (of.curved) {
    for (std::size_t row = 0; row < kBlock; ++row)
      out[row] = height[segment[row]] + (slope[segment[row]] + square[segment[row]] * t[row]) * t[row];
  } else {
    for (std::size_t row = 0; row < kBlock; ++row) out[row] = height[segment[row]] + slope[segment[row]] * t[row];
  }
}

constexpr std::size_t kColumnsAnInput = 4;      // from which on passes by tables are faster
constexpr std::size_t kMostInOrder = 1u << 17;  // rows that are put in order

}  // namespace

template <class T>
void Expansion<T>::number_entries() {
  used.clear(), entry_begin.assign(1, 0);
  for (std::size_t f = 0; f < inputs; ++f) {
    const std::size_t c = column_begin[f];
    if (c == column_begin[f + 1]) continue;
    used.push_back(f);
    entry_begin.push_back(entry_begin.back() + table_begin[c + 1] - table_begin[c]);
  }
  entries = entry_begin.back();
  by_tables = !curved && columns >= kColumnsAnInput * used.size() && !used.empty();
}

template <class T>
void Expansion<T>::put_in_order(std::size_t rows, int n_threads) {
  constexpr std::size_t kRows = kGroup * kBlock;
  const std::size_t groups = (rows + kRows - 1) / kRows;
  order.row.assign(groups * used.size() * kRows, 0);
  order.t.assign(order.row.size(), T(0));
  order.end.assign(groups * entries, 0);
  for_each_piece(groups, n_threads, [&](std::size_t group) {
    const std::size_t count = std::min(kRows, rows - group * kRows);
    for (std::size_t u = 0; u < used.size(); ++u) {
      std::uint16_t* end = order.end.data() + group * entries + entry_begin[u];
      const std::size_t n = entry_begin[u + 1] - entry_begin[u], to = (group * used.size() + u) * kRows;
      const auto at = [&](std::size_t row) {
        return ((group * kGroup + row / kBlock) * inputs + used[u]) * kBlock + row % kBlock;
      };
      for (std::size_t row = 0; row < count; ++row) ++end[segment[at(row)]];
      std::vector<std::size_t> place(n);
      for (std::size_t i = 0, before = 0; i < n; ++i) {
        place[i] = before;
        before += end[i];
        end[i] = static_cast<std::uint16_t>(before);
      }
      for (std::size_t row = 0; row < count; ++row) {
        const std::size_t here = to + place[segment[at(row)]]++;
        order.row[here] = static_cast<std::uint16_t>(row);
        order.t[here] = t[at(row)];
      }
    }
  });
}

template <class T>
void Expansion<T>::expand(std::size_t block, T* phi) const {
  for (std::size_t f = 0; f < inputs; ++f) {
    const std::size_t at = (block * inputs + f) * kBlock;
    for (std::size_t c = column_begin[f]; c < column_begin[f + 1]; ++c)
      expand_column(*this, c, segment.data() + at, t.data() + at, phi + c * kBlock);
  }
}

template <class T>
void Expansion<T>::expand(std::size_t block, std::size_t column, T* phi) const {
  const auto after = std::upper_bound(column_begin.begin(), column_begin.end(), column);
  const auto f = static_cast<std::size_t>(after - column_begin.begin()) - 1;
  const std::size_t at = (block * inputs + f) * kBlock;
  expand_column(*this, column, segment.data() + at, t.data() + at, phi);
}

template <class T>
std::vector<T> Expansion<T>::expand_all(std::size_t blocks, int n_threads) const {
  std::vector<T> phi(blocks * columns * kBlock);
  for_each_piece(blocks, n_threads, [&](std::size_t block) { expand(block, phi.data() + block * columns * kBlock); });
  return phi;
}

template <class T>
void take_rows(Expansion<T>& expansion, const double* X, const std::int64_t* place, std::size_t rows,
               const Segments& segments, int n_threads) {
  const std::size_t inputs = expansion.inputs, blocks = (rows + kBlock - 1) / kBlock;
  expansion.t.assign(blocks * inputs * kBlock, T(0));
  expansion.segment.assign(blocks * inputs * kBlock, 0);
  for_each_piece(blocks, n_threads, [&](std::size_t block) {
    const std::size_t begin = block * kBlock, count = std::min(kBlock, rows - begin);
    const double* from[kBlock];
    for (std::size_t row = 0; row < count; ++row)
      from[row] = X + (place ? static_cast<std::size_t>(place[begin + row]) : begin + row) * inputs;
    for (std::size_t f = 0; f < inputs; ++f) {
      const double *first = segments.knot + segments.knot_begin[f], *last = segments.knot + segments.knot_begin[f + 1];
      const double *origin = segments.origin + segments.knot_begin[f] + f,
                   *width = segments.width + segments.knot_begin[f] + f;
      const std::size_t at = (block * inputs + f) * kBlock;
      for (std::size_t row = 0; row < count; ++row) {
        const double x = from[row][f];
        const std::ptrdiff_t missing = last - first + 1;
        const std::ptrdiff_t in = std::isnan(x) ? missing : std::lower_bound(first, last, x) - first;
        expansion.t[at + row] = in == missing ? T(0) : static_cast<T>((x - origin[in]) / width[in]);
        expansion.segment[at + row] = static_cast<std::uint16_t>(in);
      }
    }
  });
  if (expansion.by_tables && rows <= kMostInOrder) expansion.put_in_order(rows, n_threads);
}

template struct Expansion<double>;
template struct Expansion<float>;
template void take_rows(Expansion<double>&, const double*, const std::int64_t*, std::size_t, const Segments&, int);
template void take_rows(Expansion<float>&, const double*, const std::int64_t*, std::size_t, const Segments&, int);

}  // namespace softwood::soft
