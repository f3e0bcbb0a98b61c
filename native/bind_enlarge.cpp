// Soft trees for Python: one split more, done where the rows are.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>

#include "bind.hpp"
#include "enlarge.hpp"

using namespace nanobind::literals;

namespace softwood {
namespace {

using namespace soft;
using Bins = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Level = std::tuple<std::size_t, Flat<std::int64_t>, Flat<std::int64_t>, Flat<double>, Flat<double>>;

// levels : input, and for each of its levels bin, column, height and elsewhere.
Axes make_axes(std::vector<std::size_t> cuts, Flat<std::int32_t> line, const std::vector<Flat<double>>& at_cut,
               Flat<std::int64_t> place, const std::vector<Level>& levels) {
  const std::size_t inputs = cuts.size();
  if (line.size() != inputs || at_cut.size() != inputs)
    throw std::invalid_argument("cuts, line and at_cut need one entry an input");
  Axes axes{std::move(cuts), numbers<std::int32_t>(line), {}, numbers<std::size_t>(place), {}};
  const auto columns = static_cast<std::int64_t>(axes.place.size());
  for (std::size_t input = 0; input < inputs; ++input) {
    axes.at_cut.push_back(numbers<double>(at_cut[input]));
    if (axes.cuts[input] > 0 &&
        (axes.line[input] < 0 || axes.line[input] >= columns || axes.at_cut[input].size() < axes.cuts[input]))
      throw std::invalid_argument("an input with cuts needs a line column and its value at each cut");
  }
  for (const std::size_t input : axes.place)
    if (input >= inputs) throw std::invalid_argument("a column's input is none of the inputs");
  for (const auto& [input, bin, column, height, elsewhere] : levels) {
    axes.levels.push_back({input, numbers<std::size_t>(bin), numbers<std::size_t>(column), numbers<double>(height),
                           numbers<double>(elsewhere)});
    const Levels& made = axes.levels.back();
    const bool outside = std::any_of(made.column.begin(), made.column.end(),
                                     [=](std::size_t c) { return c >= static_cast<std::size_t>(columns); });
    if (input >= inputs || outside || made.column.size() != made.bin.size() || made.height.size() != made.bin.size() ||
        made.elsewhere.size() != made.bin.size())
      throw std::invalid_argument("a level needs a bin, a column, a height and a value elsewhere");
  }
  return axes;
}

template <class T>
void check(const SoftRows<T>& rows, const Plant& tree, const Bins& bin, std::size_t bins, const Axes& axes) {
  const Shape& shape = tree.shape;
  if (shape.columns != rows.columns || shape.outputs != rows.outputs || axes.place.size() != rows.columns)
    throw std::invalid_argument("the tree, the axes and the rows must have the same columns and outputs");
  if (tree.parameters.size() != shape.parameters() || tree.steep.size() != shape.gates ||
      tree.closed.size() != shape.gates * (shape.columns + 1) || tree.origin.size() != shape.outputs ||
      tree.origin_slope.size() != shape.outputs * shape.columns)
    throw std::invalid_argument("wrong number of parameters, closed weights, steep gates or origins");
  if (bin.shape(0) != rows.rows || bin.shape(1) != axes.cuts.size())
    throw std::invalid_argument("bins need one entry a row and input");
  if (!are_codes(bin.data(), bin.size(), bins)) throw std::invalid_argument("a bin is outside the bins");
  for (const std::size_t cut : axes.cuts)
    if (cut > bins) throw std::invalid_argument("an input has more cuts than bins");
  for (const Levels& levels : axes.levels)
    for (const std::size_t b : levels.bin)
      if (b >= bins) throw std::invalid_argument("a level's bin is none of the bins");
}

// From kernels/enlarge.py, by the names there.
Plant make_plant(nb::handle tree) {
  const auto real = [&](const char* name) { return numbers<double>(view<double>(tree, name)); };
  const auto flags = [&](const char* name) { return numbers<std::uint8_t>(view<bool>(tree, name)); };
  const auto slopes = static_cast<Slopes>(nb::cast<int>(tree.attr("slopes")));
  return {nb::cast<Shape>(tree.attr("shape")),
          slopes,
          real("parameters"),
          flags("closed"),
          flags("steep"),
          real("origin"),
          real("origin_slope")};
}

Enlarging make_enlarging(nb::handle how, double total_weight) {
  const auto number = [&](const char* name) { return nb::cast<double>(how.attr(name)); };
  const auto count = [&](const char* name) { return nb::cast<int>(how.attr(name)); };
  Enlarging made;
  made.starting = {static_cast<std::size_t>(count("tries")), number("start_slope"), number("level_rows"),
                   number("least_rows"), total_weight};
  made.gates = static_cast<Gates>(count("gates")), made.most = static_cast<std::size_t>(count("most"));
  made.penalty = number("penalty"), made.decay = number("decay"), made.ease = number("ease");
  made.steeper = number("steeper"), made.tol = number("tol");
  made.alone = count("alone"), made.together = count("together"), made.joint = count("joint");
  return made;
}

// The leaf that was split, closed weights and steepness of its gate, all parameters, passes; None: nothing to split.
template <class T>
nb::object enlarged(const SoftRows<T>& rows, nb::object tree, Bins bin, std::size_t bins, const Axes& axes,
                    nb::object rules, double total_weight, int n_threads) {
  const Plant before = make_plant(tree);
  const Enlarging how = make_enlarging(rules, total_weight);
  check(rows, before, bin, bins, axes);
  std::optional<Enlarged> made;
  {
    const Unlocked release;
    made = enlarge(rows, before, {bin.data(), bin.shape(1), bins}, axes, how, n_threads);
  }
  if (!made) return nb::none();
  const Plant& after = made->tree;
  const std::size_t width = after.shape.columns + 1, gate = static_cast<std::size_t>(after.shape.gate[made->node]);
  const auto closed = after.closed.begin() + static_cast<std::ptrdiff_t>(gate * width);
  return nb::make_tuple(made->node,
                        array(std::vector<std::uint8_t>(closed, closed + static_cast<std::ptrdiff_t>(width))),
                        after.steep[gate] != 0, array(after.parameters), made->passes);
}

}  // namespace

void bind_enlarge(nb::module_& m) {
  nb::class_<Axes>(m, "SoftAxes")
      .def_static("make", &make_axes, "cuts"_a, nb::arg("line").noconvert(), "at_cut"_a, nb::arg("place").noconvert(),
                  "levels"_a);
  const auto bind = [&](auto function) {
    m.def("enlarge", function, "rows"_a, "tree"_a, nb::arg("bin").noconvert(), "bins"_a, "axes"_a, "rules"_a,
          "total_weight"_a, "n_threads"_a = 1);
  };
  bind(&enlarged<double>);
  bind(&enlarged<float>);
}

}  // namespace softwood
