// One split more: the best of the candidates, and everything refined; twin of learners/soft/growth/split_step.py, which
// explains why.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "soft/split_candidates.hpp"

namespace softwood::soft {

// What gates look at: all inputs, one, one without a penalty, or all or one without, whichever is better.
enum class Gates : int { kOpen = 0, kAxis = 1, kUnpenalized = 2, kEither = 3 };

// Slopes that make responses linear: none, one for all leaves, or one for each.
enum class Slopes : int { kNone = 0, kShared = 1, kOwn = 2 };

struct SplitStepOptions {
  CandidateOptions starting;
  Gates gates = Gates::kOpen;
  std::size_t most = 0;                            // inputs that a gate looks at; 0: as many as it likes
  double penalty = 0, decay = 0, log_penalty = 0;  // on weights; of that, the part on responses; of large weights
  double axis_factor = 1, tol = 0;
  int alone = 0, together = 0, joint = 0;  // iterations on the gate, on the tree of each candidate, on the best one
};

// A tree during learning: the engine's parameters, and for each gate, in order, its frozen weights and whether it is
// unpenalized. Responses and slopes are shrunk to their origin.
struct SoftTreeParams {
  Shape shape;
  Slopes slopes = Slopes::kNone;
  std::vector<double> parameters;
  std::vector<std::uint8_t> frozen, unpenalized;  // [gate][column, bias], [gate]
  std::vector<double> origin, origin_slope;
};

struct SplitStepResult {
  SoftTreeParams tree;
  std::size_t node = 0;  // the leaf that was split
  int passes = 0;        // over the rows, by the whole tree
};

// None where nothing can be split.
template <class T>
std::optional<SplitStepResult> split_step(const SoftRows<T>& rows, const SoftTreeParams& tree, const Binned& binned,
                                          const SplitFeatures& split_features, const SplitStepOptions& how,
                                          int n_threads);

}  // namespace softwood::soft
