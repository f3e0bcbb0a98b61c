// Python's global lock (GIL), released while native code works and reacquired afterwards.
//
// Python before 3.14 ends a daemon thread that requests the GIL while the interpreter ends: it unwinds the thread's
// stack, which makes C++ abort. So such a thread waits here indefinitely, and ends with the process. Before the
// interpreter ends, `end_threads` (called by atexit) blocks further requests and waits for pending ones. Other native
// code in a fit (such as NumPy's) has no such protection, so `end_threads` also waits for running fits until they reach
// a place that holds them.
#pragma once

#include <Python.h>

#include "core/interrupt.hpp"

namespace softwood {

// While it lives, this thread requests the GIL, or runs Python within native work, where it may release and request the
// GIL again. It is never constructed while the interpreter ends.
class GilReacquire {
 public:
  GilReacquire();
  ~GilReacquire();
  GilReacquire(const GilReacquire&) = delete;
  GilReacquire& operator=(const GilReacquire&) = delete;
};

// Asks Python whether the work should stop: on the main thread because of a signal (Ctrl-C), on others because their
// caller cancelled it.
void ask_python();

// A fit of this thread begins or ends; fits may be nested. If the interpreter is ending, the thread stays here.
void begin_fit();
void end_fit();

// Native work of a fit begins or ends: during it, `end_threads` does not wait for the fit.
void leave_python();
void enter_python();

// While it lives, the GIL is released, and polls of native code detect interrupts.
class GilRelease {
 public:
  GilRelease() : check_(&ask_python), state_(PyEval_SaveThread()) { leave_python(); }
  ~GilRelease() {
    const GilReacquire way;
    enter_python();
    PyEval_RestoreThread(state_);
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  const InterruptCheck check_;
  PyThreadState* state_;
};

// Called by the thread that ends the interpreter and holds the GIL: afterwards no other thread acquires it from native
// code, and no fit runs.
void end_threads();

}  // namespace softwood
