// Budding and losing buds: where a plant's nodes come and go.
#include <algorithm>
#include <vector>

#include "budding.hpp"

namespace softwood::budding {
namespace {

constexpr double kStart = 0.01;  // new numbers lie within so much of 0

// The next random number, uniform in [-1, 1): splitmix64 of how many were drawn before.
template <class T>
double draw(Plant<T>& plant) {
  std::uint64_t z = plant.seed + 0x9E3779B97F4A7C15ull * static_cast<std::uint64_t>(++*plant.draws);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

// f(rows, numbers of a node) for each part of each array that has one for every node.
template <class T, class F>
void each_part(Plant<T>& plant, F&& f) {
  for (T* array : {plant.number, plant.memory, plant.speed}) {
    if (!array) continue;
    f(array, plant.width), f(array + plant.responses(), plant.answer()), f(array + plant.leafnesses(), std::size_t{1});
  }
}

}  // namespace

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
    for (T* array : {plant.number, plant.memory, plant.speed})
      if (array) std::fill_n(array + m * plant.width, plant.width, T(0));
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
      each_part(plant, [&](T* rows, std::size_t size) { std::copy_n(rows + m * size, size, rows + to * size); });
  }
  *plant.nodes = static_cast<std::int64_t>(kept);
}

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
    each_part(plant, [&](T* rows, std::size_t size) { std::fill_n(rows + n * size, 2 * size, T(0)); });
    for (std::size_t i = 0; i <= plant.started; ++i) plant.gate(m)[i] = static_cast<T>(kStart * draw(plant));
    for (std::size_t child = n; child < n + 2; ++child) {
      plant.first_child[child] = -1, plant.age[child] = 0, plant.leafness(child) = 1;
      for (std::size_t q = 0; q < plant.outputs; ++q)
        plant.response(child)[q * plant.block()] = static_cast<T>(kStart * draw(plant));
    }
    *plant.nodes += 2;
  }
}

template void remove(Plant<float>&);
template void remove(Plant<double>&);
template void bud(Plant<float>&);
template void bud(Plant<double>&);

}  // namespace softwood::budding
