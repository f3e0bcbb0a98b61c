// Budding trees for Python. A plant is any object with the attributes of kernels/plant.py; its arrays change in place.
#include <stdexcept>

#include "bind.hpp"
#include "budding.hpp"

using namespace nanobind::literals;

namespace softwood {
namespace {

using namespace budding;

template <class T>
using Table2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Line = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Order = Line<std::int64_t>;

// The array `plant.name`, to be written to; null where it has no entries.
template <class T>
std::pair<T*, std::size_t> writable(nb::handle plant, const char* name) {
  using Array = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
  Array array;
  if (!nb::try_cast<Array>(plant.attr(name), array, false))
    throw nb::type_error((std::string(name) + " is not a writable C-ordered array of the dtype wanted.").c_str());
  return {array.size() ? array.data() : nullptr, array.size()};
}

template <class T>
Plant<T> open_plant(nb::handle python) {
  Plant<T> plant{};
  const auto [child, room] = writable<std::int32_t>(python, "first_child");
  const auto [number, numbers] = writable<T>(python, "number");
  const auto [memory, memories] = writable<T>(python, "memory");
  const auto [speed, speeds] = writable<T>(python, "speed");
  const auto [pending, pendings] = writable<T>(python, "pending");
  const auto [age, ages] = writable<std::int64_t>(python, "age");
  const auto [count, counts] = writable<std::int64_t>(python, "count");
  plant.first_child = child, plant.room = room;
  plant.number = number, plant.memory = memory, plant.speed = speed, plant.pending = pending, plant.age = age;
  if (counts != 3) throw std::invalid_argument("count must have three entries");
  plant.nodes = count, plant.waiting = count + 1, plant.draws = count + 2;
  plant.seed = nb::cast<std::uint64_t>(python.attr("seed"));
  plant.width = nb::cast<std::size_t>(python.attr("width"));
  plant.outputs = nb::cast<std::size_t>(python.attr("outputs"));
  plant.started = nb::cast<std::size_t>(python.attr("started"));
  plant.linear = nb::cast<bool>(python.attr("linear"));
  const std::size_t whole = plant.size();
  if (numbers != whole || memories != whole || (speeds && speeds != whole) || (pendings && pendings != whole) ||
      ages != room || *plant.nodes < 1 || plant.count() > room || plant.started >= plant.width ||
      plant.width % kLanes != 0)
    throw std::invalid_argument("the arrays of the plant do not agree");
  for (std::size_t m = 0; m < plant.count(); ++m)
    if (child[m] >= 0 && (child[m] <= std::int64_t(m) || std::size_t(child[m]) + 1 >= plant.count()))
      throw std::invalid_argument("children must come after their parent, within the plant");
  return plant;
}

template <class T>
BudRows<T> open_rows(const Plant<T>& plant, const Table2<T>& x, const Table2<T>& target, const Line<T>& weight) {
  if (x.shape(1) != plant.width || target.shape(1) != plant.outputs || target.shape(0) != x.shape(0) ||
      weight.size() != x.shape(0))
    throw std::invalid_argument("sizes of plant and rows do not agree");
  return {x.data(), target.data(), weight.data(), x.shape(0)};
}

Tending open_tending(nb::handle python) {
  return {static_cast<Loss>(nb::cast<int>(python.attr("loss"))),
          nb::cast<double>(python.attr("leafness_penalty")),
          nb::cast<double>(python.attr("weight_penalty")),
          static_cast<Rule>(nb::cast<int>(python.attr("rule"))),
          nb::cast<double>(python.attr("step")),
          nb::cast<std::int64_t>(python.attr("batch"))};
}

template <class T>
double trained(nb::handle python, Table2<T> x, Table2<T> target, Line<T> weight, Order order, nb::handle how) {
  Plant<T> plant = open_plant<T>(python);
  const BudRows<T> rows = open_rows(plant, x, target, weight);
  const Tending tending = open_tending(how);
  if ((tending.rule == Rule::kAdam && !plant.speed) || (tending.batch > 1 && !plant.pending) || tending.batch < 1)
    throw std::invalid_argument("the plant was made for another rule or batch");
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order.data()[i] < 0 || std::size_t(order.data()[i]) >= rows.rows)
      throw std::invalid_argument("order names a row that is not there");
  const Unlocked release;
  return train(plant, rows, order.data(), order.size(), tending);
}

template <class T>
void answered(nb::handle python, Table2<T> x, Out<double, 2> out, int n_threads) {
  const Plant<T> plant = open_plant<T>(python);
  if (x.shape(1) != plant.width || out.shape(0) != x.shape(0) || out.shape(1) != plant.outputs)
    throw std::invalid_argument("sizes of plant and rows do not agree");
  const Unlocked release;
  answers(plant, x.data(), x.shape(0), out.data(), n_threads);
}

template <class T>
void bind_kind(nb::module_& m) {
  m.def("train_buds", &trained<T>, "plant"_a, nb::arg("x").noconvert(), nb::arg("target").noconvert(),
        nb::arg("weight").noconvert(), nb::arg("order").noconvert(), "tending"_a);
  m.def("answers_buds", &answered<T>, "plant"_a, nb::arg("x").noconvert(), nb::arg("out").noconvert(), "n_threads"_a);
}

}  // namespace

void bind_budding(nb::module_& m) {
  bind_kind<float>(m);
  bind_kind<double>(m);
}

}  // namespace softwood
