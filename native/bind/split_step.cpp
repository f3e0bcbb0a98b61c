// Soft trees for Python: one more split, computed in one call.
#include "soft/split_step.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind/module.hpp"

namespace softwood {
namespace {

using namespace soft;
using Level = std::tuple<std::size_t, Flat<std::int64_t>, Flat<std::int64_t>, Flat<double>, Flat<double>>;

// levels : input, and for each of its levels bin, column, height and elsewhere.
SplitFeatures make_split_features(const nb::sequence& all_cuts, Flat<std::int32_t> linear,
                                  const nb::sequence& values_at_cuts, Flat<std::int64_t> place,
                                  const nb::sequence& all_levels) {
  auto cuts = items<std::size_t>(all_cuts, "cuts");
  const auto at_cut = items<Flat<double>>(values_at_cuts, "at_cut");
  const auto levels = items<Level>(all_levels, "levels");
  const std::size_t inputs = cuts.size();
  require(linear.size() == inputs && at_cut.size() == inputs, "cuts, linear and at_cut need one entry an input.");
  SplitFeatures split_features{std::move(cuts), numbers<std::int32_t>(linear), {}, numbers<std::size_t>(place), {}};
  const auto columns = static_cast<std::int64_t>(split_features.place.size());
  for (std::size_t input = 0; input < inputs; ++input) {
    split_features.at_cut.push_back(numbers<double>(at_cut[input]));
    require(split_features.cuts[input] == 0 ||
                (split_features.linear[input] >= 0 && split_features.linear[input] < columns &&
                 split_features.at_cut[input].size() >= split_features.cuts[input]),
            "an input with cuts needs a linear column and its value at each cut.");
  }
  for (const std::size_t input : split_features.place)
    require(input < inputs, "a column's input is none of the inputs.");
  for (const auto& [input, bin, column, height, elsewhere] : levels) {
    split_features.levels.push_back({input, numbers<std::size_t>(bin), numbers<std::size_t>(column),
                                     numbers<double>(height), numbers<double>(elsewhere)});
    const soft::Levels& made = split_features.levels.back();
    require(input < inputs && are_codes(made.column.data(), made.column.size(), static_cast<std::size_t>(columns)) &&
                made.column.size() == made.bin.size() && made.height.size() == made.bin.size() &&
                made.elsewhere.size() == made.bin.size(),
            "a level needs a bin, a column, a height and a value elsewhere.");
  }
  return split_features;
}

template <class T>
void check(const SoftRows<T>& rows, const SoftTreeParams& tree, const Flat2<std::uint8_t>& bin, std::size_t bins,
           const SplitFeatures& split_features) {
  const Shape& shape = tree.shape;
  require(shape.columns == rows.columns && shape.outputs == rows.outputs && split_features.place.size() == rows.columns,
          "the tree, the split_features and the rows must have the same columns and outputs.");
  require(tree.parameters.size() == shape.parameters() && tree.unpenalized.size() == shape.gates &&
              tree.frozen.size() == shape.gates * (shape.columns + 1) && tree.origin.size() == shape.outputs &&
              tree.origin_slope.size() == shape.outputs * shape.columns,
          "wrong number of parameters, frozen weights, unpenalized gates or origins.");
  require(bin.shape(0) == rows.rows && bin.shape(1) == split_features.cuts.size(),
          "bins need one entry a row and input.");
  require(!mixes_answers(rows.loss) || tree.slopes == Slopes::kNone, "leaves that mix answers are constant.");
  require(are_codes(bin.data(), bin.size(), bins), "a bin is outside the bins.");
  for (const std::size_t cut : split_features.cuts) require(cut <= bins, "an input has more cuts than bins.");
  for (const soft::Levels& levels : split_features.levels)
    for (const std::size_t b : levels.bin) require(b < bins, "a level's bin is none of the bins.");
}

// From kernels/contracts/split_step.py, with the same names.
SoftTreeParams read_params(nb::handle tree) {
  const GilReacquire way;
  const auto real = [&](const char* name) { return numbers<double>(view<const double>(tree, name)); };
  const auto flags = [&](const char* name) { return numbers<std::uint8_t>(view<const bool>(tree, name)); };
  const auto slopes = static_cast<Slopes>(nb::cast<int>(tree.attr("slopes")));
  return {nb::cast<Shape>(tree.attr("shape")),
          slopes,
          real("parameters"),
          flags("frozen"),
          flags("unpenalized"),
          real("origin"),
          real("origin_slope")};
}

SplitStepOptions read_options(nb::handle how, double total_weight) {
  const GilReacquire way;
  const auto number = [&](const char* name) { return nb::cast<double>(how.attr(name)); };
  const auto count = [&](const char* name) { return nb::cast<int>(how.attr(name)); };
  SplitStepOptions made;
  made.starting = {static_cast<std::size_t>(count("tries")), number("start_slope"), number("level_rows"),
                   number("least_rows"), total_weight};
  made.gates = static_cast<Gates>(count("gates")), made.most = static_cast<std::size_t>(count("most"));
  made.penalty = number("penalty"), made.decay = number("decay"), made.log_penalty = number("log_penalty");
  made.axis_factor = number("axis_factor"), made.tol = number("tol");
  made.alone = count("alone"), made.together = count("together"), made.joint = count("joint");
  return made;
}

// The leaf that was split, frozen weights of its gate and whether it is unpenalized, all parameters, passes; None:
// nothing to split.
template <class T>
nb::object split_once(const SoftRows<T>& rows, nb::object tree, Flat2<std::uint8_t> bin, std::size_t bins,
                      const SplitFeatures& split_features, nb::object rules, double total_weight, int n_threads) {
  const SoftTreeParams before = read_params(tree);
  const SplitStepOptions how = read_options(rules, total_weight);
  check(rows, before, bin, bins, split_features);
  auto made = without_gil(
      [&] { return split_step(rows, before, {bin.data(), bin.shape(1), bins}, split_features, how, n_threads); });
  if (!made) return nb::none();
  const SoftTreeParams& after = made->tree;
  const std::size_t width = after.shape.columns + 1, gate = static_cast<std::size_t>(after.shape.gate[made->node]);
  const auto frozen = after.frozen.begin() + static_cast<std::ptrdiff_t>(gate * width);
  return nb::make_tuple(made->node,
                        array(std::vector<std::uint8_t>(frozen, frozen + static_cast<std::ptrdiff_t>(width))),
                        after.unpenalized[gate] != 0, array(after.parameters), made->passes);
}

}  // namespace

void bind_split_step(nb::module_& m) {
  nb::class_<SplitFeatures>(m, "SplitFeatures")
      .def_static("make", &make_split_features, "cuts"_a, "linear"_a.noconvert(), "at_cut"_a, "place"_a.noconvert(),
                  "levels"_a);
  const auto bind = [&](auto function) {
    m.def("split_step", function, "rows"_a, "tree"_a, "bin"_a.noconvert(), "bins"_a, "split_features"_a, "rules"_a,
          "total_weight"_a, "n_threads"_a = 1);
  };
  bind(&split_once<double>);
  bind(&split_once<float>);
}

}  // namespace softwood
