// The order of sums of products over the rows of a block, on every machine:
//
//   a sum has `turns` sets of kSumLanes lanes; row i goes to lane i mod (turns * kSumLanes),
//   the sets are added up in turn, the upper half of the lanes is added to the lower until they fill 16 bytes,
//   and of what is left neighbours are added to each other.
#pragma once

#include <cstddef>

#include "simd/vector.hpp"

namespace softwood::simd {

template <class T>
constexpr std::size_t kSumLanes = 32 / sizeof(T);

template <class T>
constexpr int kParts = int(kSumLanes<T> / Lanes<T>::kWidth);  // registers of a set
static_assert(kParts<float> >= 1 && kParts<float> <= 2);

constexpr int kForms = 4, kColumns = 4;  // of a tile; fewer at the end: 2, 1

// Sets of lanes of each sum of a tile: tiles with few sums need more, to hide the latency of products.
constexpr int dot_turns(int forms, int columns) { return forms * columns >= 8 ? 1 : forms * columns >= 4 ? 2 : 4; }

constexpr int kSumTurns = 4;  // of a plain sum

}  // namespace softwood::simd
