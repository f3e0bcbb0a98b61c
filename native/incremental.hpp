// One new split of a soft tree, learned row by row with all other nodes fixed.
#pragma once

#include <cstdint>
#include <vector>

#include "soft.hpp"

namespace softwood::soft {

// Rows as the leaf that is split sees them: offset is what the other leaves answer, reach the part that arrives.
struct SplitRows {
  const double *x, *target, *weight, *offset, *reach;
  std::size_t rows, columns, outputs;
  Loss loss;
};

struct Split {
  std::vector<double> gate, first, second;                    // weights and bias; responses of the children
  std::vector<double> gate_speed, first_speed, second_speed;  // momentum

  Split(std::vector<double> g, std::vector<double> a, std::vector<double> b)
      : gate(std::move(g)),
        first(std::move(a)),
        second(std::move(b)),
        gate_speed(gate.size()),
        first_speed(first.size()),
        second_speed(second.size()) {}
};

// One epoch over the rows in the given order.
void descend(const SplitRows& rows, const std::int64_t* order, double step, double momentum, double decay,
             Split& split);

}  // namespace softwood::soft
