// The native module: each family of kernels binds itself.
#include "bind/module.hpp"

#include <nanobind/stl/string_view.h>

#include "core/simd_path.hpp"

NB_MODULE(_native, m) {
  m.doc() = "softwood's native kernels; use softwood.kernels, not this module.";
#ifdef NDEBUG
  nanobind::set_leak_warnings(false);  // a program may end with live models: no warning about leaks
#endif
  softwood::bind_evaluator(m);
  softwood::bind_grower(m);
  softwood::bind_soft(m);
  softwood::bind_stored_rows(m);
  softwood::bind_split_step(m);
  softwood::bind_c45(m);
  softwood::bind_anneal(m);
  softwood::bind_oblique(m);
  softwood::bind_budding(m);
  softwood::bind_table(m);
  softwood::bind_bins(m);
  softwood::bind_arithmetic(m);
  softwood::bind_evidence(m);
  m.def("begin_fit", &softwood::begin_fit);
  m.def("end_fit", &softwood::end_fit);
  m.def("end_threads", &softwood::end_threads);
  m.def("simd_paths", [] {
    nanobind::list names;
    for (const std::string_view name : softwood::simd_paths()) names.append(name);
    return names;
  });
  m.def("simd_path", [] { return softwood::simd_path_name(); });
  m.def("use_simd_path", [](std::string_view name) { return softwood::use_simd_path(name); }, nanobind::arg("name"));
}
