// Budding trees for Python. A state is any object with the attributes of kernels/contracts/online_state.py; its arrays
// change in place.
#include <stdexcept>

#include "bind/module.hpp"
#include "budding/online_update.hpp"
#include "budding/running_scale.hpp"

using namespace nanobind::literals;

namespace softwood {
namespace {

using namespace budding;

template <class T>
using Table2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Line = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Order = Line<std::int64_t>;

// The array `state.name`, to be written to; null where it has no entries.
template <class T>
std::pair<T*, std::size_t> writable(nb::handle state, const char* name) {
  using Array = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
  Array array;
  const nb::object found = state.attr(name);  // may run Python, and fail: try_cast must not throw
  if (!nb::try_cast<Array>(found, array, false))
    throw nb::type_error((std::string(name) + " is not a writable C-ordered array of the dtype wanted.").c_str());
  return {array.size() ? array.data() : nullptr, array.size()};
}

template <class T>
OnlineState<T> open_state(nb::handle python) {
  const TowardsPython way;
  OnlineState<T> state{};
  const auto [child, room] = writable<std::int32_t>(python, "first_child");
  const auto [number, numbers] = writable<T>(python, "number");
  const auto [memory, memories] = writable<T>(python, "memory");
  const auto [speed, speeds] = writable<T>(python, "speed");
  const auto [pending, pendings] = writable<T>(python, "pending");
  const auto [age, ages] = writable<std::int64_t>(python, "age");
  const auto [count, counts] = writable<std::int64_t>(python, "count");
  state.first_child = child, state.room = room;
  state.number = number, state.memory = memory, state.speed = speed, state.pending = pending, state.age = age;
  if (counts != 3) throw std::invalid_argument("count must have three entries");
  state.nodes = count, state.waiting = count + 1, state.draws = count + 2;
  state.seed = nb::cast<std::uint64_t>(python.attr("seed"));
  state.width = nb::cast<std::size_t>(python.attr("width"));
  state.outputs = nb::cast<std::size_t>(python.attr("outputs"));
  state.started = nb::cast<std::size_t>(python.attr("started"));
  state.linear = nb::cast<bool>(python.attr("linear"));
  const std::size_t whole = state.size();
  if (numbers != whole || memories != whole || (speeds && speeds != whole) || (pendings && pendings != whole) ||
      ages != room || *state.nodes < 1 || state.count() > room || state.started >= state.width ||
      state.width % kLanes != 0)
    throw std::invalid_argument("the arrays of the state do not agree");
  for (std::size_t m = 0; m < state.count(); ++m)
    if (child[m] >= 0 && (child[m] <= std::int64_t(m) || std::size_t(child[m]) + 1 >= state.count()))
      throw std::invalid_argument("children must come after their parent, within the state");
  return state;
}

template <class T>
BudRows<T> open_rows(const OnlineState<T>& state, const Table2<T>& x, const Table2<T>& target, const Line<T>& weight) {
  if (x.shape(1) != state.width || target.shape(1) != state.outputs || target.shape(0) != x.shape(0) ||
      weight.size() != x.shape(0))
    throw std::invalid_argument("sizes of state and rows do not agree");
  return {x.data(), target.data(), weight.data(), x.shape(0)};
}

OnlineOptions open_options(nb::handle python) {
  const TowardsPython way;
  return {static_cast<LossKind>(nb::cast<int>(python.attr("loss").attr("kind"))),
          nb::cast<double>(python.attr("loss").attr("parameter")),
          nb::cast<double>(python.attr("leafness_penalty")),
          nb::cast<double>(python.attr("weight_penalty")),
          static_cast<Rule>(nb::cast<int>(python.attr("rule"))),
          nb::cast<double>(python.attr("step")),
          nb::cast<std::int64_t>(python.attr("batch"))};
}

template <class T>
double trained(nb::handle python, Table2<T> x, Table2<T> target, Line<T> weight, Order order, nb::handle how) {
  OnlineState<T> state = open_state<T>(python);
  const BudRows<T> rows = open_rows(state, x, target, weight);
  const OnlineOptions options = open_options(how);
  if ((options.rule == Rule::kAdam && !state.speed) || (options.batch > 1 && !state.pending) || options.batch < 1)
    throw std::invalid_argument("the state was made for another rule or batch");
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order.data()[i] < 0 || std::size_t(order.data()[i]) >= rows.rows)
      throw std::invalid_argument("order names a row that is not there");
  const Unlocked release;
  return train(state, rows, order.data(), order.size(), options);
}

template <class T>
nb::object evaluated(nb::handle python, Table2<T> x, int n_threads) {
  const OnlineState<T> state = open_state<T>(python);
  if (x.shape(1) != state.width) throw std::invalid_argument("sizes of state and rows do not agree");
  std::vector<double> output(x.shape(0) * state.outputs);
  {
    const Unlocked release;
    answers(state, x.data(), x.shape(0), output.data(), n_threads);
  }
  return array(output, {x.shape(0), state.outputs});
}

using Phi = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;

RunningMoments open_moments(nb::handle python, std::size_t columns) {
  const TowardsPython way;
  static constexpr const char* kNames[] = {"first", "weight", "total", "squares", "low", "high"};
  double* sums[6];
  for (int i = 0; i < 6; ++i) {
    const auto [data, size] = writable<double>(python, kNames[i]);
    if (size != columns) throw std::invalid_argument("moments must have an entry for every column");
    sums[i] = data;
  }
  return {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]};
}

bool scaled(const Rows& X, const Line<std::int32_t>& feature, const Line<double>& code, const Line<double>& weight,
            nb::handle moments, const nb::tuple& rule, const Phi& phi) {
  const std::size_t columns = feature.size();
  if (code.size() != columns || weight.size() != X.shape(0) || !are_codes(feature.data(), columns, X.shape(1)))
    throw std::invalid_argument("every column must look at an input, every row must have a weight");
  if (phi.shape(0) != X.shape(0) || phi.shape(1) != columns || (columns > 1 && phi.stride(1) != 1))
    throw std::invalid_argument("phi must have a row for every row, a column for every column");
  if (nb::len(rule) != 4) throw std::invalid_argument("rule must have four numbers");
  const RunningMoments sums = open_moments(moments, columns);
  double numbers[4];
  for (std::size_t i = 0; i < 4; ++i) numbers[i] = nb::cast<double>(rule[i]);
  const Unlocked release;
  return scale_running(as_table(X), {feature.data(), code.data(), columns}, weight.data(), sums,
                       {numbers[0], numbers[1], numbers[2], numbers[3]}, phi.data(),
                       static_cast<std::size_t>(phi.stride(0)));
}

template <class T>
void bind_kind(nb::module_& m) {
  m.def("train_buds", &trained<T>, "state"_a, nb::arg("x").noconvert(), nb::arg("target").noconvert(),
        nb::arg("weight").noconvert(), nb::arg("order").noconvert(), "options"_a);
  m.def("evaluate_buds", &evaluated<T>, "state"_a, nb::arg("x").noconvert(), "n_threads"_a = 1);
}

}  // namespace

void bind_budding(nb::module_& m) {
  bind_kind<float>(m);
  bind_kind<double>(m);
  m.def("scale_running", &scaled, nb::arg("X").noconvert(), nb::arg("feature").noconvert(), nb::arg("code").noconvert(),
        nb::arg("weight").noconvert(), "moments"_a, "rule"_a, nb::arg("phi").noconvert());
}

}  // namespace softwood
