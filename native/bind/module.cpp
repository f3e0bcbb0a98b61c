// The native module: each family of kernels binds itself.
#include "bind/module.hpp"

NB_MODULE(_native, m) {
  m.doc() = "softwood's native kernels; use softwood.kernels, not this module.";
#ifdef NDEBUG
  nanobind::set_leak_warnings(false);  // a program may end with models alive: nothing to tell its user
#endif
  softwood::bind_evaluator(m);
  softwood::bind_grower(m);
  softwood::bind_soft(m);
  softwood::bind_split_step(m);
  softwood::bind_c45(m);
  softwood::bind_anneal(m);
  softwood::bind_oblique(m);
  softwood::bind_budding(m);
  softwood::bind_table(m);
  softwood::bind_bins(m);
}
