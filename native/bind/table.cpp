// Operations on every value of a table, for Python: hashes of rows, infinite values, moments of columns, scaled
// columns.

#include <algorithm>

#include "bind/module.hpp"
#include "core/table_scan.hpp"
#include "soft/linear_columns.hpp"

namespace softwood {
namespace {

nb::object hash_rows(const Rows& X, const Rows& y, std::uint64_t seed) {
  require(X.shape(0) == y.shape(0), "X and y must have the same rows.");
  std::vector<std::uint64_t> number(X.shape(0), seed);
  without_gil([&] {
    table_scan::hash_rows(as_table(X), number.data());
    table_scan::hash_rows(as_table(y), number.data());
  });
  return array(std::move(number));
}

bool any_infinite(const Rows& X) {
  return without_gil([&] { return table_scan::any_infinite(as_table(X)); });
}

nb::object column_moments(const Rows& X, const Flat<double>& weight) {
  require(X.shape(0) == weight.size(), "weight must have one entry for every row.");
  auto found = without_gil([&] { return linear_columns::find_moments(as_table(X), weight.data()); });
  if (!found.whole) return nb::none();
  return nb::make_tuple(array(found.mean), array(found.spread), array(found.largest));
}

nb::object make_linear_columns(const Rows& X, const nb::sequence& features, const Flat<double>& when_missing,
                               const Flat<double>& scale, const Flat<double>& shift) {
  const auto feature = items<int>(features, "feature");
  const std::size_t n = feature.size();
  require(
      are_codes(feature.data(), n, X.shape(1)) && when_missing.size() == n && scale.size() == n && shift.size() == n,
      "feature must name columns of X, each with a scale, a shift and a value when missing.");
  std::vector<double> phi(X.shape(0) * n);
  without_gil(
      [&] { linear_columns::make(as_table(X), feature, when_missing.data(), scale.data(), shift.data(), phi.data()); });
  return array(std::move(phi), {X.shape(0), n});
}

}  // namespace

void bind_table(nb::module_& m) {
  m.def("hash_rows", &hash_rows, "X"_a.noconvert(), "y"_a.noconvert(), "seed"_a);
  m.def("any_infinite", &any_infinite, "X"_a.noconvert());
  m.def("column_moments", &column_moments, "X"_a.noconvert(), "weight"_a.noconvert());
  m.def("make_linear_columns", &make_linear_columns, "X"_a.noconvert(), "feature"_a, "when_missing"_a.noconvert(),
        "scale"_a.noconvert(), "shift"_a.noconvert());
}

}  // namespace softwood
