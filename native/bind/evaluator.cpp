#include "predict/evaluator.hpp"

#include "bind/module.hpp"
#include "predict/link.hpp"
#include "predict/validate.hpp"

namespace softwood {

namespace {

// Arrays of a softwood.tree.Tree; they belong to `tree`, so the views live as long as it does.
TreeArrays view_tree(nb::handle tree, Floats low = {}, Floats high = {}) {
  const GilReacquire way;
  const auto floats = [&](const char* name) { return view<const double>(tree, name); };
  const auto ints = [&](const char* name) { return view<const std::int32_t>(tree, name); };
  const auto kinds = [&](const char* name) { return view<const std::uint8_t>(tree, name); };
  const nb::object basis = tree.attr("basis"), surrogates = tree.attr("surrogates");
  return {
      .n_outputs = nb::cast<std::size_t>(tree.attr("n_outputs")),
      .n_features = nb::cast<std::size_t>(tree.attr("n_features")),
      .response = floats("response"),
      .leafness = floats("leafness"),
      .threshold = floats("threshold"),
      .softness = floats("softness"),
      .fraction = floats("fraction"),
      .bias = floats("bias"),
      .cut = floats("cut"),
      .weight = floats("weight"),
      .slope = floats("slope"),
      .first_child = ints("first_child"),
      .n_children = ints("n_children"),
      .feature = ints("feature"),
      .default_slot = ints("default"),
      .slope_row = ints("slope_row"),
      .group_begin = ints("group_begin"),
      .group = ints("group"),
      .group_level = ints("group_level"),
      .cut_begin = ints("cut_begin"),
      .weight_begin = ints("weight_begin"),
      .weight_column = ints("weight_column"),
      .score = kinds("score"),
      .squash = kinds("squash"),
      .missing = kinds("missing"),
      .basis = {view<const std::uint8_t>(basis, "term"), view<const std::int32_t>(basis, "feature"),
                view<const double>(basis, "parameter"), view<const double>(basis, "when_missing"), low, high},
      .surrogates = {view<const std::int32_t>(surrogates, "begin"), view<const std::int32_t>(surrogates, "feature"),
                     view<const std::int32_t>(surrogates, "group_begin"), view<const std::int32_t>(surrogates, "group"),
                     view<const std::int32_t>(surrogates, "group_level"), view<const double>(surrogates, "threshold"),
                     view<const bool>(surrogates, "flip")},
  };
}

// The tree is valid; here only the lengths of its arrays are checked.
const TreeArrays& check_sizes(const TreeArrays& tree) {
  const std::size_t n = tree.leafness.size(), surrogates = tree.surrogates.feature.size(),
                    basis = tree.basis.term.size();
  for (const auto& values : {tree.threshold, tree.fraction, tree.bias})
    require(values.size() == n, "every array of nodes must have an entry for each of them.");
  for (const auto& values : {tree.first_child, tree.n_children, tree.feature, tree.default_slot, tree.slope_row})
    require(values.size() == n, "every array of nodes must have an entry for each of them.");
  for (const auto& values : {tree.score, tree.squash, tree.missing})
    require(values.size() == n, "every array of nodes must have an entry for each of them.");
  for (const auto& begin : {tree.group_begin, tree.cut_begin, tree.weight_begin})
    require(begin.size() == n + 1, "where entries begin needs one number more than there are nodes.");
  require(n > 0 && tree.response.size() == n * tree.n_outputs && tree.softness.size() == 2 * n &&
              tree.weight.size() == tree.weight_column.size(),
          "response, softness and weights must have an entry for each node, side and column.");
  const auto fits = [](Ints level, Ints group) { return level.empty() || level.size() == group.size(); };
  require(fits(tree.group_level, tree.group) && fits(tree.surrogates.group_level, tree.surrogates.group),
          "group_level must have a level for each slot, or none.");
  require(tree.surrogates.threshold.size() == surrogates && tree.surrogates.flip.size() == surrogates &&
              (!surrogates || tree.surrogates.group_begin.size() == surrogates + 1) &&
              (tree.surrogates.begin.empty() || tree.surrogates.begin.size() == n + 1),
          "the arrays of the surrogates must have one length.");
  require(tree.basis.feature.size() == basis && tree.basis.parameter.size() == basis &&
              tree.basis.when_missing.size() == basis,
          "the arrays of the basis must have one length.");
  return tree;
}

// Checks the shapes, then calls work(table) without the interpreter's lock.
template <class Work>
void evaluate(const Evaluator& self, const Rows& rows, std::size_t out_rows, std::size_t out_columns,
              std::size_t columns, Work&& work) {
  require(rows.shape(1) == self.n_features(), "X must have as many columns as the tree has inputs.");
  require(out_rows == rows.shape(0) && out_columns == columns, "out must have one entry for each row and answer.");
  const GilRelease release;
  work(as_table(rows));
}

Link as_link(int link) {
  require(link >= 0 && link <= static_cast<int>(Link::log), "link must be 0, 1, 2 or 3.");
  return static_cast<Link>(link);
}

}  // namespace

void bind_evaluator(nb::module_& m) {
  nb::class_<Evaluator>(m, "Evaluator", "Answers of one tree, from a packed copy of its arrays.")
      .def(
          "__init__",
          [](Evaluator* self, nb::handle tree, const Flat<double>& low, const Flat<double>& high) {
            const TreeArrays arrays = view_tree(tree, {low.data(), low.size()}, {high.data(), high.size()});
            require(low.size() == arrays.basis.term.size() && high.size() == low.size(),
                    "low and high must have an entry for each column of the basis.");
            new (self) Evaluator(check_sizes(arrays));
          },
          "tree"_a, "low"_a.noconvert(), "high"_a.noconvert())
      .def(
          "output",
          [](const Evaluator& self, const Rows& rows, Out<double, 2>& out, int n_threads) {
            evaluate(self, rows, out.shape(0), out.shape(1), self.n_outputs(),
                     [&](const Table& table) { self.output(table, out.data(), n_threads); });
          },
          "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a)
      .def(
          "predict",
          [](const Evaluator& self, const Rows& rows, int link, Out<double, 2>& out, int n_threads) {
            evaluate(self, rows, out.shape(0), out.shape(1), count_answers(as_link(link), self.n_outputs()),
                     [&](const Table& table) { self.predict(table, as_link(link), out.data(), n_threads); });
          },
          "X"_a.noconvert(), "link"_a, "out"_a.noconvert(), "n_threads"_a)
      .def(
          "decide",
          [](const Evaluator& self, const Rows& rows, int link, Out<std::int64_t, 1>& out, int n_threads) {
            evaluate(self, rows, out.shape(0), 1, 1,
                     [&](const Table& table) { self.decide(table, as_link(link), out.data(), n_threads); });
          },
          "X"_a.noconvert(), "link"_a, "out"_a.noconvert(), "n_threads"_a)
      .def(
          "reach",
          [](const Evaluator& self, const Rows& rows, Out<double, 2>& out, int n_threads) {
            evaluate(self, rows, out.shape(0), out.shape(1), self.n_nodes(),
                     [&](const Table& table) { self.reach(table, out.data(), n_threads); });
          },
          "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a)
      .def(
          "apply",
          [](const Evaluator& self, const Rows& rows, Out<std::int32_t, 1>& out, int n_threads) {
            evaluate(self, rows, out.shape(0), 1, 1,
                     [&](const Table& table) { self.apply(table, out.data(), n_threads); });
          },
          "X"_a.noconvert(), "out"_a.noconvert(), "n_threads"_a);
  m.def("is_valid", [](nb::handle tree) { return is_valid(check_sizes(view_tree(tree))); }, "tree"_a);
}

}  // namespace softwood
