// Sums of products of hats, for Python: src/softwood/kernels/reference/hat_products.py.
#include "bind/module.hpp"
#include "evidence/hat_products.hpp"

namespace softwood {
namespace {

nb::object hat_products(const Flat2<std::int32_t>& segment, const Flat2<double>& part, const Flat<double>& weight,
                        const Flat<std::int64_t>& begin, int n_threads) {
  const std::size_t inputs = segment.shape(0), rows = segment.shape(1);
  require(part.shape(0) == inputs && part.shape(1) == rows && weight.size() == rows,
          "segment and part must be (inputs, rows), with a weight for each row.");
  require(begin.size() == inputs + 1 && are_begins(begin, inputs, static_cast<std::size_t>(begin(inputs))),
          "begin must rise from 0, with an entry for every input and one more.");
  for (std::size_t f = 0; f < inputs; ++f) {
    const auto columns = static_cast<std::size_t>(begin(f + 1) - begin(f));
    require(are_codes(segment.data() + f * rows, rows, columns), "a segment is not a column of its input.");
  }
  const std::size_t columns = static_cast<std::size_t>(begin(inputs));
  auto H = without_gil([&] {
    return evidence::hat_products({segment.data(), part.data(), inputs, rows, begin.data()}, weight.data(), n_threads);
  });
  return array(std::move(H), {columns, columns});
}

}  // namespace

void bind_evidence(nb::module_& m) {
  m.def("hat_products", &hat_products, "segment"_a.noconvert(), "part"_a.noconvert(), "weight"_a.noconvert(),
        "begin"_a.noconvert(), "n_threads"_a);
}

}  // namespace softwood
