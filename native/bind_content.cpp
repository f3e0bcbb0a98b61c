// Numbers made of what rows hold, for Python.
#include "bind.hpp"
#include "content.hpp"

namespace softwood {
namespace {

nb::object hash_rows(const Rows& X, const Rows& y, std::uint64_t seed) {
  if (X.shape(0) != y.shape(0)) throw nb::value_error("X and y must have the same rows.");
  std::vector<std::uint64_t> number(X.shape(0), seed);
  {
    const nb::gil_scoped_release free;
    content::hash_rows(as_table(X), number.data());
    content::hash_rows(as_table(y), number.data());
  }
  return array(number);
}

}  // namespace

void bind_content(nb::module_& m) {
  m.def("hash_rows", &hash_rows, nb::arg("X").noconvert(), nb::arg("y").noconvert(), nb::arg("seed"));
}

}  // namespace softwood
