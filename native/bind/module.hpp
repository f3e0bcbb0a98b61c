// Declarations that the binding files share. Only this folder depends on Python.
#pragma once

#include "bind/arrays.hpp"

namespace softwood {

using namespace nb::literals;

void bind_evaluator(nb::module_& m);
void bind_grower(nb::module_& m);
void bind_soft(nb::module_& m);
void bind_stored_rows(nb::module_& m);
void bind_split_step(nb::module_& m);
void bind_c45(nb::module_& m);
void bind_anneal(nb::module_& m);
void bind_oblique(nb::module_& m);
void bind_budding(nb::module_& m);
void bind_table(nb::module_& m);
void bind_bins(nb::module_& m);
void bind_arithmetic(nb::module_& m);
void bind_evidence(nb::module_& m);

}  // namespace softwood
