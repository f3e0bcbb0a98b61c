#include "interrupt.hpp"

#include <chrono>

namespace softwood {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto PAUSE = std::chrono::milliseconds(50);  // between two questions

thread_local Ask asks = nullptr;
thread_local const std::atomic<bool>* helps = nullptr;
thread_local Clock::time_point next{};  // lives on from call to call, so that many short calls ask, too

}  // namespace

Hears::Hears(Ask ask) : before_(asks) { asks = ask; }
Hears::~Hears() { asks = before_; }

Helps::Helps(const std::atomic<bool>& given_up) { helps = &given_up; }
Helps::~Helps() { helps = nullptr; }

void poll_interrupt() {
  if (helps && helps->load(std::memory_order_relaxed)) throw GivenUp{};
  if (!asks) return;
  const Clock::time_point now = Clock::now();
  if (now < next) return;
  next = now + PAUSE;
  asks();
}

}  // namespace softwood
