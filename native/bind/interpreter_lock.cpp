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
thread_local int depth = 0;  // one may be made within another
std::atomic<bool> ending{false};
std::atomic<std::thread::id> ends_it{};  // the thread that ends the interpreter goes on as ever

// Threads that were on the way are not in a fork.
const bool forks_are_known = [] {
#ifndef _WIN32
  pthread_atfork(nullptr, nullptr, [] { on_the_way = 0; });
#endif
  return true;
}();

[[noreturn]] void wait_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

GilReacquire::GilReacquire() {
  if (depth++ > 0) return;
  ++on_the_way;  // before the look at `ending`: either it is seen here, or this thread is waited for
  if (!ending || ends_it.load() == std::this_thread::get_id()) return;
  --on_the_way;
  if (PyGILState_Check()) PyEval_SaveThread();
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

void end_threads() {
  ends_it = std::this_thread::get_id();
  ending = true;
  const nanobind::gil_scoped_release free;  // for those on the way
  const auto last = std::chrono::steady_clock::now() + LONGEST;
  while (on_the_way > 0 && std::chrono::steady_clock::now() < last) std::this_thread::sleep_for(PAUSE);
}

}  // namespace softwood
