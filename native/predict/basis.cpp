#include "predict/basis.hpp"

#include <cmath>

#include "core/machine.hpp"
#include "simd/block_loops.hpp"

namespace softwood {
namespace {

SOFTWOOD_INLINE double hold_one(double x, double low, double high) { return x < low ? low : (x > high ? high : x); }

}  // namespace

SOFTWOOD_CLONED(bool, is_beyond, (const double* x, std::size_t n, double low, double high), (x, n, low, high)) {
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < n; ++i) beyond |= static_cast<std::uint64_t>(x[i] < low) | (x[i] > high);
  return beyond != 0;
}

SOFTWOOD_CLONED(void, hold,
                (const double* __restrict x, double* __restrict held, std::size_t n, double low, double high),
                (x, held, n, low, high)) {
  for (std::size_t i = 0; i < n; ++i) held[i] = hold_one(x[i], low, high);
}

SOFTWOOD_CLONED(void, expand,
                (const Column& column, const double* __restrict x, double* __restrict phi, std::size_t n, bool missing),
                (column, x, phi, n, missing)) {
  const double parameter = column.parameter;
  switch (column.term) {
    case Term::identity:
      for (std::size_t i = 0; i < n; ++i) phi[i] = x[i];
      break;
    case Term::square:
      for (std::size_t i = 0; i < n; ++i) phi[i] = x[i] * x[i];
      break;
    case Term::hinge:
      for (std::size_t i = 0; i < n; ++i) phi[i] = x[i] > parameter ? x[i] - parameter : 0.0;
      break;
    case Term::category:
      for (std::size_t i = 0; i < n; ++i) phi[i] = x[i] == parameter ? 1.0 : 0.0;
      break;
    case Term::missing:
      for (std::size_t i = 0; i < n; ++i) phi[i] = std::isnan(x[i]) ? 1.0 : 0.0;
      return;
  }
  if (!missing) return;
  for (std::size_t i = 0; i < n; ++i) phi[i] = std::isnan(x[i]) ? column.when_missing : phi[i];
}

void expand_far(const Column& column, const double* x, double* phi, std::size_t n, bool missing) {
  double held[LANES];
  hold(x, held, n, column.low, column.high);
  expand(column, held, phi, n, missing);
}

SOFTWOOD_CLONED(void, repair, (const Column& column, double* x, std::size_t n), (column, x, n)) {
  const double low = column.low, high = column.high;
  for (std::size_t i = 0; i < n; ++i) x[i] = std::isnan(x[i]) ? column.when_missing : hold_one(x[i], low, high);
}

}  // namespace softwood
