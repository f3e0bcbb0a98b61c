// What the binding files share. Only this room knows Python: from NumPy arrays to views, and back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bind/interpreter_lock.hpp"
#include "core/views.hpp"

namespace softwood {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::numpy, nb::device::cpu>;
template <class T>
using Flat = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T, std::size_t DIMENSIONS>
using Out = nb::ndarray<T, nb::ndim<DIMENSIONS>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

inline Table as_table(const Rows& rows) {
  return {rows.data(), rows.shape(0), rows.shape(1), rows.stride(0), rows.stride(1)};
}

// The array `struct.name` as a view. Never converts: a struct holds the dtypes it promises, or the kernel refuses it.
template <class Value>
std::span<const Value> view(nb::handle structure, const char* name) {
  const TowardsPython way;
  using Array = nb::ndarray<const Value, nb::c_contig, nb::device::cpu>;
  Array array;
  const nb::object found = structure.attr(name);  // may run Python, and fail: try_cast must not throw
  if (!nb::try_cast<Array>(found, array, false)) {
    throw nb::type_error((std::string(name) + " is not a C-ordered array of the dtype that is wanted.").c_str());
  }
  return {array.data(), array.size()};
}

inline void require(bool good, const char* message) {
  if (!good) throw nb::value_error(message);
}

// Whether all values are codes 0 .. n - 1.
template <class Value>
bool are_codes(const Value* values, std::size_t size, std::size_t n) {
  return std::all_of(values, values + size,
                     [n](Value code) { return code >= 0 && static_cast<std::size_t>(code) < n; });
}

// A copy of a row's values, as another type.
template <class To, class From>
std::vector<To> numbers(const From& row) {
  return std::vector<To>(row.data(), row.data() + row.size());
}

// The items of a list. nanobind's own conversion of arguments to vectors must not throw (nanobind/stl/vector.h): where
// memory ends it would end the process.
template <class T>
std::vector<T> items(const nb::sequence& list, const char* name) {
  const TowardsPython way;
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

// A NumPy array that owns a copy of the values.
template <class T>
nb::object array(const std::vector<T>& values, std::vector<std::size_t> shape = {}) {
  const TowardsPython way;
  auto data = std::make_unique<T[]>(std::max<std::size_t>(values.size(), 1));
  std::copy(values.begin(), values.end(), data.get());
  if (shape.empty()) shape = {values.size()};
  T* raw = data.release();
  nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(raw, shape.size(), shape.data(), owner));
}

void bind_evaluator(nb::module_& m);
void bind_grower(nb::module_& m);
void bind_soft(nb::module_& m);
void bind_stored_rows(nb::module_& m);
void bind_split_step(nb::module_& m);
void bind_c45(nb::module_& m);
void bind_anneal(nb::module_& m);
void bind_oblique(nb::module_& m);
void bind_budding(nb::module_& m);
void bind_table(nb::module_& m);
void bind_bins(nb::module_& m);
void bind_arithmetic(nb::module_& m);

}  // namespace softwood
