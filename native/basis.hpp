// One column of the basis, for some rows.
#pragma once

#include <cmath>
#include <cstddef>

#include "machine.hpp"
#include "tree.hpp"

namespace softwood {

// phi[i] = the column's value where its input is x[i], i < n.
SOFTWOOD_INLINE void expand(const Column& column, const double* x, double* phi, std::size_t n) {
  const auto fill = [&](auto&& term) {
    for (std::size_t i = 0; i < n; ++i) {
      const double value = term(x[i]);
      phi[i] = std::isnan(x[i]) ? column.when_missing : value;
    }
  };
  switch (column.term) {
    case Term::identity:
      return fill([](double x) { return x; });
    case Term::square:
      return fill([](double x) { return x * x; });
    case Term::hinge:
      return fill([knot = column.parameter](double x) { return x > knot ? x - knot : 0.0; });
    case Term::category:
      return fill([code = column.parameter](double x) { return x == code ? 1.0 : 0.0; });
    case Term::missing:
      for (std::size_t i = 0; i < n; ++i) phi[i] = std::isnan(x[i]) ? 1.0 : 0.0;
  }
}

}  // namespace softwood
