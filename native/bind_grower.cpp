#include <nanobind/stl/vector.h>

#include <type_traits>
#include <utility>

#include "bind.hpp"
#include "grow.hpp"
#include "weakest.hpp"

namespace softwood {

using namespace nb::literals;
using namespace hard;

namespace {

nb::dict surrogate_table(const GrownTree& tree) {
  std::vector<std::int32_t> begin{0}, feature, group_begin{0}, group;
  std::vector<double> threshold, agreement, adjusted;
  std::vector<std::uint8_t> flip;
  for (std::int32_t m = 0; m < static_cast<std::int32_t>(tree.node.size()); ++m) {
    if (const auto found = tree.surrogates.find(m); found != tree.surrogates.end())
      for (const Surrogate& s : found->second) {
        feature.push_back(s.feature);
        threshold.push_back(s.threshold);
        flip.push_back(s.flip);
        group.insert(group.end(), s.slot.begin(), s.slot.end());
        group_begin.push_back(static_cast<std::int32_t>(group.size()));
        agreement.push_back(s.agreement);
        adjusted.push_back(s.adjusted);
      }
    begin.push_back(static_cast<std::int32_t>(feature.size()));
  }
  nb::dict table;
  table["begin"] = array(begin);
  table["feature"] = array(feature);
  table["threshold"] = array(threshold);
  table["flip"] = array(flip);
  table["group_begin"] = array(group_begin);
  table["group"] = array(group);
  table["agreement"] = array(agreement);
  table["adjusted"] = array(adjusted);
  return table;
}

// A read-only NumPy array that owns its values: a Tree keeps it as it is. `value` gives them one by one.
template <class T, class Value>
nb::object lasting(const nb::tuple& shape, const Value& value) {
  nb::object made = nb::module_::import_("numpy").attr("empty")(shape, std::is_same_v<T, double> ? "float64" : "int32");
  const auto view = nb::cast<nb::ndarray<T, nb::c_contig, nb::device::cpu>>(made);
  for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = value(i);
  made.attr("setflags")("write"_a = false);
  return made;
}

template <class T>
nb::object column(const GrownTree& tree, T GrownNode::* field) {
  return lasting<T>(nb::make_tuple(tree.node.size()), [&](std::size_t m) { return tree.node[m].*field; });
}

nb::object table(const GrownTree& tree, const std::vector<double>& values, int width) {
  return lasting<double>(nb::make_tuple(tree.node.size(), width), [&](std::size_t i) { return values[i]; });
}

// The slots of category splits, flat, and where those of each node begin.
std::pair<nb::object, nb::object> groups(const GrownTree& tree) {
  std::vector<std::int32_t> group;
  const auto begin = [&](std::size_t m) {
    const auto before = m ? tree.slot.find(static_cast<std::int32_t>(m - 1)) : tree.slot.end();
    if (before != tree.slot.end()) group.insert(group.end(), before->second.begin(), before->second.end());
    return static_cast<std::int32_t>(group.size());
  };
  nb::object group_begin = lasting<std::int32_t>(nb::make_tuple(tree.node.size() + 1), begin);
  return {group_begin, array(group)};
}

nb::dict grown_dict(const GrownTree& tree) {
  const auto [group_begin, group] = groups(tree);
  nb::dict dict;
  dict["first_child"] = column(tree, &GrownNode::first_child);
  dict["feature"] = column(tree, &GrownNode::feature);
  dict["threshold"] = column(tree, &GrownNode::threshold);
  dict["group_begin"] = group_begin;
  dict["group"] = group;
  dict["default"] = column(tree, &GrownNode::default_slot);
  dict["fraction"] = column(tree, &GrownNode::fraction);
  dict["count"] = column(tree, &GrownNode::count);
  dict["value"] = table(tree, tree.value, tree.parts);
  dict["impurity"] = column(tree, &GrownNode::impurity);
  dict["gain"] = column(tree, &GrownNode::gain);
  dict["lower"] = table(tree, tree.lower, tree.quantities);
  dict["upper"] = table(tree, tree.upper, tree.quantities);
  dict["surrogates"] = surrogate_table(tree);
  return dict;
}

nb::dict grow_tree(const Columns& columns, const In<std::int32_t>& code, const In<double>& y,
                   const Flat<double>& weight, const Flat<double>& factor, int n_classes, int criterion, int max_depth,
                   int max_leaves, double min_samples_split, double min_samples_leaf, double min_impurity,
                   double min_impurity_decrease, int missing, int max_surrogates, const std::vector<int>& monotone,
                   int n_threads) {
  Target target;
  if (n_classes > 0)
    target.code = code.data();
  else
    target.y = y.data();
  target.parts = n_classes > 0 ? n_classes : static_cast<int>(y.shape(1));
  target.weight = weight.data();
  target.factor = factor.size() ? factor.data() : nullptr;
  const Growth growth{max_depth,
                      max_leaves,
                      min_samples_split,
                      min_samples_leaf,
                      min_impurity,
                      min_impurity_decrease,
                      static_cast<Missing>(missing),
                      max_surrogates,
                      monotone};
  GrownTree tree;
  {
    const nb::gil_scoped_release free;
    tree = grow(columns, target, static_cast<Criterion>(criterion), growth, n_threads);
  }
  return grown_dict(tree);
}

nb::dict replay(const Columns& columns, const Flat<double>& weight, const Flat<std::int32_t>& first_child,
                const Flat<std::int32_t>& feature, const Flat<double>& threshold, const Flat<std::int32_t>& group_begin,
                const Flat<std::int32_t>& group, const Flat<std::int32_t>& default_slot, int max_surrogates,
                const std::vector<int>& monotone, int n_threads) {
  GrownTree tree;
  tree.node.resize(first_child.size());
  for (std::size_t m = 0; m < tree.node.size(); ++m) {
    GrownNode& node = tree.node[m];
    node.first_child = first_child.data()[m];
    node.feature = feature.data()[m];
    node.threshold = threshold.data()[m];
    node.default_slot = default_slot.data()[m];
    const std::int32_t *begin = group.data() + group_begin.data()[m], *end = group.data() + group_begin.data()[m + 1];
    if (begin != end) tree.slot[static_cast<std::int32_t>(m)].assign(begin, end);
  }
  {
    const nb::gil_scoped_release free;
    replay_surrogates(columns, weight.data(), tree, max_surrogates, monotone, n_threads);
  }
  return surrogate_table(tree);
}

nb::object collapse(const Flat<std::int32_t>& parent, const Flat<double>& risk) {
  std::vector<double> alpha;
  {
    const nb::gil_scoped_release free;
    alpha = collapse_alphas(parent.data(), risk.data(), parent.size());
  }
  return array(alpha);
}

}  // namespace

void bind_grower(nb::module_& m) {
  m.def("collapse_alphas", &collapse, nb::arg("parent").noconvert(), nb::arg("risk").noconvert());
  nb::class_<Columns>(m, "Columns")
      .def(
          "__init__",
          [](Columns* self, const Rows& X, std::vector<int> n_levels, const Flat<double>& weight, int max_bins,
             int n_threads) {
            const nb::gil_scoped_release free;
            new (self) Columns(as_table(X), std::move(n_levels), weight.data(), max_bins, n_threads);
          },
          nb::arg("X").noconvert(), "n_levels"_a, nb::arg("weight").noconvert(), "max_bins"_a, "n_threads"_a,
          nb::keep_alive<1, 2>());
  m.def("grow", &grow_tree, "columns"_a, nb::arg("code").noconvert(), nb::arg("y").noconvert(),
        nb::arg("weight").noconvert(), nb::arg("factor").noconvert(), "n_classes"_a, "criterion"_a, "max_depth"_a,
        "max_leaves"_a, "min_samples_split"_a, "min_samples_leaf"_a, "min_impurity"_a, "min_impurity_decrease"_a,
        "missing"_a, "max_surrogates"_a, "monotone"_a, "n_threads"_a);
  m.def("replay", &replay, "columns"_a, nb::arg("weight").noconvert(), nb::arg("first_child").noconvert(),
        nb::arg("feature").noconvert(), nb::arg("threshold").noconvert(), nb::arg("group_begin").noconvert(),
        nb::arg("group").noconvert(), nb::arg("default").noconvert(), "max_surrogates"_a, "monotone"_a, "n_threads"_a);
}

}  // namespace softwood
