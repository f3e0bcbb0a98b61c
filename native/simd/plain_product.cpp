#include "simd/plain_product.hpp"

#include <cmath>
#include <vector>

#include "simd/block.hpp"
#include "simd/dot_order.hpp"

namespace softwood::simd {
namespace {

std::size_t chosen(const Chosen& columns, std::size_t place) {
  return columns.at ? static_cast<std::size_t>(columns.at[place]) : place;
}

// Sets of lanes, set after set, in one number.
template <class T>
T add_up(std::vector<T> lane) {
  constexpr std::size_t kWidth = kSumLanes<T>, kNarrow = 16 / sizeof(T);
  for (std::size_t i = kWidth; i < lane.size(); ++i) lane[i % kWidth] += lane[i];
  for (std::size_t half = kWidth / 2; half >= kNarrow; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  for (std::size_t left = kNarrow; left > 1; left /= 2)
    for (std::size_t i = 0; i < left / 2; ++i) lane[i] = lane[2 * i] + lane[2 * i + 1];
  return lane[0];
}

// The number of remaining forms in the next tile.
std::size_t tile_of(std::size_t left, int most) {
  for (auto size = static_cast<std::size_t>(most); size > 1; size /= 2)
    if (left >= size) return size;
  return 1;
}

template <class T>
T dot(const T* a, const T* b, int turns) {
  std::vector<T> lane(static_cast<std::size_t>(turns) * kSumLanes<T>);
  for (std::size_t row = 0; row < kBlock; ++row)
    lane[row % lane.size()] = std::fma(a[row], b[row], lane[row % lane.size()]);
  return add_up(std::move(lane));
}

template <class T>
void scores(const ScoreWork<T>& work) {
  for (std::size_t form = 0; form < work.forms; ++form)
    for (std::size_t row = 0; row < work.rows; ++row) {
      T sum = work.bias ? work.bias[form * work.bias_stride] : T(0);
      for (std::size_t place = 0; place < work.columns.count; ++place) {
        const std::size_t c = chosen(work.columns, place);
        sum = std::fma(work.weight[form * work.stride + c], work.x[c * kBlock + row], sum);
      }
      work.out[form * kBlock + row] = sum;
    }
}

template <class T>
void dots(const DotWork<T>& work) {
  for (std::size_t place = 0, wide; place < work.columns.count; place += wide) {
    wide = tile_of(work.columns.count - place, kColumns);
    for (std::size_t first = 0, high; first < work.forms; first += high) {
      high = tile_of(work.forms - first, kForms);
      const int turns = dot_turns(static_cast<int>(high), static_cast<int>(wide));
      for (std::size_t form = first; form < first + high; ++form)
        for (std::size_t at = place; at < place + wide; ++at) {
          const std::size_t c = chosen(work.columns, at);
          work.sum[form * work.stride + c] +=
              static_cast<double>(dot(work.coefficient + form * kBlock, work.x + c * kBlock, turns));
        }
    }
  }
}

template <class T>
void sums(const SumWork<T>& work) {
  for (std::size_t form = 0; form < work.forms; ++form) {
    std::vector<T> lane(kSumTurns * kSumLanes<T>);
    for (std::size_t row = 0; row < kBlock; ++row) lane[row % lane.size()] += work.coefficient[form * kBlock + row];
    work.sum[form * work.stride] += static_cast<double>(add_up(std::move(lane)));
  }
}

}  // namespace

void run_plain(const ScoreWork<double>& work) { scores(work); }
void run_plain(const ScoreWork<float>& work) { scores(work); }
void run_plain(const DotWork<double>& work) { dots(work); }
void run_plain(const DotWork<float>& work) { dots(work); }
void run_plain(const SumWork<double>& work) { sums(work); }
void run_plain(const SumWork<float>& work) { sums(work); }

}  // namespace softwood::simd
