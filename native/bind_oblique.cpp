// Splits along a sum of columns, for Python.
#include "bind.hpp"
#include "oblique.hpp"

namespace softwood {
namespace {

using Flats = nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

oblique::Sums as_sums(const Flats& table) { return {table.data(), table.shape(0), table.shape(1)}; }

nb::tuple best_cut(const Flat<double>& score, const Flats& tally, const Flat<double>& weight, int criterion,
                   double least, double near) {
  if (score.size() != tally.shape(0) || weight.size() != tally.shape(0)) {
    throw nb::value_error("score, tally and weight must have one entry for every row.");
  }
  oblique::Cut cut{};
  {
    const nb::gil_scoped_release release;
    cut = oblique::best_cut(score.data(), as_sums(tally), weight.data(), static_cast<oblique::Criterion>(criterion),
                            least, near);
  }
  return nb::make_tuple(cut.gain, cut.at);
}

nb::object exchange(const Flats& projected, const Flats& gram, const Flats& tally, int criterion) {
  const std::size_t n = tally.shape(1);
  if (projected.shape(0) != tally.shape(0) || projected.shape(1) != n || gram.shape(0) != n || gram.shape(1) != n) {
    throw nb::value_error("projected, gram and tally must agree in rows and classes.");
  }
  std::vector<double> found;
  {
    const nb::gil_scoped_release release;
    found =
        oblique::exchange(as_sums(projected), gram.data(), as_sums(tally), static_cast<oblique::Criterion>(criterion));
  }
  return array(found);
}

}  // namespace

void bind_oblique(nb::module_& m) {
  m.def("best_cut", &best_cut, nb::arg("score").noconvert(), nb::arg("tally").noconvert(),
        nb::arg("weight").noconvert(), nb::arg("criterion"), nb::arg("least"), nb::arg("near"));
  m.def("exchange", &exchange, nb::arg("projected").noconvert(), nb::arg("gram").noconvert(),
        nb::arg("tally").noconvert(), nb::arg("criterion"));
}

}  // namespace softwood
