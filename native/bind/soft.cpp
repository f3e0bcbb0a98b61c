// Soft trees for Python: rows, and the sums over them that learners need.
#include <algorithm>
#include <cmath>
#include <string>

#include "bind/soft_passes.hpp"
#include "soft/expansion.hpp"
#include "soft/incremental.hpp"
#include "soft/ordered_tree.hpp"

namespace softwood {
namespace {

using namespace soft;

nb::list as_list(const std::vector<std::int32_t>& values) {
  nb::list list;
  for (const std::int32_t value : values) list.append(value);
  return list;
}

Shape make_shape(Flat<std::int32_t> first_child, Flat<std::int32_t> slope_row, std::size_t slopes, std::size_t columns,
                 std::size_t outputs, const nb::sequence& own_columns) {
  Shape shape;
  shape.first_child = numbers<std::int32_t>(first_child), shape.slope_row = numbers<std::int32_t>(slope_row);
  shape.own_columns = items<std::int32_t>(own_columns, "own_columns");
  shape.slopes = slopes, shape.columns = columns, shape.outputs = outputs;
  const auto nodes = static_cast<std::int64_t>(shape.nodes());
  for (std::int64_t m = 0; m < nodes; ++m)
    require(shape.first_child[m] < 0 || (shape.first_child[m] > m && shape.first_child[m] + 1 < nodes),
            "children must come after their parent and inside the tree.");
  shape.number();
  require(shape.slope_row.size() == shape.leaves, "slope_row needs one entry a leaf.");
  for (const auto row : shape.slope_row)
    require(row < static_cast<std::int32_t>(slopes), "slope_row is outside the slopes.");
  for (const auto column : shape.own_columns)
    require(column >= 0 && column < static_cast<std::int64_t>(columns), "own_columns are outside the columns.");
  return shape;
}

template <class T>
SoftRows<T> rows_without_columns(std::size_t n, std::size_t columns, Flat2<double> target, Flat<double> weight,
                                 int loss, double parameter) {
  require(target.shape(0) == n && weight.size() == n, "inputs, target and weight must have one entry a row.");
  SoftRows<T> rows;
  rows.rows = n, rows.columns = columns, rows.outputs = target.shape(1);
  rows.blocks = (rows.rows + kBlock - 1) / kBlock;
  rows.loss = as_loss(loss, kLastLoss, rows.outputs), rows.loss_parameter = static_cast<T>(parameter);
  double total = 0;
  for (std::size_t row = 0; row < rows.rows; ++row) total += weight.data()[row];
  auto share = std::make_shared<std::vector<T>>(rows.blocks * kBlock, T(0));
  for (std::size_t row = 0; row < rows.rows; ++row) (*share)[row] = static_cast<T>(weight.data()[row] / total);
  rows.target = std::make_shared<const std::vector<T>>(in_blocks<T>(target)), rows.weight = std::move(share);
  return rows;
}

template <class T>
SoftRows<T> make_rows(Flat2<double> phi, Flat2<double> target, Flat<double> weight, int loss, double parameter) {
  SoftRows<T> rows = rows_without_columns<T>(phi.shape(0), phi.shape(1), target, weight, loss, parameter);
  rows.phi = std::make_shared<const std::vector<T>>(in_blocks<T>(phi));
  rows.occupied = find_occupied(*rows.phi, rows.blocks, rows.columns);
  return rows;
}

template <class T>
SoftRows<T> make_expanded(Flat2<double> X, Flat<std::int64_t> place, nb::tuple segments, nb::tuple tables,
                          Flat2<double> target, Flat<double> weight, int loss, double parameter, bool keep,
                          bool by_tables, int n_threads) {
  require(are_codes(place.data(), place.size(), X.shape(0)), "a place must be a row of X.");
  require(segments.size() == 4 && tables.size() == 5, "want 4 arrays of segments and 5 of tables.");
  const auto knot_begin = nb::cast<Flat<std::int64_t>>(segments[0]);
  const auto knot = nb::cast<Flat<double>>(segments[1]), origin = nb::cast<Flat<double>>(segments[2]),
             width = nb::cast<Flat<double>>(segments[3]);
  const auto column_begin = nb::cast<Flat<std::int64_t>>(tables[0]),
             table_begin = nb::cast<Flat<std::int64_t>>(tables[1]);
  const auto height = nb::cast<Flat<double>>(tables[2]), slope = nb::cast<Flat<double>>(tables[3]),
             square = nb::cast<Flat<double>>(tables[4]);
  const std::size_t inputs = X.shape(1), columns = std::max<std::size_t>(table_begin.size(), 1) - 1;
  require(are_begins(knot_begin, inputs, knot.size()) && are_begins(column_begin, inputs, columns) &&
              origin.size() == knot.size() + inputs && width.size() == origin.size(),
          "the expansion and X must have the same inputs.");
  require(are_begins(table_begin, columns, height.size()) && slope.size() == height.size() &&
              square.size() == height.size(),
          "the tables of the columns must have the sizes that table_begin says.");
  for (std::size_t f = 0; f < inputs; ++f)
    for (std::int64_t c = column_begin.data()[f]; c < column_begin.data()[f + 1]; ++c)
      require(table_begin.data()[c + 1] - table_begin.data()[c] == knot_begin.data()[f + 1] - knot_begin.data()[f] + 2,
              "a column needs one entry a segment and one for missing values.");
  auto expansion = std::make_shared<Expansion<T>>();
  expansion->inputs = inputs, expansion->columns = columns;
  expansion->column_begin = numbers<std::size_t>(column_begin);
  expansion->table_begin = numbers<std::size_t>(table_begin);
  expansion->height = numbers<T>(height), expansion->slope = numbers<T>(slope), expansion->square = numbers<T>(square);
  expansion->curved = std::any_of(expansion->square.begin(), expansion->square.end(), [](T s) { return s != 0; });
  SoftRows<T> rows = rows_without_columns<T>(target.shape(0), expansion->columns, target, weight, loss, parameter);
  require(rows.rows == (place.size() ? place.size() : X.shape(0)), "there must be a target for each row.");
  if (by_tables) expansion->number_entries();
  keep = keep && !expansion->by_tables;
  without_gil([&] {
    take_rows(*expansion, X.data(), place.size() ? place.data() : nullptr, rows.rows,
              {knot_begin.data(), knot.data(), origin.data(), width.data()}, n_threads);
    if (keep) {
      rows.phi = std::make_shared<std::vector<T>>(expansion->expand_all(rows.blocks, n_threads));
      rows.occupied = find_occupied(*rows.phi, rows.blocks, rows.columns);
    }
  });
  if (!keep) rows.expansion = std::move(expansion);
  return rows;
}

template <class T>
nb::object reached(const SoftRows<T>& rows, const Shape& shape, Flat<double> parameters, int n_threads) {
  check(rows, shape, parameters);
  std::vector<double> reach(shape.nodes());
  without_gil([&] { mean_reach(rows, shape, parameters.data(), reach.data(), n_threads); });
  return array(std::move(reach), {shape.nodes()});
}

template <class T>
nb::object refined_ordered(const SoftRows<T>& rows, const Shape& shape, Flat<std::int64_t> below,
                           Flat<std::int64_t> above, Flat2<double> ends, Flat<double> low, Flat<double> high,
                           Flat<double> free, Flat<double> strength, Flat<double> centre, Flat<double> log_penalty,
                           int max_iter, double tol, int n_threads) {
  for (const Flat<double>& row : {strength, centre, log_penalty}) check(rows, shape, row);
  require(below.size() >= shape.leaves && above.size() == below.size() && ends.shape(0) == 2 &&
              ends.shape(1) == shape.outputs,
          "the order needs an item for each leaf, and ends for each output.");
  const NodeOrder order{below.data(),  above.data(), below.size(), below.size() - shape.leaves,
                        shape.outputs, ends.data()};
  for (std::size_t i = 0; i < order.items; ++i)
    for (const std::int64_t place : {order.below[i], order.above[i]})
      require(place >= -1 && place < static_cast<std::int64_t>(2 + std::min(i, order.middles)),
              "an item must lie between middles that come before it.");
  const std::size_t size = shape.parameters() + order.middles * order.outputs;
  require(low.size() == size && high.size() == size && free.size() == size, "wrong number of free numbers.");
  std::vector<double> at(free.data(), free.data() + size), parameters(shape.parameters());
  std::pair<double, int> result;
  without_gil([&] {
    Refinement how;
    how.max_iter = max_iter, how.tol = tol;
    const Penalty penalty_terms{strength.data(), centre.data(), log_penalty.data()};
    result = refine_ordered(rows, shape, order, {low.data(), high.data()}, at.data(), parameters.data(), penalty_terms,
                            how, n_threads);
  });
  return nb::make_tuple(result.first, array(std::move(parameters), {shape.parameters()}), result.second);
}

template <class T>
nb::object histograms(const SoftRows<T>& rows, const Shape& shape, Flat<double> parameters, Flat2<std::uint8_t> bin,
                      std::size_t bins, const nb::sequence& asked, int n_threads) {
  const auto nodes = items<std::size_t>(asked, "nodes");
  check(rows, shape, parameters);
  require(bin.shape(0) == rows.rows, "bins need one entry a row.");
  for (const auto node : nodes) require(node < shape.nodes(), "a node is outside the tree.");
  require(are_codes(bin.data(), bin.size(), bins), "a bin is outside the bins.");
  const std::size_t inputs = bin.shape(1);
  std::vector<double> table(nodes.size() * inputs * bins * 2 * shape.outputs);
  without_gil([&] {
    reach_histograms(rows, shape, parameters.data(), bin.data(), inputs, bins, nodes, table.data(), n_threads);
  });
  return array(std::move(table), {nodes.size(), inputs, bins, 2, shape.outputs});
}

// (nodes, 3): gain, input, bin.
nb::object thresholds(const In<double, 5>& table, const nb::sequence& all_cuts, double ridge) {
  const auto cuts = items<std::size_t>(all_cuts, "cuts");
  require(table.shape(1) == cuts.size() && table.shape(3) == 2,
          "want a table (nodes, inputs, bins, 2, outputs) and cuts for every input.");
  for (const auto cut : cuts) require(cut <= table.shape(2), "an input has more cuts than bins.");
  std::vector<double> told;
  without_gil([&] {
    for (const Threshold& best :
         best_thresholds(table.data(), table.shape(0), cuts, table.shape(2), table.shape(4), ridge))
      told.insert(told.end(), {best.gain, static_cast<double>(best.input), static_cast<double>(best.bin)});
  });
  return array(std::move(told), {table.shape(0), 3});
}

template <class T>
nb::object split_direction_of(const SoftRows<T>& rows, const Shape& shape, Flat<double> parameters, std::size_t node,
                              int n_threads) {
  check(rows, shape, parameters);
  require(node < shape.nodes(), "the node is outside the tree.");
  auto split_direction =
      without_gil([&] { return find_split_direction(rows, shape, parameters.data(), node, n_threads); });
  return nb::make_tuple(array(std::move(split_direction.mean), {shape.columns}),
                        array(std::move(split_direction.spread), {shape.columns}),
                        array(std::move(split_direction.covariance), {shape.outputs, shape.columns}));
}

template <class T>
SoftRows<T> under(const SoftRows<T>& rows, const Shape& shape, Flat<double> parameters, std::size_t node,
                  int n_threads) {
  check(rows, shape, parameters);
  require(node < shape.nodes() && shape.first_child[node] < 0, "want a leaf.");
  const GilRelease release;
  return rows_under(rows, shape, parameters.data(), node, n_threads);
}

// Epochs of gradient descent on trials of one split; order is (epochs, rows), split (trials, weights, bias, responses
// of both children). Returns the splits.
nb::object descended(Flat2<double> x, Flat2<double> target, Flat<double> weight, Flat2<double> offset,
                     Flat<double> reach, int loss, Flat2<double> split, Flat2<std::int64_t> order, Flat<double> step,
                     double momentum, double decay, int n_threads) {
  const std::size_t n = x.shape(0), k = target.shape(1);
  const LossKind kind = as_loss(loss, LossKind::softmax, k);
  const SplitRows rows{x.data(), target.data(), weight.data(), offset.data(), reach.data(), n, x.shape(1), k, kind};
  require(target.shape(0) == n && weight.size() == n && offset.shape(0) == n && offset.shape(1) == k &&
              reach.size() == n && order.shape(1) == n && split.shape(1) == rows.parameters() &&
              step.size() == split.shape(0),
          "sizes of rows, splits, steps and order do not agree.");
  require(are_codes(order.data(), order.size(), n), "order names a row that is not there.");
  std::vector<double> values(split.data(), split.data() + split.size());
  without_gil([&] {
    const Descent how{order.data(), order.shape(0), momentum, decay};
    descend(rows, how, {step.data(), step.data() + step.size()}, values.data(), n_threads);
  });
  return array(std::move(values), {split.shape(0), split.shape(1)});
}

template <class T>
void bind_rows(nb::module_& m, const char* name) {
  nb::class_<SoftRows<T>> bound(m, name);
  bind_passes(bound);
  bound
      .def_static("make", &make_rows<T>, "phi"_a.noconvert(), "target"_a.noconvert(), "weight"_a.noconvert(), "loss"_a,
                  "parameter"_a = 0.0)
      .def_static("make_expanded", &make_expanded<T>, "X"_a.noconvert(), "place"_a.noconvert(), "segments"_a,
                  "tables"_a, "target"_a.noconvert(), "weight"_a.noconvert(), "loss"_a, "parameter"_a, "keep"_a,
                  "by_tables"_a, "n_threads"_a = 1)
      .def("mean_reach", &reached<T>, "shape"_a, "parameters"_a.noconvert(), "n_threads"_a = 1)
      .def_ro("rows", &SoftRows<T>::rows)
      .def_ro("columns", &SoftRows<T>::columns)
      .def_ro("outputs", &SoftRows<T>::outputs)
      .def("refine_ordered", &refined_ordered<T>, "shape"_a, "below"_a.noconvert(), "above"_a.noconvert(),
           "ends"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(), "free"_a.noconvert(),
           "strength"_a.noconvert(), "centre"_a.noconvert(), "log_penalty"_a.noconvert(), "max_iter"_a, "tol"_a,
           "n_threads"_a = 1)
      .def("histograms", &histograms<T>, "shape"_a, "parameters"_a.noconvert(), "bin"_a.noconvert(), "bins"_a,
           "nodes"_a, "n_threads"_a = 1)
      .def("split_direction", &split_direction_of<T>, "shape"_a, "parameters"_a.noconvert(), "node"_a,
           "n_threads"_a = 1)
      .def("under", &under<T>, "shape"_a, "parameters"_a.noconvert(), "node"_a, "n_threads"_a = 1);
}

}  // namespace

void bind_soft(nb::module_& m) {
  nb::class_<Shape>(m, "SoftShape")
      .def_static("make", &make_shape, "first_child"_a.noconvert(), "slope_row"_a.noconvert(), "slopes"_a, "columns"_a,
                  "outputs"_a, "own_columns"_a = nb::make_tuple())
      .def_prop_ro("first_child", [](const Shape& shape) { return as_list(shape.first_child); })
      .def_prop_ro("slope_row", [](const Shape& shape) { return as_list(shape.slope_row); })
      .def_ro("slopes", &Shape::slopes)
      .def_prop_ro("own_columns", [](const Shape& shape) { return as_list(shape.own_columns); })
      .def_ro("columns", &Shape::columns)
      .def_ro("outputs", &Shape::outputs)
      .def_prop_ro("parameters", &Shape::parameters);
  m.def("best_thresholds", &thresholds, "table"_a.noconvert(), "cuts"_a, "ridge"_a);
  m.def("descend", &descended, "x"_a.noconvert(), "target"_a.noconvert(), "weight"_a.noconvert(),
        "offset"_a.noconvert(), "reach"_a.noconvert(), "loss"_a, "split"_a.noconvert(), "order"_a.noconvert(),
        "step"_a.noconvert(), "momentum"_a, "decay"_a, "n_threads"_a = 1);
  bind_rows<double>(m, "SoftRows64");
  bind_rows<float>(m, "SoftRows32");
}

}  // namespace softwood
