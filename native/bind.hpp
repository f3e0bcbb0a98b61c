// What each binding file adds to the module; bind.cpp calls them.
#pragma once

#include <nanobind/nanobind.h>

namespace softwood {

void bind_soft(nanobind::module_& m);

}  // namespace softwood
