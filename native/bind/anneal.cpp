#include "anneal/anneal.hpp"

#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

#include "bind/module.hpp"

namespace softwood {

namespace {

// Arrays of an AnnealProblem, which must live as long as the annealer.
RampProblem view_problem(nb::handle problem) {
  const GilReacquire way;
  const auto floats = [&](const char* name) { return view<const double>(problem, name); };
  const auto ints = [&](const char* name) { return view<const std::int32_t>(problem, name); };
  const auto longs = [&](const char* name) { return view<const std::int64_t>(problem, name); };
  const std::span<const std::int32_t> first_child = ints("first_child");
  const std::span<const double> response = floats("response");
  return {.first_child = first_child,
          .n_children = ints("n_children"),
          .feature = ints("feature"),
          .missing_row = ints("missing_row"),
          .code = ints("code"),
          .threshold = floats("threshold"),
          .response = response,
          .scale = floats("scale"),
          .fixed = floats("fixed"),
          .missing_share = floats("missing_share"),
          .y = floats("y"),
          .weight = floats("weight"),
          .softens = view<const std::uint8_t>(problem, "softens"),
          .fixed_begin = longs("fixed_begin"),
          .missing_begin = longs("missing_begin"),
          .X = as_table(nb::cast<Rows>(problem.attr("X"))),
          .n_outputs = first_child.empty() ? 0 : response.size() / first_child.size(),
          .alpha = nb::cast<double>(problem.attr("alpha"))};
}

void check_size(const char* name, std::size_t size, std::size_t wanted) {
  if (size == wanted) return;
  refuse(std::string(name) + " must have " + std::to_string(wanted) + " numbers, got " + std::to_string(size) + ".");
}

// Sizes of arrays, and ranges of children, inputs and classes. The tree has checked its values.
RampProblem check_sizes(const RampProblem& p) {
  const std::size_t n = p.first_child.size(), rows = p.X.rows;
  require(n > 0 && p.n_children.size() == n && p.feature.size() == n && p.threshold.size() == n &&
              p.softens.size() == n && p.scale.size() == 2 * n && p.fixed_begin.size() == n &&
              p.response.size() == n * p.n_outputs,
          "every array of nodes must have an entry for each of them.");
  require(p.missing_row.size() == p.missing_share.size() && are_begins(p.missing_begin, n, p.missing_row.size()),
          "missing_begin must rise from 0 to the number of missing rows, each of which has a share.");
  require(p.weight.size() == rows && (p.code.empty() ? p.y.size() == rows * p.n_outputs : p.code.size() == rows),
          "weight, and the classes or numbers, must have an entry for each row.");
  require(are_codes(p.code.data(), p.code.size(), p.n_outputs), "a code names no class.");
  for (std::size_t m = 0; m < n; ++m) {
    const auto first = std::int64_t{p.first_child[m]}, children = std::int64_t{p.n_children[m]};
    if (children <= 0) continue;
    require(first > static_cast<std::int64_t>(m) && first + children <= static_cast<std::int64_t>(n),
            "children must come after their parent, within the tree.");
    require(p.softens[m] ? children == 2 && are_codes(&p.feature[m], 1, p.X.columns)
                         : p.fixed_begin[m] >= 0 &&
                               static_cast<std::size_t>(p.fixed_begin[m]) + rows * static_cast<std::size_t>(children) <=
                                   p.fixed.size(),
            "a gate needs an input that it softens, or shares that are fixed.");
  }
  return p;
}

// The annealer's tree with other thresholds and responses, which must outlive it.
RampTree move_tree(const Annealer& self, const Flat<double>& theta, const Flat<double>& threshold,
                   const Flat<double>& response) {
  RampProblem problem = self.tree().problem();
  check_size("theta", theta.size(), self.theta().size());
  check_size("threshold", threshold.size(), problem.threshold.size());
  check_size("response", response.size(), problem.response.size());
  problem.threshold = {threshold.data(), threshold.size()};
  problem.response = {response.data(), response.size()};
  return RampTree(problem);
}

}  // namespace

void bind_anneal(nb::module_& m) {
  nb::class_<Annealer>(m, "Annealer")
      .def(
          "__init__",
          [](Annealer* self, nb::handle problem, std::uint64_t seed) {
            new (self) Annealer(check_sizes(view_problem(problem)), seed);
          },
          "problem"_a, "seed"_a, nb::keep_alive<1, 2>())
      .def(
          "run",
          [](Annealer& self, std::int64_t max_calls, std::int64_t patience) {
            auto now = without_gil([&] { return self.run(max_calls, patience); });
            return std::make_tuple(now.calls, now.successes, now.failures, now.loss);
          },
          "max_calls"_a, "patience"_a)
      .def("theta", [](const Annealer& self) { return array(self.theta(), {self.theta().size() / 2, 2}); })
      .def(
          "loss",
          [](const Annealer& self, const Flat2<double>& theta, int n_threads) {
            check_size("theta", theta.size(), self.theta().size());
            const GilRelease release;
            return self.tree().loss(theta.data(), n_threads);
          },
          "theta"_a.noconvert(), "n_threads"_a)
      .def(
          "gradient",
          [](const Annealer& self, const Flat<double>& theta, const Flat<double>& threshold,
             const Flat<double>& response, Out<double, 1>& slope, int n_threads) {
            const RampTree moved = move_tree(self, theta, threshold, response);
            check_size("slope", slope.size(), moved.n_slopes());
            const GilRelease release;
            return moved.gradient(theta.data(), slope.data(), n_threads);
          },
          "theta"_a.noconvert(), "threshold"_a.noconvert(), "response"_a.noconvert(), "slope"_a.noconvert(),
          "n_threads"_a);
}

}  // namespace softwood
