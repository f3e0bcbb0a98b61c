// The child of each level at a gate on a category, only for the levels it knows. A category may have many more levels
// than a node has rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace softwood::hard {

struct LevelSlot {
  std::int32_t level, slot;
};

using LevelSlots = std::vector<LevelSlot>;  // levels rise

// Slot of a level, -1 if unknown.
inline std::int32_t slot_of(const LevelSlots& slots, std::int32_t level) {
  const auto at = std::lower_bound(slots.begin(), slots.end(), level,
                                   [](const LevelSlot& known, std::int32_t wanted) { return known.level < wanted; });
  return at != slots.end() && at->level == level ? at->slot : -1;
}

// Slots of all levels, -1 if unknown.
inline std::vector<std::int32_t> every_slot(const LevelSlots& slots, std::size_t n_levels) {
  std::vector<std::int32_t> every(n_levels, -1);
  for (const LevelSlot& known : slots) every[static_cast<std::size_t>(known.level)] = known.slot;
  return every;
}

}  // namespace softwood::hard
