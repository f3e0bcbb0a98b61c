// Work on fixed pieces by several threads. Which thread takes a piece never changes what the piece computes, so results
// do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "core/interrupt.hpp"

namespace softwood {

// Calls work(piece) for every piece in [0, pieces), on this thread and up to `workers` others; rethrows the first
// exception. An interrupt of this thread stops the others, too.
void run_pieces(std::size_t pieces, std::size_t workers, const std::function<void(std::size_t)>& work);

// The same on up to n_threads threads; a single thread is not slowed down by indirect calls.
template <class Work>
void for_each_piece(std::size_t pieces, int n_threads, Work&& work) {
  const std::size_t threads = std::min<std::size_t>(pieces, static_cast<std::size_t>(std::max(n_threads, 1)));
  if (threads <= 1) {
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      poll_interrupt();
      work(piece);
    }
  } else {
    run_pieces(pieces, threads - 1, std::ref(work));
  }
}

}  // namespace softwood
