// Binned rows and their sums, for Python.
#include "bind/module.hpp"
#include "hard/bin_tree.hpp"

namespace softwood {
namespace {

template <class Code>
using CodeArray = nb::ndarray<const Code, nb::ndim<2>, nb::device::cpu>;

template <class Code>
hard::CodeTable<Code> as_codes(const CodeArray<Code>& code, std::size_t bins) {
  const hard::CodeTable<Code> table{code.data(), code.shape(0), code.shape(1), code.stride(0), code.stride(1), bins};
  for (std::size_t f = 0; f < table.columns; ++f) {
    Code most = 0;
    const Code* bin = table.column(f);
    for (std::size_t row = 0; row < table.rows; ++row, bin += table.row_stride) most = std::max(most, *bin);
    require(most <= bins, "code must hold bins 0 .. n_bins.");
  }
  return table;
}

hard::BinTree as_bin_tree(const Flat<std::int32_t>& first_child, const Flat<std::int32_t>& feature,
                          const Flat2<std::int8_t>& child, std::size_t inputs, std::size_t bins) {
  const std::size_t nodes = first_child.size();
  require(nodes > 0 && feature.size() == nodes && child.shape(0) == nodes && child.shape(1) == bins + 1,
          "first_child, feature and child must have one entry for every node, child of every bin.");
  for (std::size_t m = 0; m < nodes; ++m) {
    const auto first = static_cast<std::int64_t>(first_child.data()[m]);
    if (first < 0) continue;
    const auto last = static_cast<std::int64_t>(nodes) - 2;
    require(first > static_cast<std::int64_t>(m) && first <= last, "two children must come after their gate.");
    require(feature.data()[m] >= 0 && static_cast<std::size_t>(feature.data()[m]) < inputs,
            "feature must name a column of code.");
    require(are_codes(child.data() + m * (bins + 1), bins + 1, 2), "child must be 0 or 1.");
  }
  return {{first_child.data(), nodes}, {feature.data(), nodes}, child.data()};
}

template <class Code>
void sum_bins(const CodeArray<Code>& code, std::size_t n_bins, const Flat<double>& weight,
              const Flat<std::int32_t>& first_child, const Flat<std::int32_t>& feature, const Flat2<std::int8_t>& child,
              const Flat<std::int32_t>& place, const nb::object& y, std::size_t n_classes, const Flat2<double>& origin,
              int n_threads, Out<double, 4> table) {
  const std::size_t rows = code.shape(0), inputs = code.shape(1), leaves = origin.shape(0), targets = origin.shape(1);
  const auto tree = as_bin_tree(first_child, feature, child, inputs, n_bins);
  const auto codes = as_codes(code, n_bins);
  require(weight.size() == rows && place.size() == first_child.size(), "weight and place do not fit code and tree.");
  require(std::all_of(place.data(), place.data() + place.size(),
                      [&](std::int32_t at) { return at >= -1 && at < static_cast<std::int64_t>(leaves); }),
          "place must be -1 or a row of origin.");
  const std::size_t width = n_classes > 0 ? n_classes : 1 + 2 * targets;
  require(
      table.shape(0) == leaves && table.shape(1) == inputs && table.shape(2) == n_bins + 1 && table.shape(3) == width,
      "table has another shape.");
  const std::span<const std::int32_t> asked{place.data(), place.size()};
  if (n_classes > 0) {
    const auto labels = nb::cast<Flat<std::int32_t>>(y, false);
    require(labels.size() == rows && are_codes(labels.data(), rows, n_classes), "y must be codes of classes.");
    const GilRelease release;
    hard::sum_classes(codes, tree, asked, labels.data(), weight.data(), n_classes, n_threads, table.data());
  } else {
    const auto numbers = nb::cast<Flat2<double>>(y, false);
    require(numbers.shape(0) == rows && numbers.shape(1) == targets, "y must have the targets of origin.");
    const GilRelease release;
    hard::sum_numbers(codes, tree, asked, numbers.data(), targets, origin.data(), weight.data(), n_threads,
                      table.data());
  }
}

template <class Code>
void find_bins(const Rows& X, const nb::sequence& all_edges, const Flat<std::int32_t>& n_levels, std::size_t n_bins,
               int n_threads, nb::ndarray<Code, nb::ndim<2>, nb::f_contig, nb::device::cpu> code) {
  const auto edge = items<Flat<double>>(all_edges, "edge");
  const std::size_t inputs = X.shape(1);
  require(edge.size() == inputs && n_levels.size() == inputs && code.shape(0) == X.shape(0) && code.shape(1) == inputs,
          "edge, n_levels and code must have every column of X.");
  std::vector<std::span<const double>> edges;
  for (const auto& own : edge) edges.emplace_back(own.data(), own.size());
  const GilRelease release;
  hard::find_bins(as_table(X), edges, {n_levels.data(), inputs}, n_bins, n_threads, code.data());
}

template <class Code>
void bind_codes(nb::module_& m) {
  m.def("sum_bins", &sum_bins<Code>, "code"_a.noconvert(), "n_bins"_a, "weight"_a.noconvert(),
        "first_child"_a.noconvert(), "feature"_a.noconvert(), "child"_a.noconvert(), "place"_a.noconvert(),
        "y"_a.noconvert(), "n_classes"_a, "origin"_a.noconvert(), "n_threads"_a, "table"_a.noconvert());
  m.def("find_bins", &find_bins<Code>, "X"_a.noconvert(), "edge"_a, "n_levels"_a.noconvert(), "n_bins"_a, "n_threads"_a,
        "code"_a.noconvert());
}

}  // namespace

void bind_bins(nb::module_& m) {
  bind_codes<std::uint8_t>(m);
  bind_codes<std::uint16_t>(m);
}

}  // namespace softwood
