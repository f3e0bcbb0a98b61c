// What touches every value of a table, for Python: numbers made of what rows hold, infinite values, moments of columns,
// scaled columns.

#include <algorithm>

#include "bind/module.hpp"
#include "core/table_scan.hpp"
#include "soft/linear_columns.hpp"

namespace softwood {
namespace {

nb::object hash_rows(const Rows& X, const Rows& y, std::uint64_t seed) {
  if (X.shape(0) != y.shape(0)) throw nb::value_error("X and y must have the same rows.");
  std::vector<std::uint64_t> number(X.shape(0), seed);
  {
    const Unlocked free;
    table_scan::hash_rows(as_table(X), number.data());
    table_scan::hash_rows(as_table(y), number.data());
  }
  return array(number);
}

bool any_infinite(const Rows& X) {
  const Unlocked free;
  return table_scan::any_infinite(as_table(X));
}

nb::object column_moments(const Rows& X, const Flat<double>& weight) {
  if (X.shape(0) != weight.size()) throw nb::value_error("weight must have one entry for every row.");
  linear_columns::Moments found;
  {
    const Unlocked free;
    found = linear_columns::find_moments(as_table(X), weight.data());
  }
  if (!found.whole) return nb::none();
  return nb::make_tuple(array(found.mean), array(found.spread), array(found.largest));
}

nb::object make_linear_columns(const Rows& X, const nb::sequence& features, const Flat<double>& when_missing,
                               const Flat<double>& scale, const Flat<double>& shift) {
  const auto feature = items<int>(features, "feature");
  const std::size_t n = feature.size(), columns = X.shape(1);
  const bool inside = std::all_of(feature.begin(), feature.end(),
                                  [&](int f) { return f >= 0 && static_cast<std::size_t>(f) < columns; });
  if (!inside || when_missing.size() != n || scale.size() != n || shift.size() != n) {
    throw nb::value_error("feature must name columns of X, each with a scale, a shift and a value when missing.");
  }
  std::vector<double> phi(X.shape(0) * n);
  {
    const Unlocked free;
    linear_columns::make(as_table(X), feature, when_missing.data(), scale.data(), shift.data(), phi.data());
  }
  return array(phi, {X.shape(0), n});
}

}  // namespace

void bind_table(nb::module_& m) {
  m.def("hash_rows", &hash_rows, nb::arg("X").noconvert(), nb::arg("y").noconvert(), nb::arg("seed"));
  m.def("any_infinite", &any_infinite, nb::arg("X").noconvert());
  m.def("column_moments", &column_moments, nb::arg("X").noconvert(), nb::arg("weight").noconvert());
  m.def("make_linear_columns", &make_linear_columns, nb::arg("X").noconvert(), nb::arg("feature"),
        nb::arg("when_missing").noconvert(), nb::arg("scale").noconvert(), nb::arg("shift").noconvert());
}

}  // namespace softwood
