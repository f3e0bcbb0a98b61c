// Tiles of up to four forms keep their sums in registers, eight of them or more: a sum waits for its last product, and
// fewer would wait together.
#include "simd/block_product.hpp"

#include <algorithm>
#include <utility>

#include "core/machine.hpp"
#include "simd/vector.hpp"

namespace softwood::simd {
namespace {

constexpr std::size_t kNear = 96;  // columns of a block that stay in the nearest cache while all forms go by

// The column at a place among those chosen, or among all.
template <bool SOME>
SOFTWOOD_INLINE std::size_t column_at(const Chosen& columns, std::size_t place) {
  if constexpr (SOME)
    return static_cast<std::size_t>(columns.at[place]);
  else
    return place;
}

// Scores of FORMS forms for the first `rows` rows, in whole steps of eight packs, over the columns at the places from
// `begin` to `end`; `bias` null: 0. `stride` is the distance between the weights of two forms. Where `begin` is not 0:
// go on from the sums that `out` holds.
template <int FORMS, bool SOME, class T>
SOFTWOOD_INLINE void score_tile(const T* weight, std::size_t stride, const Chosen& columns, std::size_t begin,
                                std::size_t end, const T* bias, std::size_t bias_stride, const T* x, T* out,
                                std::size_t rows) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kWidth = Lanes<T>::kWidth;
  constexpr int kPacks = FORMS == 1 ? 8 : std::min(4, kSums / FORMS);
  static_assert(kBlock % (kPacks * kWidth) == 0);
  for (std::size_t row = 0; row < rows; row += kPacks * kWidth) {
    Pack sum[FORMS][kPacks];
    unrolled<FORMS>([&](auto f) SOFTWOOD_INLINE_LAMBDA {
      const T first = bias ? bias[f * bias_stride] : T(0);
      unrolled<kPacks>([&](auto i) SOFTWOOD_INLINE_LAMBDA {
        sum[f][i] = begin ? load(out + f * kBlock + row + i * kWidth) : Pack{} + first;
      });
    });
    for (std::size_t place = begin; place < end; ++place) {
      const std::size_t c = column_at<SOME>(columns, place);
      Pack value[kPacks];
      unrolled<kPacks>([&](auto i) SOFTWOOD_INLINE_LAMBDA { value[i] = load(x + c * kBlock + row + i * kWidth); });
      unrolled<FORMS>([&](auto f) SOFTWOOD_INLINE_LAMBDA {
        const T factor = weight[f * stride + c];
        unrolled<kPacks>([&](auto i) SOFTWOOD_INLINE_LAMBDA { sum[f][i] = fused(factor, value[i], sum[f][i]); });
      });
    }
    unrolled<FORMS>([&](auto f) SOFTWOOD_INLINE_LAMBDA {
      unrolled<kPacks>([&](auto i) SOFTWOOD_INLINE_LAMBDA { store(out + f * kBlock + row + i * kWidth, sum[f][i]); });
    });
  }
}

// Calls tile.template operator()<FORMS>(first form) until all forms are done.
template <class Tile>
SOFTWOOD_INLINE void in_tiles(std::size_t forms, Tile&& tile) {
  std::size_t f = 0;
  for (; f + 4 <= forms; f += 4) tile.template operator()<4>(f);
  if (f + 2 <= forms) tile.template operator()<2>(f), f += 2;
  if (f < forms) tile.template operator()<1>(f);
}

template <bool SOME, class T>
SOFTWOOD_INLINE void scores_over(const T* weight, std::size_t forms, std::size_t stride, const Chosen& columns,
                                 const T* bias, std::size_t bias_stride, const T* x, T* out, std::size_t rows) {
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(columns.count, begin + kNear);
    in_tiles(forms, [&]<int FORMS>(std::size_t f) SOFTWOOD_INLINE_LAMBDA {
      score_tile<FORMS, SOME>(weight + f * stride, stride, columns, begin, end, bias ? bias + f * bias_stride : nullptr,
                              bias_stride, x, out + f * kBlock, rows);
    });
    begin = end;
  } while (begin < columns.count);
}

template <class T>
SOFTWOOD_INLINE void scores_of(const T* weight, std::size_t forms, std::size_t stride, const Chosen& columns,
                               const T* bias, std::size_t bias_stride, const T* x, T* out, std::size_t rows) {
  if (columns.at)
    scores_over<true>(weight, forms, stride, columns, bias, bias_stride, x, out, rows);
  else
    scores_over<false>(weight, forms, stride, columns, bias, bias_stride, x, out, rows);
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define SOFTWOOD_SHUFFLES
#endif
#endif

#ifdef SOFTWOOD_SHUFFLES
// Upper half of a pack added to its lower half.
template <class T, class Pack>
SOFTWOOD_INLINE auto fold(const Pack& pack) {
  typedef T Half __attribute__((vector_size(sizeof(Pack) / 2)));
  constexpr int kHalf = sizeof(Half) / sizeof(T);
  return [&]<int... I>(std::integer_sequence<int, I...>) SOFTWOOD_INLINE_LAMBDA -> Half {
    return __builtin_shufflevector(pack, pack, I...) + __builtin_shufflevector(pack, pack, (kHalf + I)...);
  }(std::make_integer_sequence<int, kHalf>{});
}

// Sums of the lanes of four packs of four, side by side. ARM adds neighbours in one instruction.
template <class Pack>
SOFTWOOD_INLINE Pack sums_of_four(const Pack& a, const Pack& b, const Pack& c, const Pack& d) {
#if defined(__aarch64__)
  return vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d));
#else
  const Pack front = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Pack back = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return __builtin_shufflevector(front, back, 0, 1, 4, 5) + __builtin_shufflevector(front, back, 2, 3, 6, 7);
#endif
}
#endif

// total[i] += sum of the lanes of part[i], for N packs. Compilers that cannot shuffle add lane after lane.
template <class T, int N, class Pack>
SOFTWOOD_INLINE void add_sums(const Pack* part, double* total) {
  constexpr int kLanes = sizeof(Pack) / sizeof(T);
#ifdef SOFTWOOD_SHUFFLES
  if constexpr (sizeof(Pack) > 16) {
    decltype(fold<T>(part[0])) folded[N];
    unrolled<N>([&](auto i) SOFTWOOD_INLINE_LAMBDA { folded[i] = fold<T>(part[i]); });
    return add_sums<T, N>(folded, total);
  } else if constexpr (kLanes == 4 && N == 4) {
    const Pack all = sums_of_four(part[0], part[1], part[2], part[3]);
    unrolled<N>([&](auto i) SOFTWOOD_INLINE_LAMBDA { total[i] += static_cast<double>(all[int(i)]); });
    return;
  }
#endif
  unrolled<N>([&](auto i) SOFTWOOD_INLINE_LAMBDA {
    T all = part[i][0];
    unrolled<kLanes - 1>([&](auto lane) SOFTWOOD_INLINE_LAMBDA { all += part[i][int(lane) + 1]; });
    total[i] += static_cast<double>(all);
  });
}

// Of the columns at COLUMNS places from `place` on.
template <int FORMS, int COLUMNS, bool SOME, class T>
SOFTWOOD_INLINE void dot_tile(const T* coefficient, const T* x, const Chosen& columns, std::size_t place, double* sum,
                              std::size_t stride) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kWidth = Lanes<T>::kWidth;
  constexpr int kTurns = FORMS * COLUMNS >= 8   ? 1
                         : FORMS * COLUMNS >= 4 ? 2
                                                : 4;  // packs of rows with sums of their own
  Pack total[kTurns][FORMS][COLUMNS] = {};
  for (std::size_t row = 0; row < kBlock; row += kTurns * kWidth)
    unrolled<kTurns>([&](auto turn) SOFTWOOD_INLINE_LAMBDA {
      Pack a[FORMS];
      unrolled<FORMS>([&](auto f)
                          SOFTWOOD_INLINE_LAMBDA { a[f] = load(coefficient + f * kBlock + row + turn * kWidth); });
      unrolled<COLUMNS>([&](auto c) SOFTWOOD_INLINE_LAMBDA {
        const Pack b = load(x + column_at<SOME>(columns, place + c) * kBlock + row + turn * kWidth);
        unrolled<FORMS>([&](auto f) SOFTWOOD_INLINE_LAMBDA { total[turn][f][c] = fused(a[f], b, total[turn][f][c]); });
      });
    });
  unrolled<FORMS>([&](auto f) SOFTWOOD_INLINE_LAMBDA {
    Pack all[COLUMNS];
    unrolled<COLUMNS>([&](auto c) SOFTWOOD_INLINE_LAMBDA {
      all[c] = total[0][f][c];
      unrolled<kTurns - 1>([&](auto turn) SOFTWOOD_INLINE_LAMBDA { all[c] += total[turn + 1][f][c]; });
    });
    if constexpr (SOME) {
      double part[COLUMNS] = {};
      add_sums<T, COLUMNS>(all, part);
      unrolled<COLUMNS>(
          [&](auto c) SOFTWOOD_INLINE_LAMBDA { sum[f * stride + column_at<SOME>(columns, place + c)] += part[c]; });
    } else {
      add_sums<T, COLUMNS>(all, sum + f * stride + place);
    }
  });
}

template <bool SOME, class T>
SOFTWOOD_INLINE void dots_over(const T* coefficient, std::size_t forms, const T* x, const Chosen& columns, double* sum,
                               std::size_t stride) {
  in_tiles(columns.count, [&]<int COLUMNS>(std::size_t place) SOFTWOOD_INLINE_LAMBDA {
    in_tiles(forms, [&]<int FORMS>(std::size_t f) SOFTWOOD_INLINE_LAMBDA {
      dot_tile<FORMS, COLUMNS, SOME>(coefficient + f * kBlock, x, columns, place, sum + f * stride, stride);
    });
  });
}

template <class T>
SOFTWOOD_INLINE void dots_of(const T* coefficient, std::size_t forms, const T* x, const Chosen& columns, double* sum,
                             std::size_t stride) {
  if (columns.at)
    dots_over<true>(coefficient, forms, x, columns, sum, stride);
  else
    dots_over<false>(coefficient, forms, x, columns, sum, stride);
}

template <class T>
SOFTWOOD_INLINE void sums_of(const T* coefficient, std::size_t forms, double* sum, std::size_t stride) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kWidth = Lanes<T>::kWidth;
  for (std::size_t f = 0; f < forms; ++f) {
    Pack total[4] = {};
    for (std::size_t row = 0; row < kBlock; row += 4 * kWidth)
      for (int turn = 0; turn < 4; ++turn) total[turn] += load(coefficient + f * kBlock + row + turn * kWidth);
    const Pack packs = (total[0] + total[1]) + (total[2] + total[3]);
    T all = 0;
    for (std::size_t lane = 0; lane < kWidth; ++lane) all += packs[lane];
    sum[f * stride] += static_cast<double>(all);
  }
}

}  // namespace

SOFTWOOD_CLONES
void form_scores(const double* weight, std::size_t forms, std::size_t stride, const Chosen& columns, const double* bias,
                 std::size_t bias_stride, const double* x, double* out, std::size_t rows) {
  scores_of(weight, forms, stride, columns, bias, bias_stride, x, out, rows);
}
SOFTWOOD_CLONES
void form_dots(const double* coefficient, std::size_t forms, const double* x, const Chosen& columns, double* sum,
               std::size_t stride) {
  dots_of(coefficient, forms, x, columns, sum, stride);
}
SOFTWOOD_CLONES
void form_sums(const double* coefficient, std::size_t forms, double* sum, std::size_t stride) {
  sums_of(coefficient, forms, sum, stride);
}
SOFTWOOD_CLONES
void form_scores(const float* weight, std::size_t forms, std::size_t stride, const Chosen& columns, const float* bias,
                 std::size_t bias_stride, const float* x, float* out, std::size_t rows) {
  scores_of(weight, forms, stride, columns, bias, bias_stride, x, out, rows);
}
SOFTWOOD_CLONES
void form_dots(const float* coefficient, std::size_t forms, const float* x, const Chosen& columns, double* sum,
               std::size_t stride) {
  dots_of(coefficient, forms, x, columns, sum, stride);
}
SOFTWOOD_CLONES
void form_sums(const float* coefficient, std::size_t forms, double* sum, std::size_t stride) {
  sums_of(coefficient, forms, sum, stride);
}

}  // namespace softwood::simd
