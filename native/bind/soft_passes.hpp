// Passes over the rows of a soft tree, for Python: the same for dense and for sparse rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bind/module.hpp"
#include "soft/soft_rows.hpp"
#include "soft/stored_rows.hpp"

namespace softwood {

// Sparse rows as views of Python's arrays.
struct HeldRows {
  Flat<std::int32_t> begin, column;
  Flat<double> value, shift;
  soft::StoredRows rows;
};

template <class T>
const soft::SoftRows<T>& rows_of(const soft::SoftRows<T>& rows) {
  return rows;
}
inline const soft::StoredRows& rows_of(const HeldRows& held) { return held.rows; }

template <class T>
const soft::SoftRows<T>& targets_of(const soft::SoftRows<T>& rows) {
  return rows;
}
inline const soft::SoftRows<double>& targets_of(const HeldRows& held) { return held.rows.known; }

// A table in blocks of rows; within a block, column by column.
template <class T>
std::vector<T> in_blocks(const Flat2<double>& table) {
  const std::size_t rows = table.shape(0), columns = table.shape(1), n = soft::kBlock;
  std::vector<T> out((rows + n - 1) / n * columns * n, T(0));
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns; ++c)
      out[(row / n * columns + c) * n + row % n] = static_cast<T>(table.data()[row * columns + c]);
  return out;
}

inline LossKind as_loss(int loss, LossKind last, std::size_t outputs) {
  const int most = static_cast<int>(last);
  if (loss < 0 || loss > most) refuse("loss must be 0 to " + std::to_string(most) + ".");
  const auto kind = static_cast<LossKind>(loss);
  require((kind != LossKind::logistic && kind != LossKind::probability) || outputs == 1,
          "logistic loss and that of one probability have one output.");
  return kind;
}

template <class Held>
void check(const Held& held, const soft::Shape& shape, const Flat<double>& parameters) {
  require(shape.columns == rows_of(held).columns && shape.outputs == targets_of(held).outputs,
          "the tree and the rows must have the same columns and outputs.");
  if constexpr (std::is_same_v<Held, HeldRows>) require(shape.own_columns.empty(), "sparse rows have no mixed slopes.");
  require(parameters.size() == shape.parameters(), "wrong number of parameters.");
  require(!mixes_answers(targets_of(held).loss) || shape.parameters() == shape.slope_begin(),
          "leaves that mix answers are constant: they have no slopes.");
}

template <class Held>
double mean_loss(const Held& held, const soft::Shape& shape, const Flat<double>& parameters, int n_threads) {
  check(held, shape, parameters);
  return without_gil([&] { return loss_and_gradient(rows_of(held), shape, parameters.data(), nullptr, n_threads); });
}

template <class Held>
nb::object gradient(const Held& held, const soft::Shape& shape, const Flat<double>& parameters, int n_threads) {
  check(held, shape, parameters);
  std::vector<double> sum(shape.parameters());
  const double loss =
      without_gil([&] { return loss_and_gradient(rows_of(held), shape, parameters.data(), sum.data(), n_threads); });
  return nb::make_tuple(loss, array(std::move(sum)));
}

template <class Held>
nb::object answers(const Held& held, const soft::Shape& shape, const Flat<double>& parameters, int n_threads) {
  check(held, shape, parameters);
  const std::size_t n = targets_of(held).rows;
  std::vector<double> output(n * shape.outputs), reach(n * shape.nodes()), loss(n);
  without_gil([&] {
    evaluate_rows(rows_of(held), shape, parameters.data(), {output.data(), reach.data(), loss.data()}, n_threads);
  });
  return nb::make_tuple(array(std::move(output), {n, shape.outputs}), array(std::move(reach), {n, shape.nodes()}),
                        array(std::move(loss)));
}

template <class Held>
nb::object refined(const Held& held, const soft::Shape& shape, const Flat<double>& parameters,
                   const Flat<double>& strength, const Flat<double>& centre, const Flat<double>& log_penalty,
                   int max_iter, double tol, int n_threads) {
  for (const auto* row : {&parameters, &strength, &centre, &log_penalty}) check(held, shape, *row);
  auto at = numbers<double>(parameters);
  soft::Refinement how;
  how.max_iter = max_iter, how.tol = tol;
  const soft::Penalty terms{strength.data(), centre.data(), log_penalty.data()};
  const auto [value, passes] =
      without_gil([&] { return refine(rows_of(held), shape, at.data(), terms, how, n_threads); });
  return nb::make_tuple(value, array(std::move(at)), passes);
}

// The Python interface of all rows.
template <class Held>
void bind_passes(nb::class_<Held>& rows) {
  rows.def("loss", &mean_loss<Held>, "shape"_a, "parameters"_a.noconvert(), "n_threads"_a = 1)
      .def("gradient", &gradient<Held>, "shape"_a, "parameters"_a.noconvert(), "n_threads"_a = 1)
      .def("answers", &answers<Held>, "shape"_a, "parameters"_a.noconvert(), "n_threads"_a = 1)
      .def("refine", &refined<Held>, "shape"_a, "parameters"_a.noconvert(), "strength"_a.noconvert(),
           "centre"_a.noconvert(), "log_penalty"_a.noconvert(), "max_iter"_a, "tol"_a, "n_threads"_a = 1);
}

}  // namespace softwood
