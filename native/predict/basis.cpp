#include "predict/basis.hpp"

#include <cmath>

#include "core/machine.hpp"

namespace softwood {
namespace {

SOFTWOOD_INLINE double hold(double x, double low, double high) { return x < low ? low : (x > high ? high : x); }

}  // namespace

SOFTWOOD_CLONED(void, expand,
                (const Column& column, const double* __restrict x, double* __restrict phi, std::size_t n, bool missing),
                (column, x, phi, n, missing)) {
  const double parameter = column.parameter, low = column.low, high = column.high;
  switch (column.term) {
    case Term::identity:
      for (std::size_t i = 0; i < n; ++i) phi[i] = hold(x[i], low, high);
      break;
    case Term::square:
      for (std::size_t i = 0; i < n; ++i) {
        const double held = hold(x[i], low, high);
        phi[i] = held * held;
      }
      break;
    case Term::hinge:
      for (std::size_t i = 0; i < n; ++i) phi[i] = x[i] > parameter ? (x[i] < high ? x[i] : high) - parameter : 0.0;
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

SOFTWOOD_CLONED(void, mend, (const Column& column, double* x, std::size_t n), (column, x, n)) {
  const double low = column.low, high = column.high;
  for (std::size_t i = 0; i < n; ++i) x[i] = std::isnan(x[i]) ? column.when_missing : hold(x[i], low, high);
}

}  // namespace softwood
