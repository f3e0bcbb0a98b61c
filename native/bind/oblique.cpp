// The growth of oblique trees, for Python.
#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "bind/module.hpp"
#include "oblique/gate_selection.hpp"
#include "oblique/grower.hpp"

namespace softwood {
namespace {

nb::dict grown_dict(const oblique::GrownTree& tree, std::size_t columns) {
  const std::size_t n = tree.node.size();
  std::vector<std::int32_t> group_begin{0}, group;
  for (std::int32_t m = 0; m < static_cast<std::int32_t>(n); ++m) {
    if (const auto found = tree.slot.find(m); found != tree.slot.end()) {
      group.insert(group.end(), found->second.begin(), found->second.end());
    }
    group_begin.push_back(static_cast<std::int32_t>(group.size()));
  }
  nb::dict dict;
  dict["first_child"] = column(tree.node, &oblique::GrownNode::first_child);
  dict["gate"] = column(tree.node, &oblique::GrownNode::gate);
  dict["feature"] = column(tree.node, &oblique::GrownNode::feature);
  dict["threshold"] = column(tree.node, &oblique::GrownNode::threshold);
  dict["default"] = column(tree.node, &oblique::GrownNode::default_slot);
  dict["bias"] = column(tree.node, &oblique::GrownNode::bias);
  dict["count"] = column(tree.node, &oblique::GrownNode::count);
  dict["impurity"] = column(tree.node, &oblique::GrownNode::impurity);
  dict["gain"] = column(tree.node, &oblique::GrownNode::gain);
  dict["value"] = array(tree.value, {n, tree.parts});
  dict["weight"] = array(tree.weight, {columns ? tree.weight.size() / columns : 0, columns});
  dict["group_begin"] = array(group_begin);
  dict["group"] = array(group);
  return dict;
}

void check_levels(const Table& X, const std::vector<int>& n_levels) {
  require(n_levels.size() == X.columns, "n_levels must have an entry for each column of X.");
  for (std::size_t f = 0; f < X.columns; ++f)
    for (std::size_t row = 0; row < X.rows && n_levels[f]; ++row)
      require(std::isnan(X(row, f)) || (X(row, f) >= 0 && X(row, f) < n_levels[f]), "a code names no category.");
}

// Views of the arrays of a problem; factor is empty for numbers.
oblique::Problem view_problem(const Flat2<double>& phi, const Flat<double>& weight, const Flat<std::int32_t>& code,
                              const Flat<double>& factor, const Flat2<double>& y, int criterion,
                              const std::optional<Rows>& X, const std::vector<int>& n_levels) {
  const std::size_t n = phi.shape(0), classes = factor.size();
  require(!classes || are_codes(code.data(), code.size(), classes), "a code names no class.");
  if (X) check_levels(as_table(*X), n_levels);
  require(n != 0 && weight.size() == n && (classes ? code.size() : y.shape(0)) == n && (!X || X->shape(0) == n),
          "phi, weight, the answers and X must have the same rows, at least one.");
  return {phi.data(),
          n,
          phi.shape(1),
          weight.data(),
          classes ? code.data() : nullptr,
          classes ? factor.data() : nullptr,
          classes,
          classes ? nullptr : y.data(),
          classes ? 0 : y.shape(1),
          static_cast<Criterion>(criterion),
          nullptr};
}

nb::dict grow_discriminant(const Flat2<double>& phi, const Flat<double>& weight, const Flat<std::int32_t>& code,
                           const Flat<double>& factor, const Flat2<double>& y, int criterion,
                           const std::optional<Rows>& X, const nb::sequence& levels, int max_depth,
                           double min_samples_split, double min_samples_leaf, double min_impurity_decrease,
                           double shrinkage, bool gaussian) {
  auto n_levels = items<int>(levels, "n_levels");
  oblique::Problem problem = view_problem(phi, weight, code, factor, y, criterion, X, n_levels);
  const oblique::Limits limits{max_depth, min_samples_split, min_impurity_decrease};
  oblique::GrownTree tree;
  without_gil([&] {
    std::optional<hard::Columns> inputs;
    if (X) inputs.emplace(as_table(*X), std::move(n_levels), weight.data(), 0, 1);
    if (inputs) problem.inputs = &*inputs;
    tree = oblique::grow(problem, limits, {min_samples_leaf, shrinkage, gaussian});
  });
  return grown_dict(tree, phi.shape(1));
}

nb::object gate_losses(const Flat2<double>& phi, const Flat<double>& weight, const Flat<std::int32_t>& code,
                       const Flat<double>& factor, const Flat2<double>& y, int criterion, const std::optional<Rows>& X,
                       const nb::sequence& levels, double min_samples_leaf, double shrinkage, bool gaussian,
                       std::size_t linear, bool lines, bool squares, const Flat2<std::uint8_t>& half) {
  auto n_levels = items<int>(levels, "n_levels");
  oblique::Problem problem = view_problem(phi, weight, code, factor, y, criterion, X, n_levels);
  require(half.shape(1) == phi.shape(0) && half.shape(0) != 0 && linear <= phi.shape(1),
          "half must have a column for every row, and linear gates no more columns than there are.");
  std::vector<double> losses;
  without_gil([&] {
    std::optional<hard::Columns> inputs;
    if (X) inputs.emplace(as_table(*X), std::move(n_levels), weight.data(), 0, 1);
    if (inputs) problem.inputs = &*inputs;
    losses = oblique::gate_selection(problem, {linear, lines, squares}, {min_samples_leaf, shrinkage, gaussian},
                                     half.data(), half.shape(0));
  });
  return array(losses, {losses.size() / (2 * half.shape(0)), half.shape(0), 2});
}

}  // namespace

void bind_oblique(nb::module_& m) {
  m.def("grow_discriminant", &grow_discriminant, "phi"_a.noconvert(), "weight"_a.noconvert(), "code"_a.noconvert(),
        "factor"_a.noconvert(), "y"_a.noconvert(), "criterion"_a, "X"_a.noconvert().none(), "n_levels"_a, "max_depth"_a,
        "min_samples_split"_a, "min_samples_leaf"_a, "min_impurity_decrease"_a, "shrinkage"_a, "gaussian"_a);
  m.def("gate_losses", &gate_losses, "phi"_a.noconvert(), "weight"_a.noconvert(), "code"_a.noconvert(),
        "factor"_a.noconvert(), "y"_a.noconvert(), "criterion"_a, "X"_a.noconvert().none(), "n_levels"_a,
        "min_samples_leaf"_a, "shrinkage"_a, "gaussian"_a, "linear"_a, "lines"_a, "squares"_a, "half"_a.noconvert());
}

}  // namespace softwood
