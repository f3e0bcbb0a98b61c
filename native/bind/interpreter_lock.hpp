// Python's lock, given up while native code works and taken back after it.
//
// Python before 3.14 ends a daemon thread that wants the lock while the interpreter ends: it unwinds the thread's
// stack, which C++ answers with an abort. So such a thread waits here for ever instead, and ends with the process.
// Before the interpreter ends, `end_threads` (which atexit calls) closes the way to the lock and waits until nobody is
// on it. Other native code that a fit runs (NumPy's, say) does not wait like this: so a fit is waited for, too, until
// it comes to a place that holds it.
#pragma once

#include <Python.h>

#include "core/interrupt.hpp"

namespace softwood {

// While it lives, this thread is on its way to Python's lock, or runs Python in the midst of native work, where it may
// lose the lock and want it back. Where the interpreter ends it is never made.
class GilReacquire {
 public:
  GilReacquire();
  ~GilReacquire();
  GilReacquire(const GilReacquire&) = delete;
  GilReacquire& operator=(const GilReacquire&) = delete;
};

// Asks Python whether the work should end: on the main thread by a signal (Ctrl-C), on others by who gave them the
// work.
void ask_python();

// A fit of this thread begins, or has ended, also within another one. Where the interpreter ends, the thread stays
// here.
void begin_fit();
void end_fit();

// Native work of a fit begins, or has ended: while it lasts, nobody waits for the fit.
void leave_python();
void enter_python();

// While it lives, Python's lock is free for others, and polls of native code hear interrupts.
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

// Called by the thread that ends the interpreter, which has the lock: no other thread takes it any more from native
// code, and no fit runs any more.
void end_threads();

}  // namespace softwood
