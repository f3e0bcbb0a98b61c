#include "content.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace softwood::content {
namespace {

constexpr std::size_t BLOCK = 64;  // rows at a time: each waits for its own number only, and their values stay in cache
constexpr std::uint64_t STEP = 0x9E3779B97F4A7C15, MIX_1 = 0xBF58476D1CE4E5B9, MIX_2 = 0x94D049BB133111EB;

// The bits of a number; -0 is 0, and one NaN stands for all.
std::uint64_t bits(double value) {
  constexpr auto NOT_A_NUMBER = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
  const auto own = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 + 0 is 0
  return value != value ? NOT_A_NUMBER : own;
}

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * MIX_1;
  z = (z ^ (z >> 27)) * MIX_2;
  return z ^ (z >> 31);
}

}  // namespace

void hash_rows(const Table& table, std::uint64_t* number) {
  for (std::size_t begin = 0; begin < table.rows; begin += BLOCK) {
    const std::size_t end = std::min(begin + BLOCK, table.rows);
    for (std::size_t column = 0; column < table.columns; ++column) {
      const double* value = &table.at(begin, column);
      for (std::size_t row = begin; row < end; ++row, value += table.row_stride) {
        number[row] = mix((number[row] + STEP) ^ bits(*value));
      }
    }
  }
}

}  // namespace softwood::content
