// Columns that a block of rows does not need, because they are 0 throughout, like most indicators of rare levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace softwood::simd {

// Columns to visit: the first `count`, or those in `at`.
struct Chosen {
  std::size_t count;
  const std::int32_t* at = nullptr;

  Chosen(std::size_t all) : count(all) {}  // NOLINT: a number of columns is all of them
  Chosen(std::size_t some, const std::int32_t* which) : count(some), at(which) {}
};

// The columns of each block that are not 0 throughout, block after block.
struct Occupied {
  std::vector<std::int32_t> column;
  std::vector<std::size_t> begin;

  Chosen in(std::size_t block) const { return {begin[block + 1] - begin[block], column.data() + begin[block]}; }
};

// For phi, [block][column][64]; null if too many are occupied for skipping to pay.
template <class T>
std::shared_ptr<const Occupied> find_occupied(const std::vector<T>& phi, std::size_t blocks, std::size_t columns);

}  // namespace softwood::simd
