// Long work that can be interrupted. The caller provides a check for interrupts (for Python: whether Ctrl-C was
// pressed), and the work polls between its pieces, on every thread: the calling thread checks about every 50 ms, worker
// threads test whether their job was cancelled. An interrupt is an exception, which leaves no result.
#pragma once

#include <atomic>

namespace softwood {

// Throws if the work should stop.
using Ask = void (*)();

// While it lives, polls on this thread check for an interrupt.
class InterruptCheck {
 public:
  explicit InterruptCheck(Ask ask);
  ~InterruptCheck();
  InterruptCheck(const InterruptCheck&) = delete;
  InterruptCheck& operator=(const InterruptCheck&) = delete;

 private:
  Ask before_;
};

// While it lives, polls on this thread stop once `cancelled` is set.
class CancelCheck {
 public:
  explicit CancelCheck(const std::atomic<bool>& cancelled);
  ~CancelCheck();
  CancelCheck(const CancelCheck&) = delete;
  CancelCheck& operator=(const CancelCheck&) = delete;
};

// Thrown by a poll on a worker thread; the thread that cancelled the job throws the reason.
struct Cancelled {};

// Takes about 30 ns: for pieces of work of a microsecond or more.
void poll_interrupt();

}  // namespace softwood
