// The files named bind*.cpp alone know Python: from NumPy arrays to views, and back.
#include "bind.hpp"

NB_MODULE(_native, m) {
  m.doc() = "softwood's native kernels; use softwood.kernels, not this module.";
  softwood::bind_soft(m);
}
