#include "bind/module.hpp"
#include "hard/c45_grower.hpp"

namespace softwood {

namespace {

nb::dict as_dict(const C45Tree& tree, int n_classes) {
  std::vector<std::int32_t> group_begin{0}, group;
  for (const C45Node& node : tree.node) {
    group.insert(group.end(), node.slot.begin(), node.slot.end());
    group_begin.push_back(static_cast<std::int32_t>(group.size()));
  }
  nb::dict dict;
  dict["first_child"] = column(tree.node, &C45Node::first_child);
  dict["n_children"] = column(tree.node, &C45Node::n_children);
  dict["feature"] = column(tree.node, &C45Node::feature);
  dict["threshold"] = column(tree.node, &C45Node::threshold);
  dict["group_begin"] = array(group_begin);
  dict["group"] = array(group);
  dict["default"] = column(tree.node, &C45Node::default_slot);
  dict["fraction"] = column(tree.node, &C45Node::fraction);
  dict["value"] = array(tree.value, {tree.node.size(), static_cast<std::size_t>(n_classes)});
  dict["gain"] = column(tree.node, &C45Node::gain);
  return dict;
}

nb::dict grow(const Rows& X, const nb::sequence& levels, const Flat<std::int32_t>& code, const Flat<double>& weight,
              int n_classes, double min_cases, bool subsets, int n_threads) {
  auto n_levels = items<int>(levels, "n_levels");
  require(code.size() == X.shape(0) && weight.size() == X.shape(0) && n_levels.size() == X.shape(1),
          "code and weight must have an entry for each row, n_levels one for each column.");
  auto tree = without_gil([&] {
    return grow_c45({as_table(X), std::move(n_levels), code.data(), weight.data(), n_classes, min_cases, subsets},
                    n_threads);
  });
  return as_dict(tree, n_classes);
}

}  // namespace

void bind_c45(nb::module_& m) {
  m.def("grow_c45", &grow, "X"_a.noconvert(), "n_levels"_a, "code"_a.noconvert(), "weight"_a.noconvert(), "n_classes"_a,
        "min_cases"_a, "subsets"_a, "n_threads"_a);
}

}  // namespace softwood
