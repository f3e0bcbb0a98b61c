// The 5x2 contest of a node of an omnivariate tree: kinds of gates are learned on one half of the rows and judged on
// the other. The definition is src/softwood/learners/oblique/contest.py.
#pragma once

#include <cstdint>
#include <vector>

#include "oblique.hpp"

namespace softwood::oblique {

// Of the columns of the problem the first `linear` are those of linear gates, all of them those of quadratic ones.
struct Entrants {
  std::size_t linear;
  bool lines, squares;  // which of the two compete; a question about one input does where the problem has inputs
};

// Mean loss on the rows not learned from; entrants x replications x 2: a leaf, then those that compete from the
// simplest on. `half` is replications x rows: which half each row is in.
std::vector<double> contest(const Problem& problem, const Entrants& entrants, const Manner& manner,
                            const std::uint8_t* half, std::size_t replications);

}  // namespace softwood::oblique
