#include "anneal/anneal.hpp"

#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

#include "bind/module.hpp"

namespace softwood {

using namespace nb::literals;

namespace {

// Arrays of an AnnealProblem, which must live as long as the annealer.
RampProblem view_problem(nb::handle problem) {
  const TowardsPython way;
  const auto floats = [&](const char* name) { return view<double>(problem, name); };
  const auto ints = [&](const char* name) { return view<std::int32_t>(problem, name); };
  const auto longs = [&](const char* name) { return view<std::int64_t>(problem, name); };
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
          .softens = view<std::uint8_t>(problem, "softens"),
          .fixed_begin = longs("fixed_begin"),
          .missing_begin = longs("missing_begin"),
          .X = as_table(nb::cast<Rows>(problem.attr("X"))),
          .n_outputs = response.size() / first_child.size(),
          .alpha = nb::cast<double>(problem.attr("alpha"))};
}

void check_size(const char* name, std::size_t size, std::size_t wanted) {
  if (size == wanted) return;
  const std::string told = std::to_string(wanted) + " numbers, got " + std::to_string(size) + ".";
  throw nb::value_error((std::string(name) + " must have " + told).c_str());
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
            new (self) Annealer(view_problem(problem), seed);
          },
          "problem"_a, "seed"_a, nb::keep_alive<1, 2>())
      .def(
          "run",
          [](Annealer& self, std::int64_t max_calls, std::int64_t patience) {
            AnnealProgress now;
            {
              const Unlocked free;
              now = self.run(max_calls, patience);
            }
            return std::make_tuple(now.calls, now.successes, now.failures, now.loss);
          },
          "max_calls"_a, "patience"_a)
      .def("theta", [](const Annealer& self) { return array(self.theta(), {self.theta().size() / 2, 2}); })
      .def(
          "loss",
          [](const Annealer& self, const In<double>& theta, int n_threads) {
            check_size("theta", theta.size(), self.theta().size());
            const Unlocked free;
            return self.tree().loss(theta.data(), n_threads);
          },
          nb::arg("theta").noconvert(), "n_threads"_a)
      .def(
          "gradient",
          [](const Annealer& self, const Flat<double>& theta, const Flat<double>& threshold,
             const Flat<double>& response, Out<double, 1>& slope, int n_threads) {
            const RampTree moved = move_tree(self, theta, threshold, response);
            check_size("slope", slope.size(), moved.n_slopes());
            const Unlocked free;
            return moved.gradient(theta.data(), slope.data(), n_threads);
          },
          nb::arg("theta").noconvert(), nb::arg("threshold").noconvert(), nb::arg("response").noconvert(),
          nb::arg("slope").noconvert(), "n_threads"_a);
}

}  // namespace softwood
