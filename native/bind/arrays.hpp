// Arrays between Python and C++: views, checks and results.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bind/interpreter_lock.hpp"
#include "core/views.hpp"

namespace softwood {

namespace nb = nanobind;

// Arguments: rows of numbers with any strides, contiguous arrays to read, and arrays to write to.
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
template <class T, std::size_t DIMENSIONS>
using In = nb::ndarray<const T, nb::ndim<DIMENSIONS>, nb::c_contig, nb::device::cpu>;
template <class T>
using Flat = In<T, 1>;
template <class T>
using Flat2 = In<T, 2>;
template <class T, std::size_t DIMENSIONS>
using Out = nb::ndarray<T, nb::ndim<DIMENSIONS>, nb::c_contig, nb::device::cpu>;

inline Table as_table(const Rows& rows) {
  return {rows.data(), rows.shape(0), rows.shape(1), rows.stride(0), rows.stride(1)};
}

[[noreturn]] inline void refuse(const std::string& message) { throw nb::value_error(message.c_str()); }

// The check of arguments from Python: a ValueError. Sizes are checked before they are used.
inline void require(bool good, const char* message) {
  if (!good) refuse(message);
}

// Whether all values are codes 0 .. n - 1.
template <class Value>
bool are_codes(const Value* values, std::size_t size, std::size_t n) {
  return std::all_of(values, values + size,
                     [n](Value code) { return code >= 0 && static_cast<std::size_t>(code) < n; });
}

// Whether `begins` say where each of `parts` begins among `total` entries: 0 first, never falling, the end last.
template <class Begins>
bool are_begins(const Begins& begins, std::size_t parts, std::size_t total) {
  const auto* at = begins.data();
  return begins.size() == parts + 1 && at[0] == 0 && std::is_sorted(at, at + parts + 1) &&
         static_cast<std::size_t>(at[parts]) == total;
}

// The array `struct.name`; `Value` is const if it is only read. Never converts: the kernel refuses a struct with
// other dtypes.
template <class Value>
std::span<Value> view(nb::handle structure, const char* name) {
  const GilReacquire way;
  using Array = nb::ndarray<Value, nb::c_contig, nb::device::cpu>;
  Array array;
  const nb::object found = structure.attr(name);  // may run Python and fail: try_cast must not throw
  if (!nb::try_cast<Array>(found, array, false)) {
    const std::string wanted =
        std::is_const_v<Value> ? " is not a C-ordered array" : " is not a writable C-ordered array";
    throw nb::type_error((name + wanted + " of the dtype that is wanted.").c_str());
  }
  return {array.data(), array.size()};
}

// A copy of a row's values, as another type.
template <class To, class From>
std::vector<To> numbers(const From& row) {
  return std::vector<To>(row.data(), row.data() + row.size());
}

// The items of a list. nanobind's own conversion of arguments to vectors must not throw (nanobind/stl/vector.h): where
// memory runs out it would end the process.
template <class T>
std::vector<T> items(const nb::sequence& list, const char* name) {
  const GilReacquire way;
  std::vector<T> taken;
  taken.reserve(nb::len(list));
  for (nb::handle item : list) {
    T value;
    if (!nb::try_cast<T>(item, value, true))
      throw nb::type_error((std::string(name) + " has an item of another type than is wanted.").c_str());
    taken.push_back(std::move(value));
  }
  return taken;
}

// A NumPy array that takes over the values; pass a copy to keep them.
template <class T>
nb::object array(std::vector<T> values, std::vector<std::size_t> shape = {}) {
  const GilReacquire way;
  if (shape.empty()) shape = {values.size()};
  if (values.empty()) values.reserve(1);  // a valid address, even if empty
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  const nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  T* data = kept.release()->data();
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner));
}

// A read-only array that owns its values, from `value` one by one: a Tree keeps it without a copy.
template <class T, class Value>
nb::object readonly_array(const nb::tuple& shape, const Value& value) {
  const GilReacquire way;
  nb::object made = nb::module_::import_("numpy").attr("empty")(shape, std::is_same_v<T, double> ? "float64" : "int32");
  const auto view = nb::cast<nb::ndarray<T, nb::c_contig, nb::device::cpu>>(made);
  for (std::size_t i = 0; i < view.size(); ++i) view.data()[i] = value(i);
  made.attr("setflags")(nb::arg("write") = false);
  return made;
}

template <class T>
nb::object readonly_array(const std::vector<T>& values) {
  return readonly_array<T>(nb::make_tuple(values.size()), [&](std::size_t i) { return values[i]; });
}

// One field of all nodes.
template <class T, class Node>
nb::object column(const std::vector<Node>& nodes, T Node::* field) {
  std::vector<T> values;
  values.reserve(nodes.size());
  for (const Node& node : nodes) values.push_back(node.*field);
  return array(std::move(values));
}

// The result of `work`, computed without the GIL.
template <class Work>
auto without_gil(Work&& work) {
  const GilRelease release;
  return work();
}

}  // namespace softwood
