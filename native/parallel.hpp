// Work on fixed pieces by several threads. Which thread takes a piece never changes what the piece computes, so results
// do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace softwood {

// Calls work(piece) for every piece in [0, pieces), on up to n_threads threads; rethrows the first exception.
template <class Work>
void for_each_piece(std::size_t pieces, int n_threads, Work&& work) {
  const std::size_t crew = std::min<std::size_t>(pieces, static_cast<std::size_t>(std::max(n_threads, 1)));
  if (crew <= 1) {
    for (std::size_t piece = 0; piece < pieces; ++piece) work(piece);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr problem;
  std::mutex guard;
  auto take = [&] {
    try {
      for (std::size_t piece = next++; piece < pieces; piece = next++) work(piece);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(guard);
      if (!problem) problem = std::current_exception();
      next = pieces;
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(crew - 1);
  for (std::size_t i = 1; i < crew; ++i) threads.emplace_back(take);
  take();
  for (auto& thread : threads) thread.join();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace softwood
