// Threads that are hired once and wait for work. A thread hired for every pass costs as much as many a pass; and where
// other programs hold the cores it comes late, by milliseconds. So whoever has work begins at once, and waits in the
// end only for pieces that others have begun: a helper that comes late finds nothing left, and nobody waited for it.
#include "parallel.hpp"

#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace softwood {
namespace {

// Pieces that are taken one by one. `work` is called only for a piece that was taken, and finish() waits for all that
// were: a helper may hold on to the job for longer than the work is there.
class Job {
 public:
  Job(std::size_t pieces, const std::function<void(std::size_t)>& work) : pieces_(pieces), work_(work) {
    std::fegetenv(&rounding_);
  }

  // On another thread, which rounds as this one does.
  void help() {
    std::fesetenv(&rounding_);
    const Helps helps(given_up_);
    take();
  }

  void take() {
    std::size_t done = 0;
    std::exception_ptr problem;
    for (std::size_t piece = next_++; piece < pieces_; piece = next_++) {
      ++done;
      try {
        poll_interrupt();
        work_(piece);
      } catch (const GivenUp&) {  // the reason is told already
        done += leave_the_rest();
      } catch (...) {
        problem = std::current_exception();
        done += leave_the_rest();
      }
    }
    if (done == 0) return;
    const std::lock_guard<std::mutex> lock(guard_);
    done_ += done;
    if (problem && !problem_) problem_ = problem;
    if (done_ == pieces_) all_done_.notify_all();
  }

  void finish() {
    std::unique_lock<std::mutex> lock(guard_);
    while (!all_done_.wait_for(lock, LISTEN, [this] { return done_ == pieces_; })) {
      if (problem_) continue;
      lock.unlock();
      std::exception_ptr problem;
      std::size_t left = 0;
      try {
        poll_interrupt();
      } catch (...) {
        problem = std::current_exception();
        left = leave_the_rest();
      }
      lock.lock();
      done_ += left;
      if (problem && !problem_) problem_ = problem;
    }
    if (problem_) std::rethrow_exception(problem_);
  }

 private:
  static constexpr auto LISTEN = std::chrono::milliseconds(50);  // to an interrupt, while others are at work

  // The work has failed: nobody will take the other pieces, of which there were so many.
  std::size_t leave_the_rest() {
    given_up_ = true;
    return pieces_ - std::min(pieces_, next_.exchange(pieces_));
  }

  const std::size_t pieces_;
  const std::function<void(std::size_t)>& work_;
  std::fenv_t rounding_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> given_up_{false};
  std::mutex guard_;
  std::condition_variable all_done_;
  std::size_t done_ = 0;
  std::exception_ptr problem_;
};

// As many threads as were ever asked for at once, which all who have work share.
class Crew {
 public:
  void call(const std::shared_ptr<Job>& job, std::size_t helpers) {
    {
      const std::lock_guard<std::mutex> lock(guard_);
      hire(helpers);
      open_.insert(open_.end(), helpers, job);
    }
    for (std::size_t i = 0; i < helpers; ++i) wanted_.notify_one();
  }

  void call_off(const std::shared_ptr<Job>& job) {
    const std::lock_guard<std::mutex> lock(guard_);
    std::erase(open_, job);
  }

 private:
  // Where the system has no thread left, those at hand must do.
  void hire(std::size_t helpers) {
    try {
      for (; hired_ < helpers; ++hired_) std::thread(&Crew::serve, this).detach();
    } catch (const std::system_error&) {
    }
  }

  void serve() {
    for (std::unique_lock<std::mutex> lock(guard_);;) {
      wanted_.wait(lock, [this] { return !open_.empty(); });
      const std::shared_ptr<Job> job = std::move(open_.front());
      open_.pop_front();
      lock.unlock();
      job->help();
      lock.lock();
    }
  }

  std::mutex guard_;
  std::condition_variable wanted_;
  std::deque<std::shared_ptr<Job>> open_;  // one entry for each helper that is wanted
  std::size_t hired_ = 0;
};

std::atomic<Crew*> the_crew{nullptr};  // never destroyed: its threads wait until the process ends

// A fork has none of its parent's threads, and perhaps a lock that one of them held: it hires its own.
const bool forks_are_watched = [] {
#ifndef _WIN32
  pthread_atfork(nullptr, nullptr, [] { the_crew = nullptr; });
#endif
  return true;
}();

Crew& crew() {
  if (Crew* hired = the_crew) return *hired;
  Crew *first = nullptr, *fresh = new Crew;
  if (the_crew.compare_exchange_strong(first, fresh)) return *fresh;
  delete fresh;
  return *first;
}

}  // namespace

void share_out(std::size_t pieces, std::size_t helpers, const std::function<void(std::size_t)>& work) {
  const auto job = std::make_shared<Job>(pieces, work);
  crew().call(job, helpers);
  job->take();
  crew().call_off(job);
  job->finish();
}

}  // namespace softwood
