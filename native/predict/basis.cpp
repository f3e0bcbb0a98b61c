#include "predict/basis.hpp"

#include <cmath>

#include "core/machine.hpp"

namespace softwood {

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

SOFTWOOD_CLONED(void, replace_missing, (double* x, std::size_t n, double value), (x, n, value)) {
  for (std::size_t i = 0; i < n; ++i) x[i] = std::isnan(x[i]) ? value : x[i];
}

}  // namespace softwood
