#include "core/table_scan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/machine.hpp"

namespace softwood::table_scan {
namespace {

constexpr std::size_t BLOCK = 64;  // rows at a time: their hashes are independent, and their values stay in cache
constexpr std::uint64_t STEP = 0x9E3779B97F4A7C15, MIX_1 = 0xBF58476D1CE4E5B9, MIX_2 = 0x94D049BB133111EB;

// The bits of a number; -0 is 0, and all NaN are equal.
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

// The largest size of n values side by side; NaN has none.
SOFTWOOD_CLONED(double, largest_size, (const double* value, std::size_t n), (value, n)) {
  constexpr std::size_t LANES = 32;
  const auto raise = [](double& most, double x) { most = std::fabs(x) > most ? std::fabs(x) : most; };
  double most[LANES] = {};
  for (; n >= LANES; n -= LANES, value += LANES)
    for (std::size_t i = 0; i < LANES; ++i) raise(most[i], value[i]);
  for (std::size_t i = 0; i < n; ++i) raise(most[i], value[i]);
  return *std::max_element(most, most + LANES);
}

// n values of a column or a row, so far apart; `room` is for n values.
double largest_size(const double* value, std::size_t n, std::ptrdiff_t stride, double* room) {
  if (stride == 1) return largest_size(value, n);
  for (std::size_t i = 0; i < n; ++i) room[i] = value[static_cast<std::ptrdiff_t>(i) * stride];
  return largest_size(room, n);
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

bool any_infinite(const Table& table) {
  constexpr std::size_t CHUNK = 2048;  // values between two checks of the result
  double room[CHUNK];
  const bool by_column = std::abs(table.row_stride) < std::abs(table.column_stride);
  std::size_t lines = by_column ? table.columns : table.rows, length = by_column ? table.rows : table.columns;
  const std::ptrdiff_t between = by_column ? table.column_stride : table.row_stride;
  const std::ptrdiff_t within = by_column ? table.row_stride : table.column_stride;
  if (within == 1 && between == static_cast<std::ptrdiff_t>(length)) length *= std::exchange(lines, 1);  // without gaps
  for (std::size_t line = 0; line < lines; ++line) {
    const double* first = table.data + static_cast<std::ptrdiff_t>(line) * between;
    for (std::size_t begin = 0; begin < length; begin += CHUNK, first += static_cast<std::ptrdiff_t>(CHUNK) * within)
      if (std::isinf(largest_size(first, std::min(CHUNK, length - begin), within, room))) return true;
  }
  return false;
}

}  // namespace softwood::table_scan
