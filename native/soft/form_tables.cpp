#include "soft/form_tables.hpp"

#include <algorithm>

#include "core/machine.hpp"

namespace softwood::soft {
namespace {

using simd::kBlock;
using simd::Lanes;

constexpr int kRows = 2;  // scored side by side, to hide the latency of sums

template <int PACKS, class T>
SOFTWOOD_INLINE void score_tile(const Expansion<T>& of, const T* bias, const T* cell, std::size_t block, T* out) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kLanes = Lanes<T>::kWidth, kWidth = PACKS * kLanes;
  const T* t = of.t.data() + block * of.inputs * kBlock;
  const std::uint16_t* segment = of.segment.data() + block * of.inputs * kBlock;
  const std::size_t inputs = of.used.size(), *used = of.used.data(), *begin = of.entry_begin.data();
  for (std::size_t row = 0; row < kBlock; row += kRows) {
    Pack sum[kRows][PACKS];
    unrolled<kRows>([&](auto r) SOFTWOOD_INLINE_LAMBDA {
      unrolled<PACKS>([&](auto i) SOFTWOOD_INLINE_LAMBDA { sum[r][i] = simd::load(bias + i * kLanes); });
    });
    for (std::size_t u = 0; u < inputs; ++u) {
      const std::size_t at = used[u] * kBlock + row;
      const T* mine = cell + begin[u] * 2 * kWidth;
      unrolled<kRows>([&](auto r) SOFTWOOD_INLINE_LAMBDA {
        const T* here = mine + segment[at + r] * 2 * kWidth;
        const T along = t[at + r];
        unrolled<PACKS>([&](auto i) SOFTWOOD_INLINE_LAMBDA {
          sum[r][i] = (sum[r][i] + simd::load(here + i * kLanes)) + along * simd::load(here + kWidth + i * kLanes);
        });
      });
    }
    unrolled<kRows>([&](auto r) SOFTWOOD_INLINE_LAMBDA {
      T line[kWidth];
      unrolled<PACKS>([&](auto i) SOFTWOOD_INLINE_LAMBDA { simd::store(line + i * kLanes, sum[r][i]); });
      for (std::size_t k = 0; k < kWidth; ++k) out[k * kBlock + row + r] = line[k];
    });
  }
}

// Rows first.
template <std::size_t WIDTH, class T>
SOFTWOOD_INLINE void transpose(const T* coefficient, T* line) {
  for (std::size_t row = 0; row < kBlock; ++row)
    for (std::size_t k = 0; k < WIDTH; ++k) line[row * WIDTH + k] = coefficient[k * kBlock + row];
}

// Sums of the rows of each segment of a group stay in registers.
template <int PACKS, class T>
SOFTWOOD_INLINE void add_group(const Expansion<T>& of, std::size_t group, const T* line, T* cell) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kLanes = Lanes<T>::kWidth, kWidth = PACKS * kLanes, kRows = kGroup * kBlock;
  const std::uint16_t* end = of.order.end.data() + group * of.entries;
  for (std::size_t u = 0; u < of.used.size(); ++u) {
    const std::size_t at = (group * of.used.size() + u) * kRows;
    const std::uint16_t* row = of.order.row.data() + at;
    const T* t = of.order.t.data() + at;
    std::size_t i = 0;
    for (std::size_t entry = of.entry_begin[u]; entry < of.entry_begin[u + 1]; ++entry) {
      if (i == end[entry]) continue;
      T* to = cell + entry * 2 * kWidth;
      Pack height[PACKS], slope[PACKS];
      unrolled<PACKS>([&](auto k) SOFTWOOD_INLINE_LAMBDA {
        height[k] = simd::load(to + k * kLanes);
        slope[k] = simd::load(to + kWidth + k * kLanes);
      });
      for (; i < end[entry]; ++i) {
        const T* from = line + row[i] * kWidth;
        const T along = t[i];
        unrolled<PACKS>([&](auto k) SOFTWOOD_INLINE_LAMBDA {
          const Pack part = simd::load(from + k * kLanes);
          height[k] += part;
          slope[k] += along * part;
        });
      }
      unrolled<PACKS>([&](auto k) SOFTWOOD_INLINE_LAMBDA {
        simd::store(to + k * kLanes, height[k]);
        simd::store(to + kWidth + k * kLanes, slope[k]);
      });
    }
  }
}

template <int PACKS, class T>
SOFTWOOD_INLINE void add_tile(const Expansion<T>& of, std::size_t block, const T* coefficient, T* cell) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kLanes = Lanes<T>::kWidth, kWidth = PACKS * kLanes;
  T line[kBlock * kWidth];
  transpose<kWidth>(coefficient, line);
  for (std::size_t u = 0; u < of.used.size(); ++u) {
    const std::size_t at = (block * of.inputs + of.used[u]) * kBlock;
    const T* t = of.t.data() + at;
    const std::uint16_t* segment = of.segment.data() + at;
    T* mine = cell + of.entry_begin[u] * 2 * kWidth;
    for (std::size_t row = 0; row < kBlock; ++row) {
      T* to = mine + segment[row] * 2 * kWidth;
      unrolled<PACKS>([&](auto i) SOFTWOOD_INLINE_LAMBDA {
        const Pack part = simd::load(line + row * kWidth + i * kLanes);
        simd::store(to + i * kLanes, simd::load(to + i * kLanes) + part);
        simd::store(to + kWidth + i * kLanes, simd::load(to + kWidth + i * kLanes) + t[row] * part);
      });
    }
  }
}

// Calls work.template operator()<PACKS>() for the packs of a tile.
template <class Work>
SOFTWOOD_INLINE void with_packs(const Tiles& tiles, Work&& work) {
  if (tiles.packs == 1)
    work.template operator()<1>();
  else if (tiles.packs == 2)
    work.template operator()<2>();
  else
    work.template operator()<4>();
}

// Calls work.template operator()<PACKS>(tile) for every tile.
template <class Work>
SOFTWOOD_INLINE void for_each_tile(const Tiles& tiles, Work&& work) {
  with_packs(tiles, [&]<int PACKS>() SOFTWOOD_INLINE_LAMBDA {
    for (std::size_t tile = 0; tile < tiles.count; ++tile) work.template operator()<PACKS>(tile);
  });
}

template <class T>
constexpr std::size_t kMostWidth = 4 * Lanes<T>::kWidth;  // of a tile

// The contribution of an input's cells to one of its columns, for all WIDTH forms of a tile; a form's sum is in the
// order of the entries.
template <std::size_t WIDTH, class T>
SOFTWOOD_INLINE void dots_of_column(const T* height, const T* slope, std::size_t entries, const double* cell,
                                    double* total) {
  double sum[WIDTH] = {};
  for (std::size_t entry = 0; entry < entries; ++entry, cell += 2 * WIDTH) {
    const auto h = static_cast<double>(height[entry]), s = static_cast<double>(slope[entry]);
    for (std::size_t k = 0; k < WIDTH; ++k) sum[k] += h * cell[k] + s * cell[WIDTH + k];
  }
  std::copy_n(sum, WIDTH, total);
}

template <class T>
SOFTWOOD_INLINE void all_scores(const Expansion<T>& of, const FormTables<T>& tables, std::size_t block, T* out) {
  const std::size_t width = tables.tiles.width, size = of.entries * 2 * width;
  for_each_tile(tables.tiles, [&]<int PACKS>(std::size_t tile) SOFTWOOD_INLINE_LAMBDA {
    score_tile<PACKS>(of, tables.bias.data() + tile * width, tables.cell.data() + tile * size, block,
                      out + tile * width * kBlock);
  });
}

template <class T>
SOFTWOOD_INLINE void add_all(const Expansion<T>& of, const Tiles& tiles, std::size_t block, const T* coefficient,
                             T* cell) {
  const std::size_t size = of.entries * 2 * tiles.width;
  for_each_tile(tiles, [&]<int PACKS>(std::size_t tile) SOFTWOOD_INLINE_LAMBDA {
    add_tile<PACKS>(of, block, coefficient + tile * tiles.width * kBlock, cell + tile * size);
  });
}

template <class T>
SOFTWOOD_INLINE void lay_out_all(const Tiles& tiles, std::size_t block, const T* coefficient, T* lines) {
  constexpr std::size_t kRows = kGroup * kBlock;
  for_each_tile(tiles, [&]<int PACKS>(std::size_t tile) SOFTWOOD_INLINE_LAMBDA {
    transpose<PACKS * Lanes<T>::kWidth>(coefficient + tile * tiles.width * kBlock,
                                        lines + (tile * kRows + block % kGroup * kBlock) * tiles.width);
  });
}

template <class T>
SOFTWOOD_INLINE void add_whole_group(const Expansion<T>& of, const Tiles& tiles, std::size_t group, const T* lines,
                                     T* cell) {
  const std::size_t size = of.entries * 2 * tiles.width, rows = kGroup * kBlock;
  for_each_tile(tiles, [&]<int PACKS>(std::size_t tile) SOFTWOOD_INLINE_LAMBDA {
    add_group<PACKS>(of, group, lines + tile * rows * tiles.width, cell + tile * size);
  });
}

}  // namespace

template <class T>
FormTables<T>::FormTables(const Expansion<T>& of, const std::vector<Form<T>>& forms)
    : tiles(Tiles::of<T>(forms.size())), bias(tiles.forms(), T(0)), cell(tiles.cells(of.entries), T(0)) {
  std::vector<T> weight(tiles.width);
  for (std::size_t form = 0; form < forms.size(); ++form) bias[form] = forms[form].bias;
  for (std::size_t tile = 0; tile < tiles.count; ++tile)
    for (std::size_t u = 0; u < of.used.size(); ++u) {
      T* mine = cell.data() + (tile * of.entries + of.entry_begin[u]) * 2 * tiles.width;
      for (std::size_t c = of.column_begin[of.used[u]]; c < of.column_begin[of.used[u] + 1]; ++c) {
        for (std::size_t k = 0; k < tiles.width; ++k) {
          const std::size_t form = tile * tiles.width + k;
          weight[k] = form < forms.size() ? forms[form].weight[c] : T(0);
        }
        for (std::size_t entry = 0; entry < of.entry_begin[u + 1] - of.entry_begin[u]; ++entry) {
          const T height = of.height[of.table_begin[c] + entry], slope = of.slope[of.table_begin[c] + entry];
          if (height == 0 && slope == 0) continue;
          T* to = mine + entry * 2 * tiles.width;
          for (std::size_t k = 0; k < tiles.width; ++k) {
            to[k] += weight[k] * height;
            to[tiles.width + k] += weight[k] * slope;
          }
        }
      }
    }
}

template <class T>
void table_dots(const Expansion<T>& of, const Tiles& tiles, const double* cell, std::size_t begin, std::size_t end,
                double* sum, std::size_t stride) {
  for (std::size_t tile = begin / tiles.width; tile * tiles.width < end; ++tile) {
    const std::size_t first = std::max(begin, tile * tiles.width), last = std::min(end, (tile + 1) * tiles.width);
    const double* mine = cell + tile * of.entries * 2 * tiles.width;
    for (std::size_t u = 0; u < of.used.size(); ++u) {
      const double* here = mine + of.entry_begin[u] * 2 * tiles.width;
      const std::size_t entries = of.entry_begin[u + 1] - of.entry_begin[u];
      for (std::size_t c = of.column_begin[of.used[u]]; c < of.column_begin[of.used[u] + 1]; ++c) {
        const std::size_t at = of.table_begin[c];
        double total[kMostWidth<T>] = {};
        with_packs(tiles, [&]<int PACKS>() {
          dots_of_column<PACKS * Lanes<T>::kWidth>(of.height.data() + at, of.slope.data() + at, entries, here, total);
        });
        for (std::size_t form = first; form < last; ++form)
          sum[(form - begin) * stride + c] += total[form - tile * tiles.width];
      }
    }
  }
}

SOFTWOOD_CLONED(void, table_scores,
                (const Expansion<double>& expansion, const FormTables<double>& tables, std::size_t block, double* out),
                (expansion, tables, block, out)) {
  all_scores(expansion, tables, block, out);
}
SOFTWOOD_CLONED(void, table_scores,
                (const Expansion<float>& expansion, const FormTables<float>& tables, std::size_t block, float* out),
                (expansion, tables, block, out)) {
  all_scores(expansion, tables, block, out);
}
SOFTWOOD_CLONED(void, add_to_tables,
                (const Expansion<double>& expansion, const Tiles& tiles, std::size_t block, const double* coefficient,
                 double* cell),
                (expansion, tiles, block, coefficient, cell)) {
  add_all(expansion, tiles, block, coefficient, cell);
}
SOFTWOOD_CLONED(void, add_to_tables,
                (const Expansion<float>& expansion, const Tiles& tiles, std::size_t block, const float* coefficient,
                 float* cell),
                (expansion, tiles, block, coefficient, cell)) {
  add_all(expansion, tiles, block, coefficient, cell);
}

SOFTWOOD_CLONED(void, lay_out, (const Tiles& tiles, std::size_t block, const double* coefficient, double* lines),
                (tiles, block, coefficient, lines)) {
  lay_out_all(tiles, block, coefficient, lines);
}
SOFTWOOD_CLONED(void, lay_out, (const Tiles& tiles, std::size_t block, const float* coefficient, float* lines),
                (tiles, block, coefficient, lines)) {
  lay_out_all(tiles, block, coefficient, lines);
}
SOFTWOOD_CLONED(void, add_group_to_tables,
                (const Expansion<double>& expansion, const Tiles& tiles, std::size_t group, const double* lines,
                 double* cell),
                (expansion, tiles, group, lines, cell)) {
  add_whole_group(expansion, tiles, group, lines, cell);
}
SOFTWOOD_CLONED(void, add_group_to_tables,
                (const Expansion<float>& expansion, const Tiles& tiles, std::size_t group, const float* lines,
                 float* cell),
                (expansion, tiles, group, lines, cell)) {
  add_whole_group(expansion, tiles, group, lines, cell);
}

template struct FormTables<double>;
template struct FormTables<float>;
template void table_dots(const Expansion<double>&, const Tiles&, const double*, std::size_t, std::size_t, double*,
                         std::size_t);
template void table_dots(const Expansion<float>&, const Tiles&, const double*, std::size_t, std::size_t, double*,
                         std::size_t);

}  // namespace softwood::soft
