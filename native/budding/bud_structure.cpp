// Adding and removing nodes of a state.
#include <algorithm>
#include <vector>

#include "budding/online_update.hpp"

namespace softwood::budding {
namespace {

constexpr double kStart = 0.01;  // largest absolute value of new parameters

// The next random number, uniform in [-1, 1): splitmix64 of the number of previous draws.
template <class T>
double draw(OnlineState<T>& state) {
  std::uint64_t z = state.seed + 0x9E3779B97F4A7C15ull * static_cast<std::uint64_t>(++*state.draws);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

// f(rows, numbers of a node) for each part of each array that has one for every node.
template <class T, class F>
void each_part(OnlineState<T>& state, F&& f) {
  for (T* array : {state.number, state.memory, state.speed}) {
    if (!array) continue;
    f(array, state.width), f(array + state.responses(), state.answer()), f(array + state.leafnesses(), std::size_t{1});
  }
}

}  // namespace

template <class T>
void remove(OnlineState<T>& state) {
  const std::size_t n = state.count();
  std::vector<std::int32_t> place(n, 0);  // -1: removed
  std::size_t kept = 0;
  for (std::size_t m = 0; m < n; ++m) {
    const std::int32_t first = state.first_child[m];
    if (first < 0 || (place[m] == 0 && state.leafness(m) < 1)) continue;
    place[first] = place[first + 1] = -1;
    state.first_child[m] = -1;
    for (T* array : {state.number, state.memory, state.speed})
      if (array) std::fill_n(array + m * state.width, state.width, T(0));
  }
  for (auto& p : place) p = p < 0 ? -1 : static_cast<std::int32_t>(kept++);
  if (kept == n) return;
  for (std::size_t m = 0; m < n; ++m) {
    if (place[m] < 0) continue;
    const auto to = static_cast<std::size_t>(place[m]);
    const std::int32_t first = state.first_child[m];
    state.first_child[to] = first < 0 ? -1 : place[first];
    state.age[to] = state.age[m];
    if (to != m)
      each_part(state, [&](T* rows, std::size_t size) { std::copy_n(rows + m * size, size, rows + to * size); });
  }
  *state.nodes = static_cast<std::int64_t>(kept);
}

template <class T>
void bud(OnlineState<T>& state) {
  const std::size_t before = state.count();
  for (std::size_t m = 0; m < before; ++m) {
    if (state.first_child[m] >= 0 || state.leafness(m) == 1) continue;
    const std::size_t n = state.count();
    if (n + 2 > state.room) {
      state.leafness(m) = 1;
      continue;
    }
    state.first_child[m] = static_cast<std::int32_t>(n);
    each_part(state, [&](T* rows, std::size_t size) { std::fill_n(rows + n * size, 2 * size, T(0)); });
    for (std::size_t i = 0; i <= state.started; ++i) state.gate(m)[i] = static_cast<T>(kStart * draw(state));
    for (std::size_t child = n; child < n + 2; ++child) {
      state.first_child[child] = -1, state.age[child] = 0, state.leafness(child) = 1;
      for (std::size_t q = 0; q < state.outputs; ++q)
        state.response(child)[q * state.block()] = static_cast<T>(kStart * draw(state));
    }
    *state.nodes += 2;
  }
}

template void remove(OnlineState<float>&);
template void remove(OnlineState<double>&);
template void bud(OnlineState<float>&);
template void bud(OnlineState<double>&);

}  // namespace softwood::budding
