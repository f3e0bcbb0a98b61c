// Tiles of up to four forms keep their sums in at least eight registers, which hides the latency of products. Sums over
// rows have the same lanes on every machine, and are added in one order (simd/dot_order.hpp), so all give the same
// bits.
#include "simd/block_product.hpp"

#include <algorithm>
#include <utility>

#include "core/machine.hpp"
#include "simd/dot_order.hpp"
#include "simd/plain_product.hpp"
#include "simd/vector.hpp"

namespace softwood::simd {
namespace {

constexpr std::size_t kNear = 96;  // columns of a block that stay in the L1 cache for all forms

// The column at an index among the chosen ones, or among all.
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
template <int FORMS, bool SOME, bool FUSES, class T>
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
        unrolled<kPacks>(
            [&](auto i) SOFTWOOD_INLINE_LAMBDA { sum[f][i] = product_and_sum<FUSES>(factor, value[i], sum[f][i]); });
      });
    }
    unrolled<FORMS>([&](auto f) SOFTWOOD_INLINE_LAMBDA {
      unrolled<kPacks>([&](auto i) SOFTWOOD_INLINE_LAMBDA { store(out + f * kBlock + row + i * kWidth, sum[f][i]); });
    });
  }
}

// Calls tile.template operator()<N>(first) for tiles of MOST, and of fewer at the end, until all are done.
template <int MOST, class Tile>
SOFTWOOD_INLINE void in_tiles(std::size_t count, Tile&& tile) {
  std::size_t first = 0;
  for (; first + MOST <= count; first += MOST) tile.template operator()<MOST>(first);
  if constexpr (MOST > 2)
    if (first + 2 <= count) tile.template operator()<2>(first), first += 2;
  if (first < count) tile.template operator()<1>(first);
}

template <bool SOME, bool FUSES, class T>
SOFTWOOD_INLINE void scores_over(const T* weight, std::size_t forms, std::size_t stride, const Chosen& columns,
                                 const T* bias, std::size_t bias_stride, const T* x, T* out, std::size_t rows) {
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(columns.count, begin + kNear);
    in_tiles<kForms>(forms, [&]<int FORMS>(std::size_t f) SOFTWOOD_INLINE_LAMBDA {
      score_tile<FORMS, SOME, FUSES>(weight + f * stride, stride, columns, begin, end,
                                     bias ? bias + f * bias_stride : nullptr, bias_stride, x, out + f * kBlock, rows);
    });
    begin = end;
  } while (begin < columns.count);
}

template <bool FUSES, class T>
SOFTWOOD_INLINE void scores_of(const T* weight, std::size_t forms, std::size_t stride, const Chosen& columns,
                               const T* bias, std::size_t bias_stride, const T* x, T* out, std::size_t rows) {
  if (columns.at)
    scores_over<true, FUSES>(weight, forms, stride, columns, bias, bias_stride, x, out, rows);
  else
    scores_over<false, FUSES>(weight, forms, stride, columns, bias, bias_stride, x, out, rows);
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define SOFTWOOD_SHUFFLES
#endif
#endif

// Sixteen bytes of a sum of rows, equal on all machines: a wider register adds its upper half to its lower.
template <class T>
using Folded = typename Vector<T, 16 / sizeof(T)>::Pack;

template <class T>
SOFTWOOD_INLINE Folded<T> fold(const typename Lanes<T>::Pack (&part)[kParts<T>]) {
  if constexpr (kParts<T> == 2) {
    return part[0] + part[1];
  } else {
    constexpr int kHalf = int(kSumLanes<T>) / 2;
    const auto& all = part[0];
#ifdef SOFTWOOD_SHUFFLES
    return [&]<int... I>(std::integer_sequence<int, I...>) SOFTWOOD_INLINE_LAMBDA -> Folded<T> {
      return __builtin_shufflevector(all, all, I...) + __builtin_shufflevector(all, all, (kHalf + I)...);
    }(std::make_integer_sequence<int, kHalf>{});
#else
    Folded<T> sum;
    for (int lane = 0; lane < kHalf; ++lane) sum[lane] = all[lane] + all[kHalf + lane];
    return sum;
#endif
  }
}

// Neighbours first. ARM adds them in one instruction.
SOFTWOOD_INLINE double sum_lanes(const Folded<double>& a) { return a[0] + a[1]; }
SOFTWOOD_INLINE float sum_lanes(const Folded<float>& a) { return (a[0] + a[1]) + (a[2] + a[3]); }

// Four sums side by side.
SOFTWOOD_INLINE Folded<float> sums_of_four(const Folded<float>& a, const Folded<float>& b, const Folded<float>& c,
                                           const Folded<float>& d) {
#if defined(__aarch64__)
  return vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d));
#elif defined(SOFTWOOD_SHUFFLES)
  const Folded<float> front = __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
  const Folded<float> back = __builtin_shufflevector(c, d, 0, 2, 4, 6) + __builtin_shufflevector(c, d, 1, 3, 5, 7);
  return __builtin_shufflevector(front, back, 0, 2, 4, 6) + __builtin_shufflevector(front, back, 1, 3, 5, 7);
#else
  return Folded<float>{sum_lanes(a), sum_lanes(b), sum_lanes(c), sum_lanes(d)};
#endif
}

// total[i] = sum of the lanes of folded[i], for N of them.
template <class T, int N>
SOFTWOOD_INLINE void sum_each(const Folded<T> (&folded)[N], T (&total)[N]) {
  if constexpr (sizeof(T) == 4 && N % 4 == 0) {
    unrolled<N / 4>([&](auto i) SOFTWOOD_INLINE_LAMBDA {
      const Folded<T> all = sums_of_four(folded[4 * i], folded[4 * i + 1], folded[4 * i + 2], folded[4 * i + 3]);
      unrolled<4>([&](auto lane) SOFTWOOD_INLINE_LAMBDA { total[4 * i + lane] = all[int(lane)]; });
    });
#if defined(__aarch64__)
  } else if constexpr (sizeof(T) == 8 && N % 2 == 0) {
    unrolled<N / 2>([&](auto i) SOFTWOOD_INLINE_LAMBDA {
      const Folded<T> both = vpaddq_f64(folded[2 * i], folded[2 * i + 1]);
      total[2 * i] = both[0], total[2 * i + 1] = both[1];
    });
#endif
  } else {
    unrolled<N>([&](auto i) SOFTWOOD_INLINE_LAMBDA { total[i] = sum_lanes(folded[i]); });
  }
}

// Of the columns at COLUMNS places from `place` on.
template <int FORMS, int COLUMNS, bool SOME, bool FUSES, class T>
SOFTWOOD_INLINE void dot_tile(const T* coefficient, const T* x, const Chosen& columns, std::size_t place, double* sum,
                              std::size_t stride) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kWidth = Lanes<T>::kWidth;
  constexpr int kTurns = dot_turns(FORMS, COLUMNS), kPacks = kTurns * kParts<T>;
  Pack total[FORMS][COLUMNS][kPacks] = {};
  for (std::size_t row = 0; row < kBlock; row += kPacks * kWidth)
    unrolled<kPacks>([&](auto pack) SOFTWOOD_INLINE_LAMBDA {
      Pack a[FORMS];
      unrolled<FORMS>([&](auto f)
                          SOFTWOOD_INLINE_LAMBDA { a[f] = load(coefficient + f * kBlock + row + pack * kWidth); });
      unrolled<COLUMNS>([&](auto c) SOFTWOOD_INLINE_LAMBDA {
        const Pack b = load(x + column_at<SOME>(columns, place + c) * kBlock + row + pack * kWidth);
        unrolled<FORMS>([&](auto f) SOFTWOOD_INLINE_LAMBDA {
          total[f][c][pack] = product_and_sum<FUSES>(a[f], b, total[f][c][pack]);
        });
      });
    });
  Folded<T> folded[FORMS * COLUMNS];
  unrolled<FORMS * COLUMNS>([&](auto i) SOFTWOOD_INLINE_LAMBDA {
    Pack(&own)[kPacks] = total[i / COLUMNS][i % COLUMNS];
    Pack all[kParts<T>];
    unrolled<kParts<T>>([&](auto part) SOFTWOOD_INLINE_LAMBDA {
      all[part] = own[part];
      unrolled<kTurns - 1>([&](auto turn) SOFTWOOD_INLINE_LAMBDA { all[part] += own[(turn + 1) * kParts<T> + part]; });
    });
    folded[i] = fold<T>(all);
  });
  T each[FORMS * COLUMNS];
  sum_each(folded, each);
  unrolled<FORMS * COLUMNS>([&](auto i) SOFTWOOD_INLINE_LAMBDA {
    sum[i / COLUMNS * stride + column_at<SOME>(columns, place + i % COLUMNS)] += static_cast<double>(each[i]);
  });
}

template <bool SOME, bool FUSES, class T>
SOFTWOOD_INLINE void dots_over(const T* coefficient, std::size_t forms, const T* x, const Chosen& columns, double* sum,
                               std::size_t stride) {
  in_tiles<kColumns>(columns.count, [&]<int COLUMNS>(std::size_t place) SOFTWOOD_INLINE_LAMBDA {
    in_tiles<kForms>(forms, [&]<int FORMS>(std::size_t f) SOFTWOOD_INLINE_LAMBDA {
      constexpr int kAtOnce = std::min(COLUMNS, 8 / FORMS);  // more than eight sums would not fit in registers
      for (int c = 0; c < COLUMNS; c += kAtOnce)
        dot_tile<FORMS, kAtOnce, SOME, FUSES>(coefficient + f * kBlock, x, columns, place + c, sum + f * stride,
                                              stride);
    });
  });
}

template <bool FUSES, class T>
SOFTWOOD_INLINE void dots_of(const T* coefficient, std::size_t forms, const T* x, const Chosen& columns, double* sum,
                             std::size_t stride) {
  if (columns.at)
    dots_over<true, FUSES>(coefficient, forms, x, columns, sum, stride);
  else
    dots_over<false, FUSES>(coefficient, forms, x, columns, sum, stride);
}

template <class T>
SOFTWOOD_INLINE void sums_of(const T* coefficient, std::size_t forms, double* sum, std::size_t stride) {
  using Pack = typename Lanes<T>::Pack;
  constexpr std::size_t kWidth = Lanes<T>::kWidth;
  constexpr int kPacks = kSumTurns * kParts<T>;
  for (std::size_t f = 0; f < forms; ++f) {
    Pack total[kPacks] = {};
    for (std::size_t row = 0; row < kBlock; row += kPacks * kWidth)
      unrolled<kPacks>([&](auto pack) SOFTWOOD_INLINE_LAMBDA {
        total[pack] += load(coefficient + f * kBlock + row + pack * kWidth);
      });
    Pack all[kParts<T>];
    unrolled<kParts<T>>([&](auto part) SOFTWOOD_INLINE_LAMBDA {
      all[part] = total[part];
      unrolled<kSumTurns - 1>([&](auto turn)
                                  SOFTWOOD_INLINE_LAMBDA { all[part] += total[(turn + 1) * kParts<T> + part]; });
    });
    sum[f * stride] += static_cast<double>(sum_lanes(fold<T>(all)));
  }
}

template <bool FUSES, class T>
SOFTWOOD_INLINE void run(const ScoreWork<T>& work) {
  scores_of<FUSES>(work.weight, work.forms, work.stride, work.columns, work.bias, work.bias_stride, work.x, work.out,
                   work.rows);
}
template <bool FUSES, class T>
SOFTWOOD_INLINE void run(const DotWork<T>& work) {
  dots_of<FUSES>(work.coefficient, work.forms, work.x, work.columns, work.sum, work.stride);
}
template <bool FUSES, class T>
SOFTWOOD_INLINE void run(const SumWork<T>& work) {
  sums_of(work.coefficient, work.forms, work.sum, work.stride);
}

#if SOFTWOOD_HAS_CLONES
template <class Work>
SOFTWOOD_AVX512 void run_avx512(const Work& work) {
  run<true>(work);
}
template <class Work>
SOFTWOOD_AVX2 void run_avx2(const Work& work) {
  run<true>(work);
}
#endif

#if defined(__x86_64__) && !defined(__FMA__)
constexpr bool kBaseFuses = false;
#else
constexpr bool kBaseFuses = true;
#endif

template <class Work>
void run_on_path(const Work& work) {
  if (simd_path() == SimdPath::plain) return run_plain(work);
#if SOFTWOOD_HAS_CLONES
  if (simd_path() == SimdPath::avx512) return run_avx512(work);
  if (simd_path() == SimdPath::avx2) return run_avx2(work);
#endif
  run<kBaseFuses>(work);
}

}  // namespace

void form_scores(const double* weight, std::size_t forms, std::size_t stride, const Chosen& columns, const double* bias,
                 std::size_t bias_stride, const double* x, double* out, std::size_t rows) {
  run_on_path(ScoreWork<double>{weight, forms, stride, columns, bias, bias_stride, x, out, rows});
}
void form_scores(const float* weight, std::size_t forms, std::size_t stride, const Chosen& columns, const float* bias,
                 std::size_t bias_stride, const float* x, float* out, std::size_t rows) {
  run_on_path(ScoreWork<float>{weight, forms, stride, columns, bias, bias_stride, x, out, rows});
}

void form_dots(const double* coefficient, std::size_t forms, const double* x, const Chosen& columns, double* sum,
               std::size_t stride) {
  run_on_path(DotWork<double>{coefficient, forms, x, columns, sum, stride});
}
void form_dots(const float* coefficient, std::size_t forms, const float* x, const Chosen& columns, double* sum,
               std::size_t stride) {
  run_on_path(DotWork<float>{coefficient, forms, x, columns, sum, stride});
}

void form_sums(const double* coefficient, std::size_t forms, double* sum, std::size_t stride) {
  run_on_path(SumWork<double>{coefficient, forms, sum, stride});
}
void form_sums(const float* coefficient, std::size_t forms, double* sum, std::size_t stride) {
  run_on_path(SumWork<float>{coefficient, forms, sum, stride});
}

bool products_are_fused() { return simd_path() != SimdPath::sse2 || kBaseFuses; }

}  // namespace softwood::simd
