// Sparse rows of soft trees for Python; the arrays of what is stored stay Python's own.
#include "soft/stored_rows.hpp"

#include <stdexcept>

#include "bind/module.hpp"

using namespace nanobind::literals;

namespace softwood {
namespace {

using Stored = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The rows with the arrays that they look at.
struct HeldRows {
  Places begin, column;
  Stored value, shift;
  soft::StoredRows rows;
};

std::vector<double> in_blocks(const Numbers& table) {
  const std::size_t rows = table.shape(0), columns = table.shape(1), n = soft::kBlock;
  std::vector<double> out((rows + n - 1) / n * columns * n, 0.0);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns; ++c)
      out[(row / n * columns + c) * n + row % n] = table.data()[row * columns + c];
  return out;
}

void check_places(const Places& begin, const Places& column, std::size_t columns) {
  const std::int32_t* at = begin.data();
  if (begin.size() < 1 || at[0] != 0 || static_cast<std::size_t>(at[begin.size() - 1]) != column.size())
    throw std::invalid_argument("rows must begin at 0 and end with what is stored");
  for (std::size_t row = 0; row + 1 < begin.size(); ++row) {
    if (at[row + 1] < at[row]) throw std::invalid_argument("rows must begin one after the other");
    for (std::int32_t i = at[row] + 1; i < at[row + 1]; ++i)
      if (column.data()[i] <= column.data()[i - 1]) throw std::invalid_argument("columns must rise within a row");
  }
  if (!are_codes(column.data(), column.size(), columns))
    throw std::invalid_argument("a column is stored that is not there");
}

// `weight` sums to 1; `arrival` and `offset` as in soft/soft_rows.hpp.
HeldRows hold_rows(Places begin, Places column, Stored value, Stored shift, const Numbers& target, const Stored& weight,
                   const Numbers& offset, const Numbers& arrival, int loss, double parameter) {
  const std::size_t n = target.shape(0), outputs = target.shape(1);
  if (begin.size() != n + 1 || column.size() != value.size() || weight.size() != n || offset.shape(0) != n ||
      offset.shape(1) != outputs || arrival.shape(0) != n || arrival.shape(1) != 1)
    throw std::invalid_argument("what is stored, target, weight, offset and arrival must have the same rows");
  check_places(begin, column, shift.size());
  if (loss < 0 || loss > static_cast<int>(LossKind::tweedie)) throw std::invalid_argument("loss must be 0 to 5");
  soft::SoftRows<double> known;
  known.rows = n, known.columns = 0, known.outputs = outputs, known.blocks = (n + soft::kBlock - 1) / soft::kBlock;
  known.loss = static_cast<LossKind>(loss), known.loss_parameter = parameter;
  if (known.loss == LossKind::logistic && outputs != 1) throw std::invalid_argument("logistic loss has one output");
  auto share = std::make_shared<std::vector<double>>(known.blocks * soft::kBlock, 0.0);
  std::copy_n(weight.data(), n, share->data());
  known.target = std::make_shared<const std::vector<double>>(in_blocks(target)), known.weight = std::move(share);
  known.offset = in_blocks(offset), known.arrival = in_blocks(arrival);
  const soft::StoredRows rows{begin.data(), column.data(), value.data(), shift.data(), shift.size(), std::move(known)};
  return {std::move(begin), std::move(column), std::move(value), std::move(shift), rows};
}

void check_sizes(const HeldRows& held, const soft::Shape& shape, const Stored& parameters) {
  if (shape.columns != held.rows.columns || shape.outputs != held.rows.known.outputs)
    throw std::invalid_argument("the tree and the rows must have the same columns and outputs");
  if (!shape.own_columns.empty()) throw std::invalid_argument("sparse rows have no mixed slopes");
  if (parameters.size() != shape.parameters()) throw std::invalid_argument("wrong number of parameters");
}

nb::object stored_gradient(const HeldRows& held, const soft::Shape& shape, const Stored& parameters, int n_threads) {
  check_sizes(held, shape, parameters);
  std::vector<double> sum(shape.parameters());
  double loss = 0;
  {
    const Unlocked release;
    loss = loss_and_gradient(held.rows, shape, parameters.data(), sum.data(), n_threads);
  }
  return nb::make_tuple(loss, array(sum));
}

double stored_loss(const HeldRows& held, const soft::Shape& shape, const Stored& parameters, int n_threads) {
  check_sizes(held, shape, parameters);
  const Unlocked release;
  return loss_and_gradient(held.rows, shape, parameters.data(), nullptr, n_threads);
}

nb::object stored_answers(const HeldRows& held, const soft::Shape& shape, const Stored& parameters, int n_threads) {
  check_sizes(held, shape, parameters);
  const std::size_t n = held.rows.known.rows;
  std::vector<double> output(n * shape.outputs), reach(n * shape.nodes()), loss(n);
  {
    const Unlocked release;
    evaluate_rows(held.rows, shape, parameters.data(), {output.data(), reach.data(), loss.data()}, n_threads);
  }
  return nb::make_tuple(array(output, {n, shape.outputs}), array(reach, {n, shape.nodes()}), array(loss));
}

nb::object stored_refined(const HeldRows& held, const soft::Shape& shape, const Stored& parameters,
                          const Stored& strength, const Stored& centre, const Stored& log_penalty, int max_iter,
                          double tol, int n_threads) {
  for (const Stored* row : {&parameters, &strength, &centre, &log_penalty}) check_sizes(held, shape, *row);
  std::vector<double> at(parameters.data(), parameters.data() + parameters.size());
  std::pair<double, int> result;
  {
    const Unlocked release;
    soft::Refinement how;
    how.max_iter = max_iter, how.tol = tol;
    const soft::Penalty penalty_terms{strength.data(), centre.data(), log_penalty.data()};
    result = refine(held.rows, shape, at.data(), penalty_terms, how, n_threads);
  }
  return nb::make_tuple(result.first, array(at), result.second);
}

}  // namespace

void bind_stored_rows(nb::module_& m) {
  nb::class_<HeldRows>(m, "StoredRows")
      .def_static("make", &hold_rows, nb::arg("begin").noconvert(), nb::arg("column").noconvert(),
                  nb::arg("value").noconvert(), nb::arg("shift").noconvert(), nb::arg("target").noconvert(),
                  nb::arg("weight").noconvert(), nb::arg("offset").noconvert(), nb::arg("arrival").noconvert(),
                  "loss"_a, "parameter"_a)
      .def("loss", &stored_loss, "shape"_a, nb::arg("parameters").noconvert(), "n_threads"_a = 1)
      .def("gradient", &stored_gradient, "shape"_a, nb::arg("parameters").noconvert(), "n_threads"_a = 1)
      .def("answers", &stored_answers, "shape"_a, nb::arg("parameters").noconvert(), "n_threads"_a = 1)
      .def("refine", &stored_refined, "shape"_a, nb::arg("parameters").noconvert(), nb::arg("strength").noconvert(),
           nb::arg("centre").noconvert(), nb::arg("log_penalty").noconvert(), "max_iter"_a, "tol"_a, "n_threads"_a = 1);
}

}  // namespace softwood
