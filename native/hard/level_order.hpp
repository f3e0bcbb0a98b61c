// Numbers the nodes of a grown tree level by level.
#pragma once

#include "hard/grower.hpp"

namespace softwood::hard {

// A stack grows one branch to its end before the next; the ids of the tree go level by level.
void order_by_level(GrownTree& tree);

}  // namespace softwood::hard
