#include "hard/grower.hpp"

#include <type_traits>
#include <utility>

#include "bind/module.hpp"
#include "hard/cost_complexity.hpp"

namespace softwood {

using namespace hard;

namespace {

constexpr int WIDE = 16;  // classes or targets

// Slots of gates on categories, one gate after the other: one per level, or, if that is more than `most` slots, of the
// levels that each gate knows, with the levels beside the slots.
struct Groups {
  bool every = true;
  std::vector<std::int32_t> slot, level;

  void add(const LevelSlots& slots, int n_levels) {
    if (every) {
      const std::vector<std::int32_t> all = every_slot(slots, static_cast<std::size_t>(n_levels));
      slot.insert(slot.end(), all.begin(), all.end());
      return;
    }
    for (const LevelSlot& known : slots) {
      level.push_back(known.level);
      slot.push_back(known.slot);
    }
  }
  std::int32_t size() const { return static_cast<std::int32_t>(slot.size()); }
};

bool keeps_every_level(const Columns& columns, const std::vector<int>& feature, std::size_t most) {
  std::size_t places = 0;
  for (const int f : feature) places += static_cast<std::size_t>(columns.n_levels[static_cast<std::size_t>(f)]);
  return places <= most;
}

nb::dict surrogate_table(const GrownTree& tree, const Columns& columns, std::size_t every_level) {
  std::vector<std::int32_t> begin{0}, feature, group_begin{0};
  std::vector<double> threshold, agreement, adjusted;
  std::vector<std::uint8_t> flip;
  for (const auto& [node, surrogates] : tree.surrogates)
    for (const hard::Surrogate& s : surrogates) feature.push_back(s.feature);
  Groups groups{keeps_every_level(columns, std::exchange(feature, {}), every_level), {}, {}};
  for (std::int32_t m = 0; m < static_cast<std::int32_t>(tree.node.size()); ++m) {
    if (const auto found = tree.surrogates.find(m); found != tree.surrogates.end())
      for (const hard::Surrogate& s : found->second) {
        feature.push_back(s.feature);
        threshold.push_back(s.threshold);
        flip.push_back(s.flip);
        groups.add(s.slot, columns.n_levels[static_cast<std::size_t>(s.feature)]);
        group_begin.push_back(groups.size());
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
  table["group"] = array(groups.slot);
  table["group_level"] = array(groups.level);
  table["agreement"] = array(agreement);
  table["adjusted"] = array(adjusted);
  return table;
}

template <class T>
nb::object kept_column(const GrownTree& tree, T GrownNode::* field) {
  return readonly_array<T>(nb::make_tuple(tree.node.size()), [&](std::size_t m) { return tree.node[m].*field; });
}

nb::object table(const GrownTree& tree, const std::vector<double>& values, int width) {
  return readonly_array<double>(nb::make_tuple(tree.node.size(), width), [&](std::size_t i) { return values[i]; });
}

// A wide table is moved, not copied: with many classes it is most of the tree.
nb::object take_values(GrownTree& tree) {
  if (tree.parts < WIDE) return table(tree, tree.value, tree.parts);
  return array(std::move(tree.value), {tree.node.size(), static_cast<std::size_t>(tree.parts)});
}

// The slots of category splits; begin[m] is where those of node m begin.
Groups node_groups(const GrownTree& tree, const Columns& columns, std::size_t every_level,
                   std::vector<std::int32_t>& begin) {
  std::vector<int> feature;
  for (const auto& [node, slots] : tree.slot) feature.push_back(tree.node[static_cast<std::size_t>(node)].feature);
  Groups groups{keeps_every_level(columns, feature, every_level), {}, {}};
  begin.reserve(tree.node.size() + 1);
  begin.push_back(0);
  auto next = tree.slot.begin();
  for (std::int32_t m = 0; m < static_cast<std::int32_t>(tree.node.size()); ++m) {
    if (next != tree.slot.end() && next->first == m) {
      groups.add(next->second,
                 columns.n_levels[static_cast<std::size_t>(tree.node[static_cast<std::size_t>(m)].feature)]);
      ++next;
    }
    begin.push_back(groups.size());
  }
  return groups;
}

nb::dict grown_dict(GrownTree& tree, const Columns& columns, std::size_t every_level) {
  std::vector<std::int32_t> group_begin;
  const Groups groups = node_groups(tree, columns, every_level, group_begin);
  nb::dict dict;
  dict["first_child"] = kept_column(tree, &GrownNode::first_child);
  dict["feature"] = kept_column(tree, &GrownNode::feature);
  dict["threshold"] = kept_column(tree, &GrownNode::threshold);
  dict["group_begin"] = readonly_array(group_begin);
  dict["group"] = readonly_array(groups.slot);
  dict["group_level"] = readonly_array(groups.level);
  dict["default"] = kept_column(tree, &GrownNode::default_slot);
  dict["fraction"] = kept_column(tree, &GrownNode::fraction);
  dict["count"] = kept_column(tree, &GrownNode::count);
  dict["value"] = take_values(tree);
  dict["impurity"] = kept_column(tree, &GrownNode::impurity);
  dict["gain"] = kept_column(tree, &GrownNode::gain);
  dict["lower"] = table(tree, tree.lower, tree.quantities);
  dict["upper"] = table(tree, tree.upper, tree.quantities);
  dict["surrogates"] = surrogate_table(tree, columns, every_level);
  return dict;
}

nb::dict grow_tree(const Columns& columns, const Flat<std::int32_t>& code, const Flat2<double>& y,
                   const Flat<double>& weight, const Flat<double>& factor, int n_classes, int criterion, int max_depth,
                   int max_leaves, double min_samples_split, double min_samples_leaf, double min_impurity,
                   double min_impurity_decrease, int missing, int max_surrogates, const nb::sequence& monotone,
                   const nb::sequence& parameter, std::size_t max_places, std::size_t every_level, int n_threads) {
  const std::size_t rows = columns.X.rows;
  require(weight.size() == rows && (n_classes > 0 ? code.size() : y.shape(0)) == rows,
          "weight, and the classes or numbers, must have an entry for each row.");
  require(n_classes <= 0 || are_codes(code.data(), rows, static_cast<std::size_t>(n_classes)),
          "a code names no class.");
  require(!factor.size() || factor.size() == static_cast<std::size_t>(std::max(n_classes, 0)),
          "factor must have an entry for each class, or none.");
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
                      items<int>(monotone, "monotone"),
                      items<double>(parameter, "parameter"),
                      max_places};
  auto tree = without_gil([&] { return grow(columns, target, static_cast<Criterion>(criterion), growth, n_threads); });
  return grown_dict(tree, columns, every_level);
}

// The tree for a replay: binary branches after their parents, with valid inputs and levels.
void check_branches(const Columns& columns, const GrownTree& tree) {
  const auto nodes = static_cast<std::int64_t>(tree.node.size());
  for (std::int64_t m = 0; m < nodes; ++m) {
    const GrownNode& node = tree.node[static_cast<std::size_t>(m)];
    if (node.first_child < 0) continue;
    require(node.first_child > m && std::int64_t{node.first_child} + 1 < nodes,
            "children must come after their parent, within the tree.");
    require(node.feature >= 0 && static_cast<std::size_t>(node.feature) < columns.features(),
            "a branch asks for an input that is not there.");
    require(node.default_slot == 0 || node.default_slot == 1, "default must be 0 or 1.");
    const auto found = tree.slot.find(static_cast<std::int32_t>(m));
    const std::int32_t levels = columns.n_levels[static_cast<std::size_t>(node.feature)];
    require((found == tree.slot.end()) == (levels == 0),
            "a branch on a category, and no other, needs slots of levels.");
    if (!levels) continue;
    std::int32_t last = -1;
    for (const LevelSlot& known : found->second) {
      require(known.level > last && known.level < levels, "levels must rise, and be there.");
      require(known.slot >= -1 && known.slot <= 1, "slots must be -1, 0 or 1.");
      last = known.level;
    }
  }
}

nb::dict replay(const Columns& columns, const Flat<double>& weight, const Flat<std::int32_t>& first_child,
                const Flat<std::int32_t>& feature, const Flat<double>& threshold, const Flat<std::int32_t>& group_begin,
                const Flat<std::int32_t>& group, const Flat<std::int32_t>& group_level,
                const Flat<std::int32_t>& default_slot, int max_surrogates, const nb::sequence& signs,
                std::size_t every_level, int n_threads) {
  const auto monotone = items<int>(signs, "monotone");
  const std::size_t n = first_child.size();
  require(n && feature.size() == n && threshold.size() == n && default_slot.size() == n &&
              group_begin.size() == n + 1 && weight.size() == columns.X.rows,
          "the arrays of the branches must have an entry for each node, weight one for each row.");
  require(monotone.empty() || monotone.size() == columns.features(), "monotone must have a sign for each input.");
  const std::int32_t* begins = group_begin.data();
  require(are_begins(group_begin, n, group.size()), "group_begin must rise from 0 to the number of slots.");
  require(!group_level.size() || group_level.size() == group.size(), "group_level must have a level for each slot.");
  GrownTree tree;
  tree.node.resize(n);
  for (std::size_t m = 0; m < tree.node.size(); ++m) {
    GrownNode& node = tree.node[m];
    node.first_child = first_child.data()[m];
    node.feature = feature.data()[m];
    node.threshold = threshold.data()[m];
    node.default_slot = default_slot.data()[m];
    for (std::int32_t i = begins[m]; i < begins[m + 1]; ++i) {
      const std::int32_t level = group_level.size() ? group_level.data()[i] : i - begins[m];
      tree.slot[static_cast<std::int32_t>(m)].push_back({level, group.data()[i]});
    }
  }
  check_branches(columns, tree);
  without_gil([&] { replay_surrogates(columns, weight.data(), tree, max_surrogates, monotone, n_threads); });
  return surrogate_table(tree, columns, every_level);
}

nb::object collapse(const Flat<std::int32_t>& parent, const Flat<double>& risk) {
  require(parent.size() == risk.size(), "parent and risk must have an entry for each node.");
  for (std::size_t node = 1; node < parent.size(); ++node)
    require(parent.data()[node] >= 0 && static_cast<std::size_t>(parent.data()[node]) < node,
            "parents must come before their children.");
  auto alpha = without_gil([&] { return collapse_alphas(parent.data(), risk.data(), parent.size()); });
  return array(alpha);
}

// A copy of the rows of a sparse table, whose columns must be valid and increasing.
SparseRows as_sparse(const Flat<std::int64_t>& begin, const Flat<std::int32_t>& column, const Flat<double>& value,
                     std::size_t n_columns) {
  const std::int64_t* at = begin.data();
  require(begin.size() > 0 && are_begins(begin, begin.size() - 1, value.size()) && column.size() == value.size(),
          "begin must rise from 0 to the number of values, each of which has a column.");
  require(are_codes(column.data(), column.size(), n_columns), "a value is of a column that is not there.");
  for (std::size_t row = 0; row + 1 < begin.size(); ++row)
    require(std::adjacent_find(column.data() + at[row], column.data() + at[row + 1],
                               [](std::int32_t a, std::int32_t b) { return a >= b; }) == column.data() + at[row + 1],
            "columns must rise within a row.");
  return {begin.size() - 1, n_columns, at, column.data(), value.data()};
}

}  // namespace

void bind_grower(nb::module_& m) {
  m.def("collapse_alphas", &collapse, "parent"_a.noconvert(), "risk"_a.noconvert());
  nb::class_<Columns>(m, "Columns")
      .def(
          "__init__",
          [](Columns* self, const Rows& X, const nb::sequence& n_levels, const Flat<double>& weight, int max_bins,
             int n_threads) {
            auto levels = items<int>(n_levels, "n_levels");
            require(weight.size() == X.shape(0) && levels.size() == X.shape(1),
                    "weight must have an entry for each row, n_levels one for each column.");
            const GilRelease release;
            new (self) Columns(as_table(X), std::move(levels), weight.data(), max_bins, n_threads);
          },
          "X"_a.noconvert(), "n_levels"_a, "weight"_a.noconvert(), "max_bins"_a, "n_threads"_a, nb::keep_alive<1, 2>())
      .def(
          "__init__",
          [](Columns* self, const Flat<std::int64_t>& begin, const Flat<std::int32_t>& column,
             const Flat<double>& value, std::size_t n_columns, const Flat<double>& weight, int max_bins,
             int n_threads) {
            const SparseRows X = as_sparse(begin, column, value, n_columns);
            require(weight.size() == X.rows, "weight must have an entry for each row.");
            const GilRelease release;
            new (self) Columns(X, weight.data(), max_bins, n_threads);
          },
          "begin"_a.noconvert(), "column"_a.noconvert(), "value"_a.noconvert(), "n_columns"_a, "weight"_a.noconvert(),
          "max_bins"_a, "n_threads"_a);
  m.def("grow", &grow_tree, "columns"_a, "code"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert(),
        "factor"_a.noconvert(), "n_classes"_a, "criterion"_a, "max_depth"_a, "max_leaves"_a, "min_samples_split"_a,
        "min_samples_leaf"_a, "min_impurity"_a, "min_impurity_decrease"_a, "missing"_a, "max_surrogates"_a,
        "monotone"_a, "parameter"_a, "max_places"_a, "every_level"_a, "n_threads"_a);
  m.def("replay", &replay, "columns"_a, "weight"_a.noconvert(), "first_child"_a.noconvert(), "feature"_a.noconvert(),
        "threshold"_a.noconvert(), "group_begin"_a.noconvert(), "group"_a.noconvert(), "group_level"_a.noconvert(),
        "default"_a.noconvert(), "max_surrogates"_a, "monotone"_a, "every_level"_a, "n_threads"_a);
}

}  // namespace softwood
