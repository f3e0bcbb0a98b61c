// A pool of threads that are started once and wait for work. A thread started for every pass costs as much as many a
// pass; and where other programs hold the cores it starts late, by milliseconds. So the calling thread begins at once,
// and waits in the end only for pieces that workers have begun: a worker that comes late finds none left, and nobody
// waits for it.
#include "core/parallel.hpp"

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
// were: a worker may hold on to the job for longer than the work is there.
class Job {
 public:
  Job(std::size_t pieces, const std::function<void(std::size_t)>& work) : pieces_(pieces), work_(work) {
    std::fegetenv(&rounding_);
  }

  // On another thread, with the same rounding mode.
  void run_on_worker() {
    std::fesetenv(&rounding_);
    const CancelCheck check(cancelled_);
    run_next_pieces();
  }

  void run_next_pieces() {
    std::size_t done = 0;
    std::exception_ptr problem;
    for (std::size_t piece = next_++; piece < pieces_; piece = next_++) {
      ++done;
      try {
        poll_interrupt();
        work_(piece);
      } catch (const Cancelled&) {  // the reason is reported already
        done += cancel_rest();
      } catch (...) {
        problem = std::current_exception();
        done += cancel_rest();
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
    while (!all_done_.wait_for(lock, POLL, [this] { return done_ == pieces_; })) {
      if (problem_) continue;
      lock.unlock();
      std::exception_ptr problem;
      std::size_t left = 0;
      try {
        poll_interrupt();
      } catch (...) {
        problem = std::current_exception();
        left = cancel_rest();
      }
      lock.lock();
      done_ += left;
      if (problem && !problem_) problem_ = problem;
    }
    if (problem_) std::rethrow_exception(problem_);
  }

 private:
  static constexpr auto POLL = std::chrono::milliseconds(50);  // between two polls, while other threads work

  // The work has failed: no thread runs the other pieces; returns their number.
  std::size_t cancel_rest() {
    cancelled_ = true;
    return pieces_ - std::min(pieces_, next_.exchange(pieces_));
  }

  const std::size_t pieces_;
  const std::function<void(std::size_t)>& work_;
  std::fenv_t rounding_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> cancelled_{false};
  std::mutex guard_;
  std::condition_variable all_done_;
  std::size_t done_ = 0;
  std::exception_ptr problem_;
};

// The largest number of threads requested at once so far, shared by all callers.
class ThreadPool {
 public:
  void submit(const std::shared_ptr<Job>& job, std::size_t workers) {
    {
      const std::lock_guard<std::mutex> lock(guard_);
      start_threads(workers);
      open_.insert(open_.end(), workers, job);
    }
    for (std::size_t i = 0; i < workers; ++i) wanted_.notify_one();
  }

  void withdraw(const std::shared_ptr<Job>& job) {
    const std::lock_guard<std::mutex> lock(guard_);
    std::erase(open_, job);
  }

 private:
  // If the system has no thread left, the existing ones do the work.
  void start_threads(std::size_t workers) {
    try {
      for (; threads_ < workers; ++threads_) std::thread(&ThreadPool::run_worker, this).detach();
    } catch (const std::system_error&) {
    }
  }

  void run_worker() {
    for (std::unique_lock<std::mutex> lock(guard_);;) {
      wanted_.wait(lock, [this] { return !open_.empty(); });
      const std::shared_ptr<Job> job = std::move(open_.front());
      open_.pop_front();
      lock.unlock();
      job->run_on_worker();
      lock.lock();
    }
  }

  std::mutex guard_;
  std::condition_variable wanted_;
  std::deque<std::shared_ptr<Job>> open_;  // one entry per requested worker
  std::size_t threads_ = 0;
};

std::atomic<ThreadPool*> the_pool{nullptr};  // never destroyed: its threads wait until the process ends

// A fork has none of its parent's threads, and perhaps a lock that one of them held: it starts a new pool.
const bool forks_are_watched = [] {
#ifndef _WIN32
  pthread_atfork(nullptr, nullptr, [] { the_pool = nullptr; });
#endif
  return true;
}();

ThreadPool& pool() {
  if (ThreadPool* running = the_pool) return *running;
  ThreadPool *first = nullptr, *fresh = new ThreadPool;
  if (the_pool.compare_exchange_strong(first, fresh)) return *fresh;
  delete fresh;
  return *first;
}

}  // namespace

void run_pieces(std::size_t pieces, std::size_t workers, const std::function<void(std::size_t)>& work) {
  const auto job = std::make_shared<Job>(pieces, work);
  pool().submit(job, workers);
  job->run_next_pieces();
  pool().withdraw(job);
  job->finish();
}

}  // namespace softwood
