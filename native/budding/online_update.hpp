// A budding tree while it grows: native twin of kernels/reference/budding.py, which has the formulas. The arrays belong
// to Python (described in kernels/contracts/online_state.py) and are changed in place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kinds.hpp"

namespace softwood::budding {

constexpr std::size_t kLanes = 4;  // gates and parts of a state's numbers are padded to whole lanes

constexpr std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

enum class Rule : int { kAdagrad = 0, kSgd = 1, kAdam = 2 };

struct OnlineOptions {
  LossKind loss;
  double parameter;  // of the loss
  double leafness_penalty, weight_penalty;
  Rule rule;
  double step;
  std::int64_t batch;
};

// Nodes fill the first places, parents before children. Numbers stand by what they are: gates (room, width), responses
// (room, outputs, block), leafness (room); `memory`, `speed`, `pending` and slopes alike.
template <class T>
struct OnlineState {
  std::int32_t* first_child;
  T *number, *memory, *speed, *pending;
  std::int64_t* age;
  std::int64_t *nodes, *waiting, *draws;
  std::uint64_t seed;
  std::size_t room, width, outputs, started;
  bool linear;

  std::size_t count() const { return static_cast<std::size_t>(*nodes); }
  std::size_t block() const { return linear ? width : 1; }
  std::size_t answer() const { return outputs * block(); }  // parameters of a node's response
  std::size_t responses() const { return room * width; }    // where they begin
  std::size_t leafnesses() const { return responses() + padded(room * answer()); }
  std::size_t size() const { return leafnesses() + padded(room); }
  T* gate(std::size_t node) const { return number + node * width; }
  T* response(std::size_t node) const { return number + responses() + node * answer(); }
  T& leafness(std::size_t node) const { return number[leafnesses() + node]; }
};

// Rows padded as gates are: 1, columns, zeros.
template <class T>
struct BudRows {
  const T *x, *target, *weight;
  std::size_t rows;
};

// Learn from the rows in the given order; the sum of their losses, each before its update.
double train(OnlineState<float>& state, const BudRows<float>& rows, const std::int64_t* order, std::size_t steps,
             const OnlineOptions& options);
double train(OnlineState<double>& state, const BudRows<double>& rows, const std::int64_t* order, std::size_t steps,
             const OnlineOptions& options);

// Outputs of the root, (rows, outputs).
void answers(const OnlineState<float>& state, const float* x, std::size_t rows, double* output, int n_threads);
void answers(const OnlineState<double>& state, const double* x, std::size_t rows, double* output, int n_threads);

// Nodes whose leafness is back at 1 lose all nodes below them; the rest is compacted, in the same order.
template <class T>
void remove(OnlineState<T>& state);

// Leaves whose leafness fell below 1 get a gate and two leaves, in node order, while there is room.
template <class T>
void bud(OnlineState<T>& state);

}  // namespace softwood::budding
