// Functions, products and decompositions of fixed order, for Python: src/softwood/kernels/arithmetic.
#include "bind/module.hpp"
#include "core/symmetric_matrix.hpp"
#include "simd/block_loops.hpp"
#include "simd/elementary.hpp"
#include "simd/product.hpp"

namespace softwood {
namespace {

using Strided = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;

constexpr std::size_t LONG = 4096;  // numbers; longer work than a few microseconds lets other threads run

template <class Work>
void run_unlocked(std::size_t size, Work&& work) {
  if (size < LONG) return work();
  const GilRelease release;
  work();
}

template <void (*FUNCTION)(double*, std::size_t)>
void in_place(Out<double, 1>& value) {
  run_unlocked(value.size(), [&] { FUNCTION(value.data(), value.size()); });
}

simd::Matrix as_matrix(const Rows& rows) {
  return {rows.data(), rows.shape(0), rows.shape(1), rows.stride(0), rows.stride(1)};
}

void multiply_matrices(const Rows& A, const Rows& B, Out<double, 2>& C) {
  require(A.shape(1) == B.shape(0), "A must have a column for every row of B.");
  require(C.shape(0) == A.shape(0) && C.shape(1) == B.shape(1), "C must have the rows of A and the columns of B.");
  run_unlocked(A.size() + B.size(), [&] { simd::multiply(as_matrix(A), as_matrix(B), C.data()); });
}

double dot_vectors(const Strided& a, const Strided& b) {
  require(a.size() == b.size(), "a and b must have the same size.");
  return simd::dot(a.data(), a.stride(0), b.data(), b.stride(0), a.size());
}

void multiply_stored(const Flat<std::int32_t>& begin, const Flat<std::int32_t>& column, const Flat<double>& value,
                     const Flat2<double>& from, bool transpose, Out<double, 2>& to) {
  require(begin.size() > 0 && column.size() == value.size(), "begin must not be empty, column and value of one size.");
  const std::size_t rows = begin.size() - 1, columns = transpose ? to.shape(0) : from.shape(0);
  require(are_begins(begin, rows, value.size()), "begin must rise from 0 to the number of values.");
  require(are_codes(column.data(), column.size(), columns), "a column is outside the matrix.");
  require((transpose ? from.shape(0) : to.shape(0)) == rows && from.shape(1) == to.shape(1),
          "from and to must have the shapes of the product.");
  std::fill_n(to.data(), to.size(), 0.0);
  run_unlocked(value.size(), [&] {
    simd::multiply_stored({begin.data(), column.data(), value.data(), rows}, from.data(), from.shape(1), transpose,
                          to.data());
  });
}

nb::object solve_symmetric(const Flat2<double>& S, const Flat2<double>& right, double tiny, double part) {
  const std::size_t n = S.shape(0), k = right.shape(1);
  require(S.shape(1) == n && right.shape(0) == n, "S must be square, with a row for each of right's.");
  std::vector<double> solution(right.data(), right.data() + n * k);
  run_unlocked(n * n, [&] { symmetric::solve(S.data(), n, n, solution.data(), k, tiny, part); });
  return array(std::move(solution), {n, k});
}

nb::object solve_with_band(const Flat2<double>& S, const Flat2<double>& right, int n_threads) {
  const std::size_t n = S.shape(0), k = right.shape(1);
  require(S.shape(1) == n && right.shape(0) == n, "S must be square, with a row for each of right's.");
  std::vector<double> U(S.data(), S.data() + n * n), solution(right.data(), right.data() + n * k), band;
  const bool good = without_gil([&] {
    if (!symmetric::factor(U.data(), n, n, 0.0)) return false;
    symmetric::solve_factored(U.data(), n, n, solution.data(), k);
    band = symmetric::band_of_inverse(U.data(), n, n_threads);
    return true;
  });
  if (!good) return nb::none();
  return nb::make_tuple(array(std::move(solution), {n, k}), array(std::move(band), {symmetric::BAND, n}));
}

nb::object invert_bands(const Flat2<double>& band, const Flat<std::int64_t>& begin) {
  const std::size_t n = band.shape(1);
  require(band.shape(0) == symmetric::BAND, "band must have three rows.");
  require(begin.size() > 0 && are_begins(begin, begin.size() - 1, n), "begin must rise from 0 to the columns of band.");
  std::vector<double> inverse(symmetric::BAND * n);
  without_gil([&] {
    for (std::size_t block = 0; block + 1 < begin.size(); ++block) {
      const auto first = static_cast<std::size_t>(begin(block)),
                 size = static_cast<std::size_t>(begin(block + 1)) - first;
      const std::vector<double> found = symmetric::band_of_inverse_of_band(band.data() + first, size, n);
      for (std::size_t i = 0; i < found.size(); ++i) inverse[i / size * n + first + i % size] = found[i];
    }
  });
  return array(std::move(inverse), {symmetric::BAND, n});
}

nb::tuple eigen_symmetric(const Flat2<double>& S) {
  const std::size_t n = S.shape(0);
  require(S.shape(1) == n, "S must be square.");
  symmetric::Eigen found;
  run_unlocked(n * n, [&] { found = symmetric::eigen(S.data(), n, n); });
  return nb::make_tuple(array(found.value), array(found.vector, {n, n}));
}

}  // namespace

void bind_arithmetic(nb::module_& m) {
  m.def("exp_lanes", &in_place<exp_lanes>, "value"_a.noconvert(), "exp of every entry, in place.");
  m.def("log_lanes", &in_place<log_lanes>, "value"_a.noconvert(), "log of every entry, in place.");
  m.def("log1p_lanes", &in_place<log1p_lanes>, "value"_a.noconvert(), "log(1 + x) of every entry, in place.");
  m.def("log2_lanes", &in_place<log2_lanes>, "value"_a.noconvert(), "Logarithm to base 2 of every entry, in place.");
  m.def("power", &elementary::power, "base"_a, "exponent"_a);
  m.def("cos_of_turn_lanes", &in_place<cos_of_turn_lanes>, "value"_a.noconvert(), "cos(2 pi x), in place.");
  m.def("multiply", &multiply_matrices, "A"_a.noconvert(), "B"_a.noconvert(), "C"_a.noconvert());
  m.def("multiply_stored", &multiply_stored, "begin"_a.noconvert(), "column"_a.noconvert(), "value"_a.noconvert(),
        "dense"_a.noconvert(), "transpose"_a, "product"_a.noconvert());
  m.def("dot", &dot_vectors, "a"_a.noconvert(), "b"_a.noconvert());
  m.def("solve_symmetric", &solve_symmetric, "S"_a.noconvert(), "right"_a.noconvert(), "tiny"_a, "part"_a);
  m.def("solve_with_band", &solve_with_band, "S"_a.noconvert(), "right"_a.noconvert(), "n_threads"_a);
  m.def("invert_bands", &invert_bands, "band"_a.noconvert(), "begin"_a.noconvert());
  m.def("eigen_symmetric", &eigen_symmetric, "S"_a.noconvert());
}

}  // namespace softwood
