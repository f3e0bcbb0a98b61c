// Losses of the kinds of gates of a node of an omnivariate tree, for the 5x2 cross-validated test between them: each is
// learned on one half of the rows and evaluated on the other. The definition is
// src/softwood/learners/oblique/gate_selection.py.
#pragma once

#include <cstdint>
#include <vector>

#include "oblique/grower.hpp"

namespace softwood::oblique {

// The first `linear` columns of the problem are for linear gates, all columns for quadratic ones.
struct GateKinds {
  std::size_t linear;
  bool lines, squares;  // which of the two compete; a test of one input competes if the problem has inputs
};

// Mean loss on the rows not learned from; gate_kinds x replications x 2: a leaf, then those that compete from the
// simplest on. `half` is replications x rows: which half each row is in.
std::vector<double> gate_selection(const Problem& problem, const GateKinds& gate_kinds, const SplitOptions& options,
                                   const std::uint8_t* half, std::size_t replications);

}  // namespace softwood::oblique
