#include "soft/form_tables.hpp"

#include "core/machine.hpp"

namespace softwood::soft {
namespace {

using simd::kBlock;
using simd::Lanes;

template <int PACKS, class T>
SOFTWOOD_INLINE void score_tile(const Expansion<T>& of, const T* bias, const T* cell, std::size_t block, T* out) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kLanes = Lanes<T>::kWidth, kWidth = PACKS * kLanes;
  const T* t = of.t.data() + block * of.inputs * kBlock;
  const std::uint16_t* segment = of.segment.data() + block * of.inputs * kBlock;
  const std::size_t inputs = of.used.size();
  for (std::size_t row = 0; row < kBlock; ++row) {
    Pack sum[PACKS];
    unrolled<PACKS>([&](auto i) SOFTWOOD_INLINE_LAMBDA { sum[i] = simd::load(bias + i * kLanes); });
    for (std::size_t u = 0; u < inputs; ++u) {
      const std::size_t at = of.used[u] * kBlock + row;
      const T* mine = cell + (of.entry_begin[u] + segment[at]) * 2 * kWidth;
      unrolled<PACKS>([&](auto i) SOFTWOOD_INLINE_LAMBDA {
        sum[i] = (sum[i] + simd::load(mine + i * kLanes)) + t[at] * simd::load(mine + kWidth + i * kLanes);
      });
    }
    T line[kWidth];
    unrolled<PACKS>([&](auto i) SOFTWOOD_INLINE_LAMBDA { simd::store(line + i * kLanes, sum[i]); });
    for (std::size_t k = 0; k < kWidth; ++k) out[k * kBlock + row] = line[k];
  }
}

template <int PACKS, class T>
SOFTWOOD_INLINE void add_tile(const Expansion<T>& of, std::size_t block, const T* coefficient, T* cell) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kLanes = Lanes<T>::kWidth, kWidth = PACKS * kLanes;
  T line[kBlock * kWidth];
  for (std::size_t row = 0; row < kBlock; ++row)
    for (std::size_t k = 0; k < kWidth; ++k) line[row * kWidth + k] = coefficient[k * kBlock + row];
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

// Calls work.template operator()<PACKS>(tile) for every tile.
template <class Work>
SOFTWOOD_INLINE void for_each_tile(const Tiles& tiles, Work&& work) {
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    if (tiles.packs == 1)
      work.template operator()<1>(tile);
    else if (tiles.packs == 2)
      work.template operator()<2>(tile);
    else
      work.template operator()<4>(tile);
  }
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
  for (std::size_t form = begin; form < end; ++form) {
    const double* mine = cell + form / tiles.width * of.entries * 2 * tiles.width + form % tiles.width;
    for (std::size_t u = 0; u < of.used.size(); ++u)
      for (std::size_t c = of.column_begin[of.used[u]]; c < of.column_begin[of.used[u] + 1]; ++c) {
        const T *height = of.height.data() + of.table_begin[c], *slope = of.slope.data() + of.table_begin[c];
        double total = 0;
        for (std::size_t entry = 0; entry < of.entry_begin[u + 1] - of.entry_begin[u]; ++entry) {
          const double* at = mine + (of.entry_begin[u] + entry) * 2 * tiles.width;
          total += static_cast<double>(height[entry]) * at[0] + static_cast<double>(slope[entry]) * at[tiles.width];
        }
        sum[(form - begin) * stride + c] += total;
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

template struct FormTables<double>;
template struct FormTables<float>;
template void table_dots(const Expansion<double>&, const Tiles&, const double*, std::size_t, std::size_t, double*,
                         std::size_t);
template void table_dots(const Expansion<float>&, const Tiles&, const double*, std::size_t, std::size_t, double*,
                         std::size_t);

}  // namespace softwood::soft
