// Work on fixed pieces by several threads. Which thread takes a piece never changes what the piece computes, so results
// do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "interrupt.hpp"

namespace softwood {

// Calls work(piece) for every piece in [0, pieces), with the help of up to so many other threads; rethrows the first
// exception. An interrupt that this thread hears stops the others, too.
void share_out(std::size_t pieces, std::size_t helpers, const std::function<void(std::size_t)>& work);

// The same on up to n_threads threads; this one alone is not slowed down by calls that the compiler cannot see through.
template <class Work>
void for_each_piece(std::size_t pieces, int n_threads, Work&& work) {
  const std::size_t crew = std::min<std::size_t>(pieces, static_cast<std::size_t>(std::max(n_threads, 1)));
  if (crew <= 1) {
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      poll_interrupt();
      work(piece);
    }
  } else {
    share_out(pieces, crew - 1, std::ref(work));
  }
}

}  // namespace softwood
