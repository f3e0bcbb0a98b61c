// A budding tree while it grows: native twin of kernels/reference/budding.py, which has the formulas. The arrays belong
// to Python (kernels/plant.py says what they hold) and are changed in place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "soft.hpp"

namespace softwood::budding {

using soft::Loss;

constexpr std::size_t kLanes = 4;  // blocks of a node's numbers are padded to whole lanes

enum class Rule : int { kAdagrad = 0, kSgd = 1, kAdam = 2 };

struct Tending {
  Loss loss;
  double leafness_penalty, weight_penalty;
  Rule rule;
  double step;
  std::int64_t batch;
};

// Nodes fill the first places, parents before children. A node's row: gate (width), responses, leafness and padding.
template <class T>
struct Plant {
  std::int32_t* first_child;
  T *number, *memory, *speed, *pending;  // (room, size)
  std::int64_t* age;
  std::int64_t *nodes, *waiting, *draws;
  std::uint64_t seed;
  std::size_t room, size, width, outputs, started;
  bool linear;

  std::size_t count() const { return static_cast<std::size_t>(*nodes); }
  T* row(std::size_t node) const { return number + node * size; }
  T& leafness(std::size_t node) const { return number[node * size + size - kLanes]; }
  std::size_t response_width() const { return linear ? width : 1; }
};

// Rows padded as gates are: 1, columns, zeros.
template <class T>
struct BudRows {
  const T *x, *target, *weight;
  std::size_t rows;
};

// Learn from the rows in the given order; the sum of their losses, each taken before the row was learned from.
template <class T>
double train(Plant<T>& plant, const BudRows<T>& rows, const std::int64_t* order, std::size_t steps,
             const Tending& tending);

// Outputs of the root, (rows, outputs).
template <class T>
void answers(const Plant<T>& plant, const T* x, std::size_t rows, double* output, int n_threads);

}  // namespace softwood::budding
