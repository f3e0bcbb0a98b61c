// Long work that can be told to stop. Whoever calls it says how to ask (for Python: whether Ctrl-C was pressed), and
// the work polls between its pieces, on whichever thread it runs: the thread that was called asks about every 50 ms,
// the others look whether the job that they help with was given up. To stop is an exception, which leaves no result.
#pragma once

#include <atomic>

namespace softwood {

// Throws if the work is to stop.
using Ask = void (*)();

// While it lives, polls on this thread ask.
class Hears {
 public:
  explicit Hears(Ask ask);
  ~Hears();
  Hears(const Hears&) = delete;
  Hears& operator=(const Hears&) = delete;

 private:
  Ask before_;
};

// While it lives, polls on this thread stop once `given_up` is set.
class Helps {
 public:
  explicit Helps(const std::atomic<bool>& given_up);
  ~Helps();
  Helps(const Helps&) = delete;
  Helps& operator=(const Helps&) = delete;
};

// What a poll of a helper throws; the one whom it helps has thrown the reason.
struct GivenUp {};

// Takes some 30 ns: for pieces of work of a microsecond or more.
void poll_interrupt();

}  // namespace softwood
