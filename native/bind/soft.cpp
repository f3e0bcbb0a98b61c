// Soft trees for Python: rows, and the sums over them that learners ask for.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bind/module.hpp"
#include "soft/expansion.hpp"
#include "soft/incremental.hpp"
#include "soft/ordered_tree.hpp"
#include "soft/soft_rows.hpp"

using namespace nanobind::literals;

namespace softwood {
namespace {

using namespace soft;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Row = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Sizes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bins = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A NumPy array that owns its memory.
nb::object owned(std::vector<double>&& values, std::vector<std::size_t> shape) {
  const TowardsPython way;
  auto* kept = new std::vector<double>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double>(kept->data(), shape.size(), shape.data(), owner));
}

Shape make_shape(Ints first_child, Ints slope_row, std::size_t slopes, std::size_t columns, std::size_t outputs,
                 const nb::sequence& own_columns) {
  Shape shape;
  shape.first_child.assign(first_child.data(), first_child.data() + first_child.size());
  shape.slope_row.assign(slope_row.data(), slope_row.data() + slope_row.size());
  shape.own_columns = items<std::int32_t>(own_columns, "own_columns");
  shape.slopes = slopes, shape.columns = columns, shape.outputs = outputs;
  const auto nodes = static_cast<std::int64_t>(shape.nodes());
  for (std::int64_t m = 0; m < nodes; ++m)
    if (shape.first_child[m] >= 0 && (shape.first_child[m] <= m || shape.first_child[m] + 1 >= nodes))
      throw std::invalid_argument("children must come after their parent and inside the tree");
  shape.number();
  if (shape.slope_row.size() != shape.leaves) throw std::invalid_argument("slope_row needs one entry a leaf");
  for (const auto row : shape.slope_row)
    if (row >= static_cast<std::int32_t>(slopes)) throw std::invalid_argument("slope_row is outside the slopes");
  for (const auto column : shape.own_columns)
    if (column < 0 || column >= static_cast<std::int64_t>(columns))
      throw std::invalid_argument("own_columns are outside the columns");
  return shape;
}

// Whether `begins` say where each of `parts` begins among `total` entries: 0 first, never falling, the end last.
bool are_begins(std::span<const std::int64_t> begins, std::size_t parts, std::size_t total) {
  return begins.size() == parts + 1 && begins.front() == 0 && std::is_sorted(begins.begin(), begins.end()) &&
         static_cast<std::size_t>(begins.back()) == total;
}

LossKind as_loss(int loss, LossKind last) {
  if (loss < 0 || loss > static_cast<int>(last))
    throw std::invalid_argument("loss must be 0 to " + std::to_string(static_cast<int>(last)));
  return static_cast<LossKind>(loss);
}

template <class T>
std::shared_ptr<const std::vector<T>> blocked(Matrix table) {
  const std::size_t rows = table.shape(0), columns = table.shape(1), blocks = (rows + kBlock - 1) / kBlock;
  auto out = std::make_shared<std::vector<T>>(blocks * columns * kBlock, T(0));
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c < columns; ++c)
      (*out)[(row / kBlock * columns + c) * kBlock + row % kBlock] = static_cast<T>(table.data()[row * columns + c]);
  return out;
}

template <class T>
SoftRows<T> rows_without_columns(std::size_t n, std::size_t columns, Matrix target, Row weight, int loss,
                                 double parameter) {
  if (target.shape(0) != n || weight.size() != n)
    throw std::invalid_argument("inputs, target and weight must have one entry a row");
  SoftRows<T> rows;
  rows.rows = n, rows.columns = columns, rows.outputs = target.shape(1);
  rows.blocks = (rows.rows + kBlock - 1) / kBlock;
  rows.loss = as_loss(loss, LossKind::tweedie), rows.loss_parameter = static_cast<T>(parameter);
  if (rows.loss == LossKind::logistic && rows.outputs != 1) throw std::invalid_argument("logistic loss has one output");
  double total = 0;
  for (std::size_t row = 0; row < rows.rows; ++row) total += weight.data()[row];
  auto share = std::make_shared<std::vector<T>>(rows.blocks * kBlock, T(0));
  for (std::size_t row = 0; row < rows.rows; ++row) (*share)[row] = static_cast<T>(weight.data()[row] / total);
  rows.target = blocked<T>(target), rows.weight = std::move(share);
  return rows;
}

template <class T>
SoftRows<T> make_rows(Matrix phi, Matrix target, Row weight, int loss, double parameter) {
  SoftRows<T> rows = rows_without_columns<T>(phi.shape(0), phi.shape(1), target, weight, loss, parameter);
  rows.phi = blocked<T>(phi);
  rows.occupied = find_occupied(*rows.phi, rows.blocks, rows.columns);
  return rows;
}

template <class T>
SoftRows<T> make_expanded(Matrix X, Sizes place, nb::tuple segments, nb::tuple tables, Matrix target, Row weight,
                          int loss, double parameter, bool keep, bool by_tables, int n_threads) {
  const auto n_rows = static_cast<std::int64_t>(X.shape(0));
  if (std::any_of(place.data(), place.data() + place.size(), [=](std::int64_t p) { return p < 0 || p >= n_rows; }))
    throw std::invalid_argument("a place must be a row of X");
  if (segments.size() != 4 || tables.size() != 5)
    throw std::invalid_argument("want 4 arrays of segments and 5 of tables");
  const auto knot_begin = nb::cast<Sizes>(segments[0]);
  const auto knot = nb::cast<Row>(segments[1]), origin = nb::cast<Row>(segments[2]), width = nb::cast<Row>(segments[3]);
  const auto column_begin = nb::cast<Sizes>(tables[0]), table_begin = nb::cast<Sizes>(tables[1]);
  const auto height = nb::cast<Row>(tables[2]), slope = nb::cast<Row>(tables[3]), square = nb::cast<Row>(tables[4]);
  const std::size_t inputs = X.shape(1), columns = std::max<std::size_t>(table_begin.size(), 1) - 1;
  if (!are_begins({knot_begin.data(), knot_begin.size()}, inputs, knot.size()) ||
      !are_begins({column_begin.data(), column_begin.size()}, inputs, columns) ||
      origin.size() != knot.size() + inputs || width.size() != origin.size())
    throw std::invalid_argument("the expansion and X must have the same inputs");
  if (!are_begins({table_begin.data(), table_begin.size()}, columns, height.size()) || slope.size() != height.size() ||
      square.size() != height.size())
    throw std::invalid_argument("the tables of the columns must have the sizes that table_begin says");
  for (std::size_t f = 0; f < inputs; ++f)
    for (std::int64_t c = column_begin.data()[f]; c < column_begin.data()[f + 1]; ++c)
      if (table_begin.data()[c + 1] - table_begin.data()[c] != knot_begin.data()[f + 1] - knot_begin.data()[f] + 2)
        throw std::invalid_argument("a column needs one entry a segment and one for missing values");
  auto expansion = std::make_shared<Expansion<T>>();
  expansion->inputs = inputs, expansion->columns = columns;
  expansion->column_begin = numbers<std::size_t>(column_begin);
  expansion->table_begin = numbers<std::size_t>(table_begin);
  expansion->height = numbers<T>(height), expansion->slope = numbers<T>(slope), expansion->square = numbers<T>(square);
  expansion->curved = std::any_of(expansion->square.begin(), expansion->square.end(), [](T s) { return s != 0; });
  SoftRows<T> rows = rows_without_columns<T>(target.shape(0), expansion->columns, target, weight, loss, parameter);
  if (rows.rows != (place.size() ? place.size() : X.shape(0)))
    throw std::invalid_argument("there must be a target for each row");
  if (by_tables) expansion->number_entries();
  keep = keep && !expansion->by_tables;
  {
    const Unlocked release;
    take_rows(*expansion, X.data(), place.size() ? place.data() : nullptr, rows.rows,
              {knot_begin.data(), knot.data(), origin.data(), width.data()}, n_threads);
    if (keep) {
      rows.phi = std::make_shared<std::vector<T>>(expansion->expand_all(rows.blocks, n_threads));
      rows.occupied = find_occupied(*rows.phi, rows.blocks, rows.columns);
    }
  }
  if (!keep) rows.expansion = std::move(expansion);
  return rows;
}

template <class T>
void check(const SoftRows<T>& rows, const Shape& shape, Row parameters) {
  if (shape.columns != rows.columns || shape.outputs != rows.outputs)
    throw std::invalid_argument("the tree and the rows must have the same columns and outputs");
  if (parameters.size() != shape.parameters()) throw std::invalid_argument("wrong number of parameters");
}

template <class T>
nb::object gradient(const SoftRows<T>& rows, const Shape& shape, Row parameters, int n_threads) {
  check(rows, shape, parameters);
  std::vector<double> sum(shape.parameters());
  double loss = 0;
  {
    const Unlocked release;
    loss = loss_and_gradient(rows, shape, parameters.data(), sum.data(), n_threads);
  }
  return nb::make_tuple(loss, owned(std::move(sum), {shape.parameters()}));
}

template <class T>
double mean_loss(const SoftRows<T>& rows, const Shape& shape, Row parameters, int n_threads) {
  check(rows, shape, parameters);
  const Unlocked release;
  return loss_and_gradient(rows, shape, parameters.data(), nullptr, n_threads);
}

template <class T>
nb::object reached(const SoftRows<T>& rows, const Shape& shape, Row parameters, int n_threads) {
  check(rows, shape, parameters);
  std::vector<double> reach(shape.nodes());
  {
    const Unlocked release;
    mean_reach(rows, shape, parameters.data(), reach.data(), n_threads);
  }
  return owned(std::move(reach), {shape.nodes()});
}

template <class T>
nb::object answers(const SoftRows<T>& rows, const Shape& shape, Row parameters, int n_threads) {
  check(rows, shape, parameters);
  std::vector<double> output(rows.rows * shape.outputs), reach(rows.rows * shape.nodes()), loss(rows.rows);
  {
    const Unlocked release;
    evaluate_rows(rows, shape, parameters.data(), {output.data(), reach.data(), loss.data()}, n_threads);
  }
  return nb::make_tuple(owned(std::move(output), {rows.rows, shape.outputs}),
                        owned(std::move(reach), {rows.rows, shape.nodes()}), owned(std::move(loss), {rows.rows}));
}

template <class T>
nb::object refined(const SoftRows<T>& rows, const Shape& shape, Row parameters, Row strength, Row centre,
                   Row log_penalty, int max_iter, double tol, int n_threads) {
  check(rows, shape, parameters);
  for (const Row& row : {strength, centre, log_penalty}) check(rows, shape, row);
  std::vector<double> at(parameters.data(), parameters.data() + parameters.size());
  std::pair<double, int> result;
  {
    const Unlocked release;
    Refinement how;
    how.max_iter = max_iter, how.tol = tol;
    const Penalty penalty_terms{strength.data(), centre.data(), log_penalty.data()};
    result = refine(rows, shape, at.data(), penalty_terms, how, n_threads);
  }
  return nb::make_tuple(result.first, owned(std::move(at), {shape.parameters()}), result.second);
}

template <class T>
nb::object refined_ordered(const SoftRows<T>& rows, const Shape& shape, Sizes below, Sizes above, Matrix ends, Row low,
                           Row high, Row free, Row strength, Row centre, Row log_penalty, int max_iter, double tol,
                           int n_threads) {
  for (const Row& row : {strength, centre, log_penalty}) check(rows, shape, row);
  if (below.size() < shape.leaves || above.size() != below.size() || ends.shape(0) != 2 ||
      ends.shape(1) != shape.outputs)
    throw std::invalid_argument("the order needs an item for each leaf, and ends for each output");
  const NodeOrder order{below.data(),  above.data(), below.size(), below.size() - shape.leaves,
                        shape.outputs, ends.data()};
  for (std::size_t i = 0; i < order.items; ++i)
    for (const std::int64_t place : {order.below[i], order.above[i]})
      if (place < -1 || place >= static_cast<std::int64_t>(2 + std::min(i, order.middles)))
        throw std::invalid_argument("an item must lie between middles that come before it");
  const std::size_t size = shape.parameters() + order.middles * order.outputs;
  if (low.size() != size || high.size() != size || free.size() != size)
    throw std::invalid_argument("wrong number of free numbers");
  std::vector<double> at(free.data(), free.data() + size), parameters(shape.parameters());
  std::pair<double, int> result;
  {
    const Unlocked release;
    Refinement how;
    how.max_iter = max_iter, how.tol = tol;
    const Penalty penalty_terms{strength.data(), centre.data(), log_penalty.data()};
    result = refine_ordered(rows, shape, order, {low.data(), high.data()}, at.data(), parameters.data(), penalty_terms,
                            how, n_threads);
  }
  return nb::make_tuple(result.first, owned(std::move(parameters), {shape.parameters()}), result.second);
}

template <class T>
nb::object histograms(const SoftRows<T>& rows, const Shape& shape, Row parameters, Bins bin, std::size_t bins,
                      const nb::sequence& asked, int n_threads) {
  const auto nodes = items<std::size_t>(asked, "nodes");
  check(rows, shape, parameters);
  if (bin.shape(0) != rows.rows) throw std::invalid_argument("bins need one entry a row");
  for (const auto node : nodes)
    if (node >= shape.nodes()) throw std::invalid_argument("a node is outside the tree");
  if (!are_codes(bin.data(), bin.size(), bins)) throw std::invalid_argument("a bin is outside the bins");
  const std::size_t inputs = bin.shape(1);
  std::vector<double> table(nodes.size() * inputs * bins * 2 * shape.outputs);
  {
    const Unlocked release;
    reach_histograms(rows, shape, parameters.data(), bin.data(), inputs, bins, nodes, table.data(), n_threads);
  }
  return owned(std::move(table), {nodes.size(), inputs, bins, 2, shape.outputs});
}

// (nodes, 3): gain, input, bin.
nb::object thresholds(nb::ndarray<const double, nb::ndim<5>, nb::c_contig, nb::device::cpu> table,
                      const nb::sequence& all_cuts, double ridge) {
  const auto cuts = items<std::size_t>(all_cuts, "cuts");
  if (table.shape(1) != cuts.size() || table.shape(3) != 2)
    throw std::invalid_argument("want a table (nodes, inputs, bins, 2, outputs) and cuts for every input");
  for (const auto cut : cuts)
    if (cut > table.shape(2)) throw std::invalid_argument("an input has more cuts than bins");
  std::vector<double> told;
  {
    const Unlocked release;
    for (const Threshold& best :
         best_thresholds(table.data(), table.shape(0), cuts, table.shape(2), table.shape(4), ridge))
      told.insert(told.end(), {best.gain, static_cast<double>(best.input), static_cast<double>(best.bin)});
  }
  return owned(std::move(told), {table.shape(0), 3});
}

template <class T>
nb::object split_direction_of(const SoftRows<T>& rows, const Shape& shape, Row parameters, std::size_t node,
                              int n_threads) {
  check(rows, shape, parameters);
  if (node >= shape.nodes()) throw std::invalid_argument("the node is outside the tree");
  SplitDirection split_direction;
  {
    const Unlocked release;
    split_direction = find_split_direction(rows, shape, parameters.data(), node, n_threads);
  }
  return nb::make_tuple(owned(std::move(split_direction.mean), {shape.columns}),
                        owned(std::move(split_direction.spread), {shape.columns}),
                        owned(std::move(split_direction.covariance), {shape.outputs, shape.columns}));
}

template <class T>
SoftRows<T> under(const SoftRows<T>& rows, const Shape& shape, Row parameters, std::size_t node, int n_threads) {
  check(rows, shape, parameters);
  if (node >= shape.nodes() || shape.first_child[node] >= 0) throw std::invalid_argument("want a leaf");
  const Unlocked release;
  return rows_under(rows, shape, parameters.data(), node, n_threads);
}

// Epochs of gradient descent on trials of one split; order is (epochs, rows), split (trials, weights, bias, responses
// of both children). Returns the splits.
nb::object descended(Matrix x, Matrix target, Row weight, Matrix offset, Row reach, int loss, Matrix split,
                     nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> order, Row step,
                     double momentum, double decay, int n_threads) {
  const std::size_t n = x.shape(0), k = target.shape(1);
  const LossKind kind = as_loss(loss, LossKind::softmax);
  if (kind == LossKind::logistic && k != 1) throw std::invalid_argument("logistic loss has one output");
  const SplitRows rows{x.data(), target.data(), weight.data(), offset.data(), reach.data(), n, x.shape(1), k, kind};
  if (target.shape(0) != n || weight.size() != n || offset.shape(0) != n || offset.shape(1) != k || reach.size() != n ||
      order.shape(1) != n || split.shape(1) != rows.parameters() || step.size() != split.shape(0))
    throw std::invalid_argument("sizes of rows, splits, steps and order do not agree");
  if (!are_codes(order.data(), order.size(), n)) throw std::invalid_argument("order names a row that is not there");
  std::vector<double> values(split.data(), split.data() + split.size());
  {
    const Unlocked release;
    const Descent how{order.data(), order.shape(0), momentum, decay};
    descend(rows, how, {step.data(), step.data() + step.size()}, values.data(), n_threads);
  }
  return array(values, {split.shape(0), split.shape(1)});
}

template <class T>
void bind_rows(nb::module_& m, const char* name) {
  nb::class_<SoftRows<T>>(m, name)
      .def_static("make", &make_rows<T>, nb::arg("phi").noconvert(), nb::arg("target").noconvert(),
                  nb::arg("weight").noconvert(), "loss"_a, "parameter"_a = 0.0)
      .def_static("make_expanded", &make_expanded<T>, nb::arg("X").noconvert(), nb::arg("place").noconvert(),
                  "segments"_a, "tables"_a, nb::arg("target").noconvert(), nb::arg("weight").noconvert(), "loss"_a,
                  "parameter"_a, "keep"_a, "by_tables"_a, "n_threads"_a = 1)
      .def("mean_reach", &reached<T>, "shape"_a, nb::arg("parameters").noconvert(), "n_threads"_a = 1)
      .def_ro("rows", &SoftRows<T>::rows)
      .def_ro("columns", &SoftRows<T>::columns)
      .def_ro("outputs", &SoftRows<T>::outputs)
      .def("loss", &mean_loss<T>, "shape"_a, nb::arg("parameters").noconvert(), "n_threads"_a = 1)
      .def("gradient", &gradient<T>, "shape"_a, nb::arg("parameters").noconvert(), "n_threads"_a = 1)
      .def("answers", &answers<T>, "shape"_a, nb::arg("parameters").noconvert(), "n_threads"_a = 1)
      .def("refine", &refined<T>, "shape"_a, nb::arg("parameters").noconvert(), nb::arg("strength").noconvert(),
           nb::arg("centre").noconvert(), nb::arg("log_penalty").noconvert(), "max_iter"_a, "tol"_a, "n_threads"_a = 1)
      .def("refine_ordered", &refined_ordered<T>, "shape"_a, nb::arg("below").noconvert(), nb::arg("above").noconvert(),
           nb::arg("ends").noconvert(), nb::arg("low").noconvert(), nb::arg("high").noconvert(),
           nb::arg("free").noconvert(), nb::arg("strength").noconvert(), nb::arg("centre").noconvert(),
           nb::arg("log_penalty").noconvert(), "max_iter"_a, "tol"_a, "n_threads"_a = 1)
      .def("histograms", &histograms<T>, "shape"_a, nb::arg("parameters").noconvert(), nb::arg("bin").noconvert(),
           "bins"_a, "nodes"_a, "n_threads"_a = 1)
      .def("split_direction", &split_direction_of<T>, "shape"_a, nb::arg("parameters").noconvert(), "node"_a,
           "n_threads"_a = 1)
      .def("under", &under<T>, "shape"_a, nb::arg("parameters").noconvert(), "node"_a, "n_threads"_a = 1);
}

}  // namespace

void bind_soft(nb::module_& m) {
  nb::class_<Shape>(m, "SoftShape")
      .def_static("make", &make_shape, nb::arg("first_child").noconvert(), nb::arg("slope_row").noconvert(), "slopes"_a,
                  "columns"_a, "outputs"_a, "own_columns"_a = nb::make_tuple())
      .def_ro("first_child", &Shape::first_child)
      .def_ro("slope_row", &Shape::slope_row)
      .def_ro("slopes", &Shape::slopes)
      .def_ro("own_columns", &Shape::own_columns)
      .def_ro("columns", &Shape::columns)
      .def_ro("outputs", &Shape::outputs)
      .def_prop_ro("parameters", &Shape::parameters);
  m.def("best_thresholds", &thresholds, nb::arg("table").noconvert(), "cuts"_a, "ridge"_a);
  m.def("descend", &descended, nb::arg("x").noconvert(), nb::arg("target").noconvert(), nb::arg("weight").noconvert(),
        nb::arg("offset").noconvert(), nb::arg("reach").noconvert(), "loss"_a, nb::arg("split").noconvert(),
        nb::arg("order").noconvert(), nb::arg("step").noconvert(), "momentum"_a, "decay"_a, "n_threads"_a = 1);
  bind_rows<double>(m, "SoftRows64");
  bind_rows<float>(m, "SoftRows32");
}

}  // namespace softwood
