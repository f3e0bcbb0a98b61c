#include "core/interrupt.hpp"

#include <chrono>

namespace softwood {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto PAUSE = std::chrono::milliseconds(50);  // between two checks

thread_local Ask ask_now = nullptr;
thread_local const std::atomic<bool>* job_cancelled = nullptr;
thread_local Clock::time_point next{};  // kept between calls, so that many short calls also check

}  // namespace

InterruptCheck::InterruptCheck(Ask ask) : before_(ask_now) { ask_now = ask; }
InterruptCheck::~InterruptCheck() { ask_now = before_; }

CancelCheck::CancelCheck(const std::atomic<bool>& cancelled) { job_cancelled = &cancelled; }
CancelCheck::~CancelCheck() { job_cancelled = nullptr; }

void poll_interrupt() {
  if (job_cancelled && job_cancelled->load(std::memory_order_relaxed)) throw Cancelled{};
  if (!ask_now) return;
  const Clock::time_point now = Clock::now();
  if (now < next) return;
  next = now + PAUSE;
  ask_now();
}

}  // namespace softwood
