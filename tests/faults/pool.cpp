// The pool of threads under ThreadSanitizer: jobs of many callers at once, jobs inside jobs, failures, interrupts.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/parallel.hpp"

namespace {

using softwood::for_each_piece;

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

// Each piece writes its own place; plain memory, so that a missing order between threads is a race. A piece takes a
// while, so that others come and help: those that did are counted.
void sums(std::atomic<long>& helped) {
  std::vector<long> found(40);
  for (int turn = 0; turn < 20; ++turn) {
    const std::thread::id caller = std::this_thread::get_id();
    for_each_piece(found.size(), 2 + turn % 4, [&](std::size_t piece) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      found[piece] = static_cast<long>(piece * piece);
      if (std::this_thread::get_id() != caller) ++helped;
    });
    long sum = 0;
    for (const long value : found) sum += value;
    require(sum == 39 * 40 * 79 / 6, "a sum");
  }
}

void jobs_in_jobs() {
  std::vector<long> found(40);
  for_each_piece(4, 3, [&](std::size_t outer) {
    for_each_piece(10, 3, [&](std::size_t inner) { found[outer * 10 + inner] = 1; });
  });
  for (const long value : found) require(value == 1, "a piece of a job in a job");
}

void failures() {
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<long> begun(60);
    bool failed = false;
    try {
      for_each_piece(begun.size(), 4, [&](std::size_t piece) {
        begun[piece] = 1;
        if (piece == 7) throw std::runtime_error("seven");
      });
    } catch (const std::runtime_error&) {
      failed = true;
    }
    require(failed && begun[7] == 1, "a failure");
  }
}

std::atomic<bool> stop{false};

void interrupts() {
  const softwood::InterruptCheck check([] {
    if (stop) throw std::runtime_error("stop");
  });
  std::thread later([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(80));
    stop = true;
  });
  bool stopped = false;
  try {
    for_each_piece(100'000, 4, [](std::size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  } catch (const std::runtime_error&) {
    stopped = true;
  }
  later.join();
  stop = false;
  require(stopped, "an interrupt");
}

}  // namespace

int main() {
  std::vector<std::thread> callers;
  std::atomic<long> helped{0};
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&] {
      sums(helped);
      jobs_in_jobs();
      failures();
    });
  for (std::thread& caller : callers) caller.join();
  interrupts();
  require(helped > 100, "threads that help");
  std::printf("the pool is sound: of 4,800 pieces others than the caller took %ld\n", helped.load());
}
