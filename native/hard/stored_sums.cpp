#include "hard/stored_sums.hpp"

#include <bit>

namespace softwood::hard {

void sort_by_group(std::vector<RowGroup>& items, std::size_t groups) {
  constexpr int DIGIT = 11;                                     // bits per pass
  constexpr std::size_t DIGITS = 1u << DIGIT, RADIX_MIN = 512;  // below this, comparing is faster than counting
  if (items.size() < RADIX_MIN) {
    std::stable_sort(items.begin(), items.end(),
                     [](const RowGroup& a, const RowGroup& b) { return a.group < b.group; });
    return;
  }
  std::vector<RowGroup> spare(items.size());
  for (int shift = 0; shift < std::bit_width(groups); shift += DIGIT) {
    std::array<std::size_t, DIGITS> place{};
    for (const RowGroup& item : items) ++place[(item.group >> shift) & (DIGITS - 1)];
    std::size_t sum = 0;
    for (std::size_t& n : place) sum += std::exchange(n, sum);
    for (const RowGroup& item : items) spare[place[(item.group >> shift) & (DIGITS - 1)]++] = item;
    items.swap(spare);
  }
}

}  // namespace softwood::hard
