// Prints hashes of what the kernels compute on one path: products of blocks, exponentials, sigmoids, the gradient of a
// soft tree and a refinement by L-BFGS. The same program compiled for another machine must print the same lines
// (tests/x86_bits.sh).    bits neon
#include <bit>
#include <cstdint>
#include <cstdio>
#include <random>

#include "core/simd_path.hpp"
#include "simd/block_loops.hpp"
#include "simd/block_product.hpp"
#include "soft/soft_rows.hpp"

using namespace softwood;
using namespace softwood::soft;

namespace {

std::mt19937_64 generator;

// No distribution of the library: those may differ.
double number() { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1; }

template <class T>
std::vector<T> numbers(std::size_t n, double scale = 1) {
  std::vector<T> made(n);
  for (T& value : made) value = static_cast<T>(scale * number());
  return made;
}

template <class T>
void tell(const char* what, const std::vector<T>& values) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const T value : values) {
    std::uint64_t bits = 0;
    if constexpr (sizeof(T) == 8)
      bits = std::bit_cast<std::uint64_t>(value);
    else
      bits = std::bit_cast<std::uint32_t>(value);
    hash = (hash ^ bits) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  std::printf("%s %d bytes: %016llx\n", what, int(sizeof(T)), static_cast<unsigned long long>(hash));
}

template <class T>
void products() {
  for (const std::size_t forms : {1, 2, 3, 4, 7, 17})
    for (const std::size_t columns : {1, 2, 3, 5, 10, 130}) {
      const auto weight = numbers<T>(forms * columns), bias = numbers<T>(forms), x = numbers<T>(columns * kBlock);
      const auto coefficient = numbers<T>(forms * kBlock);
      std::vector<T> out(forms * kBlock);
      std::vector<double> sum(forms * columns), plain(forms);
      form_scores(weight.data(), forms, columns, columns, bias.data(), 1, x.data(), out.data());
      form_dots(coefficient.data(), forms, x.data(), columns, sum.data(), columns);
      form_sums(coefficient.data(), forms, plain.data(), 1);
      tell("scores", out), tell("dots", sum), tell("sums", plain);
    }
}

void functions() {
  auto value = numbers<double>(640, 800);
  exp_lanes(value.data(), value.size());
  tell("exp", value);
  value = numbers<double>(LANES, 40);
  sigmoid_lanes(value.data(), LANES);
  tell("sigmoid", value);
}

// Rows of a table with a steep gate, so that shares get too small to be normal.
template <class T>
SoftRows<T> table(std::size_t blocks, std::size_t columns, std::size_t outputs, LossKind loss) {
  SoftRows<T> rows;
  rows.rows = blocks * kBlock, rows.columns = columns, rows.outputs = outputs, rows.blocks = blocks, rows.loss = loss;
  rows.loss_parameter = loss == LossKind::quantile ? T(0.3) : T(1.5);
  rows.phi = std::make_shared<std::vector<T>>(numbers<T>(blocks * columns * kBlock));
  auto target = numbers<T>(blocks * outputs * kBlock);
  if (loss != LossKind::squared)
    for (T& y : target) y = y > 0 ? T(1) : T(0);
  rows.target = std::make_shared<std::vector<T>>(std::move(target));
  rows.weight = std::make_shared<std::vector<T>>(blocks * kBlock, T(1) / static_cast<T>(blocks * kBlock));
  return rows;
}

template <class T>
void learning(LossKind loss, std::size_t gates, std::size_t columns, std::size_t outputs, double steepness) {
  const SoftRows<T> rows = table<T>(20, columns, outputs, loss);
  Shape shape;
  shape.first_child.assign(2 * gates + 1, -1);
  for (std::size_t gate = 0; gate < gates; ++gate) shape.first_child[gate] = static_cast<std::int32_t>(2 * gate + 1);
  shape.columns = columns, shape.outputs = outputs, shape.slopes = gates + 1;
  for (std::size_t leaf = 0; leaf <= gates; ++leaf) shape.slope_row.push_back(static_cast<std::int32_t>(leaf));
  shape.number();
  auto parameters = numbers<double>(shape.parameters(), steepness);
  std::vector<double> gradient(shape.parameters());
  const double value = loss_and_gradient(rows, shape, parameters.data(), gradient.data(), 1);
  gradient.push_back(value);
  tell("gradient", gradient);
  const std::vector<double> strength(shape.parameters(), 1e-4), zero(shape.parameters());
  refine(rows, shape, parameters.data(), {strength.data(), zero.data(), zero.data()}, {25, 1e-9, 10}, 1);
  tell("refined", parameters);
}

template <class T>
void all_losses() {
  learning<T>(LossKind::squared, 3, 7, 1, 0.5);
  learning<T>(LossKind::squared, 5, 10, 2, 60);
  learning<T>(LossKind::logistic, 4, 6, 1, 0.5);
  learning<T>(LossKind::softmax, 6, 9, 3, 0.5);
  learning<T>(LossKind::huber, 2, 5, 1, 0.2);
  learning<T>(LossKind::quantile, 2, 5, 1, 0.2);
  learning<T>(LossKind::tweedie, 2, 5, 1, 0.2);
}

}  // namespace

int main(int count, char** argument) {
  if (count != 2 || !use_simd_path(argument[1])) {
    for (const std::string_view name : simd_paths()) std::printf("%s\n", name.data());
    return count == 2;
  }
  products<double>(), products<float>();
  functions();
  all_losses<double>(), all_losses<float>();
}
