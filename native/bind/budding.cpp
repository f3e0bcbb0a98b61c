// Budding trees for Python. A state is any object with the attributes of kernels/contracts/online_state.py; its arrays
// change in place.

#include "bind/module.hpp"
#include "budding/online_update.hpp"
#include "budding/running_scale.hpp"

namespace softwood {
namespace {

using namespace budding;

template <class T>
OnlineState<T> open_state(nb::handle python) {
  const GilReacquire way;
  OnlineState<T> state{};
  const auto open = [&]<class U>(U*& data, const char* name) {
    const std::span<U> values = view<U>(python, name);
    data = values.empty() ? nullptr : values.data();
    return values.size();
  };
  state.room = open(state.first_child, "first_child");
  const std::size_t numbers = open(state.number, "number"), memories = open(state.memory, "memory"),
                    speeds = open(state.speed, "speed"), pendings = open(state.pending, "pending"),
                    ages = open(state.age, "age");
  const std::span<std::int64_t> count = view<std::int64_t>(python, "count");
  require(count.size() == 3, "count must have three entries.");
  state.nodes = &count[0], state.waiting = &count[1], state.draws = &count[2];
  state.seed = nb::cast<std::uint64_t>(python.attr("seed"));
  state.width = nb::cast<std::size_t>(python.attr("width"));
  state.outputs = nb::cast<std::size_t>(python.attr("outputs"));
  state.started = nb::cast<std::size_t>(python.attr("started"));
  state.linear = nb::cast<bool>(python.attr("linear"));
  const std::size_t whole = state.size();
  require(numbers == whole && memories == whole && (!speeds || speeds == whole) && (!pendings || pendings == whole) &&
              ages == state.room && *state.nodes >= 1 && state.count() <= state.room && state.started < state.width &&
              state.width % kLanes == 0,
          "the arrays of the state do not agree.");
  for (std::size_t m = 0; m < state.count(); ++m) {
    const std::int64_t first = state.first_child[m];
    require(first < 0 || (first > std::int64_t(m) && std::size_t(first) + 1 < state.count()),
            "children must come after their parent, within the state.");
  }
  return state;
}

template <class T>
BudRows<T> open_rows(const OnlineState<T>& state, const Flat2<T>& x, const Flat2<T>& target, const Flat<T>& weight) {
  require(x.shape(1) == state.width && target.shape(1) == state.outputs && target.shape(0) == x.shape(0) &&
              weight.size() == x.shape(0),
          "sizes of state and rows do not agree.");
  return {x.data(), target.data(), weight.data(), x.shape(0)};
}

OnlineOptions open_options(nb::handle python) {
  const GilReacquire way;
  return {static_cast<LossKind>(nb::cast<int>(python.attr("loss").attr("kind"))),
          nb::cast<double>(python.attr("loss").attr("parameter")),
          nb::cast<double>(python.attr("leafness_penalty")),
          nb::cast<double>(python.attr("weight_penalty")),
          static_cast<Rule>(nb::cast<int>(python.attr("rule"))),
          nb::cast<double>(python.attr("step")),
          nb::cast<std::int64_t>(python.attr("batch"))};
}

template <class T>
double trained(nb::handle python, Flat2<T> x, Flat2<T> target, Flat<T> weight, Flat<std::int64_t> order,
               nb::handle how) {
  OnlineState<T> state = open_state<T>(python);
  const BudRows<T> rows = open_rows(state, x, target, weight);
  const OnlineOptions options = open_options(how);
  require((options.rule != Rule::kAdam || state.speed) && (options.batch <= 1 || state.pending) && options.batch >= 1,
          "the state was made for another rule or batch.");
  require(are_codes(order.data(), order.size(), rows.rows), "order names a row that is not there.");
  const GilRelease release;
  return train(state, rows, order.data(), order.size(), options);
}

template <class T>
nb::object evaluated(nb::handle python, Flat2<T> x, int n_threads) {
  const OnlineState<T> state = open_state<T>(python);
  require(x.shape(1) == state.width, "sizes of state and rows do not agree.");
  std::vector<double> output(x.shape(0) * state.outputs);
  without_gil([&] { answers(state, x.data(), x.shape(0), output.data(), n_threads); });
  return array(std::move(output), {x.shape(0), state.outputs});
}

using Phi = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;

RunningMoments open_moments(nb::handle python, std::size_t columns) {
  const GilReacquire way;
  static constexpr const char* NAMES[] = {"first", "weight", "total", "squares", "low", "high"};
  double* sums[6];
  for (int i = 0; i < 6; ++i) {
    const std::span<double> values = view<double>(python, NAMES[i]);
    require(values.size() == columns, "moments must have an entry for every column.");
    sums[i] = values.data();
  }
  return {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]};
}

bool scaled(const Rows& X, const Flat<std::int32_t>& feature, const Flat<double>& code, const Flat<double>& weight,
            nb::handle moments, const nb::tuple& rule, const Phi& phi) {
  const std::size_t columns = feature.size();
  require(code.size() == columns && weight.size() == X.shape(0) && are_codes(feature.data(), columns, X.shape(1)),
          "every column must look at an input, every row must have a weight.");
  require(phi.shape(0) == X.shape(0) && phi.shape(1) == columns && (columns <= 1 || phi.stride(1) == 1),
          "phi must have a row for every row, a column for every column.");
  require(nb::len(rule) == 4, "rule must have four numbers.");
  const RunningMoments sums = open_moments(moments, columns);
  double numbers[4];
  for (std::size_t i = 0; i < 4; ++i) numbers[i] = nb::cast<double>(rule[i]);
  const GilRelease release;
  return scale_running(as_table(X), {feature.data(), code.data(), columns}, weight.data(), sums,
                       {numbers[0], numbers[1], numbers[2], numbers[3]}, phi.data(),
                       static_cast<std::size_t>(phi.stride(0)));
}

template <class T>
void bind_kind(nb::module_& m) {
  m.def("train_buds", &trained<T>, "state"_a, "x"_a.noconvert(), "target"_a.noconvert(), "weight"_a.noconvert(),
        "order"_a.noconvert(), "options"_a);
  m.def("evaluate_buds", &evaluated<T>, "state"_a, "x"_a.noconvert(), "n_threads"_a = 1);
}

}  // namespace

void bind_budding(nb::module_& m) {
  bind_kind<float>(m);
  bind_kind<double>(m);
  m.def("scale_running", &scaled, "X"_a.noconvert(), "feature"_a.noconvert(), "code"_a.noconvert(),
        "weight"_a.noconvert(), "moments"_a, "rule"_a, "phi"_a.noconvert());
}

}  // namespace softwood
