// The only file that knows Python: from NumPy arrays to views, and back.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_native, m) { m.doc() = "softwood's native kernels; use softwood.kernels, not this module."; }
