#include "bind/interpreter_lock.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <thread>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace softwood {
namespace {

constexpr auto PAUSE = std::chrono::milliseconds(1), LONGEST = std::chrono::milliseconds(5000);

std::atomic<int> on_the_way{0};
thread_local int depth = 0;  // they may be nested
std::atomic<int> fits{0};    // threads that run Python during a fit
thread_local int fit_depth = 0;
thread_local bool counted = false;  // counted in `fits`
std::atomic<bool> ending{false};
std::atomic<std::thread::id> ends_it{};  // the thread that ends the interpreter continues

// Of the threads that wait for the GIL or run a fit, a fork has only the one that forked.
const bool forks_are_known = [] {
#ifndef _WIN32
  pthread_atfork(nullptr, nullptr, [] {
    on_the_way = 0;
    fits = counted ? 1 : 0;
  });
#endif
  return true;
}();

bool must_stay() { return ending && ends_it.load() != std::this_thread::get_id(); }

[[noreturn]] void wait_for_ever() {
  leave_python();
  if (PyGILState_Check()) PyEval_SaveThread();
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

GilReacquire::GilReacquire() {
  if (depth++ > 0) return;
  ++on_the_way;  // before reading `ending`: either it is seen here, or the ending thread waits for this one
  if (!must_stay()) return;
  --on_the_way;
  wait_for_ever();
}

GilReacquire::~GilReacquire() {
  if (--depth == 0) --on_the_way;
}

void ask_python() {
  const GilReacquire way;
  const nanobind::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  nanobind::module_::import_("softwood.kernels.interrupt").attr("check")();
}

void begin_fit() {
  if (fit_depth++ > 0) return;
  enter_python();
  if (must_stay()) wait_for_ever();
}

void end_fit() {
  if (--fit_depth > 0) return;
  leave_python();
  if (must_stay()) wait_for_ever();
}

void leave_python() {
  if (!counted) return;
  counted = false;
  --fits;
}

void enter_python() {
  if (counted || fit_depth == 0) return;
  counted = true;
  ++fits;
}

void end_threads() {
  ends_it = std::this_thread::get_id();
  ending = true;
  const nanobind::gil_scoped_release free;  // wait for the other threads
  const auto last = std::chrono::steady_clock::now() + LONGEST;
  while ((on_the_way > 0 || fits > 0) && std::chrono::steady_clock::now() < last) std::this_thread::sleep_for(PAUSE);
}

}  // namespace softwood
