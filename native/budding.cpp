#include "budding.hpp"

#include "budding_row.hpp"
#include "parallel.hpp"

namespace softwood::budding {
namespace {

constexpr double kStart = 0.01;  // new numbers lie within so much of 0
constexpr double kTiny = 1e-12;  // added to squares: no division by 0
constexpr double kFade = 0.9, kFadeSquares = 0.999, kAdamTiny = 1e-8;
constexpr std::size_t kPiece = 1024;  // rows answered by one thread at a time

// 1 / sqrt(a) from a first guess by the bits of a, improved by Newton: no division, no root, runs on vectors of any
// machine. Two steps leave 5e-6 of a step's length, four of a double nothing.
template <class T>
SOFTWOOD_INLINE typename Lane<T>::Four inverse_root(typename Lane<T>::Four a) {
  using Bits = typename Lane<T>::Bits;
  using Four = typename Lane<T>::Four;
  constexpr auto guess = static_cast<typename Lane<T>::Word>(sizeof(T) == 4 ? 0x5f375a86ull : 0x5fe6eb50c7b537a9ull);
  Four y = reinterpret_cast<Four>(guess - (reinterpret_cast<Bits>(a) >> 1));
  const Four half = T(0.5) * a;
  for (int i = 0; i < (sizeof(T) == 4 ? 2 : 4); ++i) y = y * (T(1.5) - half * y * y);
  return y;
}

// How the numbers of a node move; each rule over n numbers.
template <class T>
SOFTWOOD_INLINE void adagrad(T* __restrict number, T* __restrict memory, const T* __restrict slope, std::size_t n,
                             T step) {
  for (std::size_t i = 0; i < n; i += kLanes) {
    const auto g = four(slope + i);
    auto& squares = four(memory + i);
    squares += g * g;
    four(number + i) -= step * g * inverse_root<T>(squares + static_cast<T>(kTiny));
  }
}

template <class T>
SOFTWOOD_INLINE void descend(T* __restrict number, const T* __restrict slope, std::size_t n, T step) {
  for (std::size_t i = 0; i < n; ++i) number[i] -= step * slope[i];
}

template <class T>
SOFTWOOD_INLINE void adam(T* number, T* memory, T* speed, const T* slope, std::size_t n, T step, std::int64_t age) {
  const T warm = static_cast<T>(1 / (1 - std::pow(kFade, double(age))));
  const T warm_squares = static_cast<T>(1 / (1 - std::pow(kFadeSquares, double(age))));
  for (std::size_t i = 0; i < n; ++i) {
    speed[i] += static_cast<T>(1 - kFade) * (slope[i] - speed[i]);
    memory[i] += static_cast<T>(1 - kFadeSquares) * (slope[i] * slope[i] - memory[i]);
    number[i] -= step * (speed[i] * warm) / (std::sqrt(memory[i] * warm_squares) + static_cast<T>(kAdamTiny));
  }
}

// One update of all nodes; whether a leaf wants to bud or a node to lose its children.
template <class T>
SOFTWOOD_INLINE bool move(Plant<T>& plant, const T* slope, const Tending& tending) {
  bool changes = false;
  const T step = static_cast<T>(tending.step);
  for (std::size_t m = 0; m < plant.count(); ++m) {
    const bool leaf = plant.first_child[m] < 0;
    const std::size_t from = leaf ? plant.width : 0, at = m * plant.size + from, n = plant.size - from;
    const std::int64_t age = ++plant.age[m];
    if (tending.rule == Rule::kAdagrad)
      adagrad(plant.number + at, plant.memory + at, slope + at, n, step);
    else if (tending.rule == Rule::kSgd)
      descend(plant.number + at, slope + at, n, step);
    else
      adam(plant.number + at, plant.memory + at, plant.speed + at, slope + at, n, step, age);
    T& leafness = plant.leafness(m);
    leafness = leafness < 0 ? T(0) : (leafness > 1 ? T(1) : leafness);
    changes |= leaf ? leafness < 1 : leafness == 1;
  }
  return changes;
}

template <class T>
double draw(Plant<T>& plant) {
  std::uint64_t z = plant.seed + 0x9E3779B97F4A7C15ull * static_cast<std::uint64_t>(++*plant.draws);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

// f(rows) for each array with a row a node.
template <class T, class F>
void each_array(Plant<T>& plant, F&& f) {
  f(plant.number), f(plant.memory);
  if (plant.speed) f(plant.speed);
}

// Nodes whose leafness is back at 1 lose what is below them; the rest moves together, in the same order.
template <class T>
void remove(Plant<T>& plant) {
  const std::size_t n = plant.count();
  std::vector<std::int32_t> place(n, 0);  // -1: gone
  std::size_t kept = 0;
  for (std::size_t m = 0; m < n; ++m) {
    const std::int32_t first = plant.first_child[m];
    if (first < 0 || (place[m] == 0 && plant.leafness(m) < 1)) continue;
    place[first] = place[first + 1] = -1;
    plant.first_child[m] = -1;
    each_array(plant, [&](T* rows) { std::fill_n(rows + m * plant.size, plant.width, T(0)); });
  }
  for (auto& p : place) p = p < 0 ? -1 : static_cast<std::int32_t>(kept++);
  if (kept == n) return;
  for (std::size_t m = 0; m < n; ++m) {
    if (place[m] < 0) continue;
    const auto to = static_cast<std::size_t>(place[m]);
    const std::int32_t first = plant.first_child[m];
    plant.first_child[to] = first < 0 ? -1 : place[first];
    plant.age[to] = plant.age[m];
    if (to != m)
      each_array(plant, [&](T* rows) { std::copy_n(rows + m * plant.size, plant.size, rows + to * plant.size); });
  }
  *plant.nodes = static_cast<std::int64_t>(kept);
}

// Leaves whose leafness fell below 1 get a gate and two leaves, in the order of nodes, while there is room.
template <class T>
void bud(Plant<T>& plant) {
  const std::size_t before = plant.count();
  for (std::size_t m = 0; m < before; ++m) {
    if (plant.first_child[m] >= 0 || plant.leafness(m) == 1) continue;
    const std::size_t n = plant.count();
    if (n + 2 > plant.room) {
      plant.leafness(m) = 1;
      continue;
    }
    plant.first_child[m] = static_cast<std::int32_t>(n);
    each_array(plant, [&](T* rows) { std::fill_n(rows + n * plant.size, 2 * plant.size, T(0)); });
    for (std::size_t i = 0; i <= plant.started; ++i) plant.row(m)[i] = static_cast<T>(kStart * draw(plant));
    for (std::size_t child = n; child < n + 2; ++child) {
      plant.first_child[child] = -1, plant.age[child] = 0, plant.leafness(child) = 1;
      for (std::size_t q = 0; q < plant.outputs; ++q)
        plant.row(child)[plant.width + q * plant.response_width()] = static_cast<T>(kStart * draw(plant));
    }
    *plant.nodes += 2;
  }
}

template <class T>
SOFTWOOD_INLINE double train_rows(Plant<T>& plant, const BudRows<T>& rows, const std::int64_t* order, std::size_t steps,
                                  const Tending& tending) {
  Trace<T> trace(plant.room, plant.outputs);
  std::vector<T> one(tending.batch == 1 ? plant.room * plant.size : 0);
  T* slope = tending.batch == 1 ? one.data() : plant.pending;
  double total = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const auto row = static_cast<std::size_t>(order[i]);
    const T *x = rows.x + row * plant.width, *target = rows.target + row * plant.outputs, weight = rows.weight[row];
    if (weight == 0) continue;
    if (tending.batch == 1) {
      total += row_gradient<false>(plant, x, target, weight, tending, trace, slope);
    } else {
      total += row_gradient<true>(plant, x, target, weight, tending, trace, slope);
      if (++*plant.waiting < tending.batch) continue;
      const T part = T(1) / static_cast<T>(tending.batch);
      for (std::size_t j = 0; j < plant.count() * plant.size; ++j) slope[j] *= part;
    }
    const bool changes = move(plant, slope, tending);
    if (tending.batch > 1) {
      std::fill_n(slope, plant.count() * plant.size, T(0));
      *plant.waiting = 0;
    }
    if (changes) remove(plant), bud(plant);
  }
  return total;
}

SOFTWOOD_CLONES double train_clone(Plant<float>& plant, const BudRows<float>& rows, const std::int64_t* order,
                                   std::size_t steps, const Tending& tending) {
  return train_rows(plant, rows, order, steps, tending);
}

SOFTWOOD_CLONES double train_clone(Plant<double>& plant, const BudRows<double>& rows, const std::int64_t* order,
                                   std::size_t steps, const Tending& tending) {
  return train_rows(plant, rows, order, steps, tending);
}

}  // namespace

template <class T>
double train(Plant<T>& plant, const BudRows<T>& rows, const std::int64_t* order, std::size_t steps,
             const Tending& tending) {
  return train_clone(plant, rows, order, steps, tending);
}

template <class T>
void answers(const Plant<T>& plant, const T* x, std::size_t rows, double* output, int n_threads) {
  for_each_piece((rows + kPiece - 1) / kPiece, n_threads, [&](std::size_t piece) {
    Trace<T> trace(plant.count(), plant.outputs);
    for (std::size_t row = piece * kPiece; row < std::min(rows, (piece + 1) * kPiece); ++row) {
      forward(plant, x + row * plant.width, trace);
      std::copy_n(trace.output.data(), plant.outputs, output + row * plant.outputs);
    }
  });
}

template double train(Plant<float>&, const BudRows<float>&, const std::int64_t*, std::size_t, const Tending&);
template double train(Plant<double>&, const BudRows<double>&, const std::int64_t*, std::size_t, const Tending&);
template void answers(const Plant<float>&, const float*, std::size_t, double*, int);
template void answers(const Plant<double>&, const double*, std::size_t, double*, int);

}  // namespace softwood::budding
