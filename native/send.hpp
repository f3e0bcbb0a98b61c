// Sends the rows of a node to its children: by the split, and where the value is missing by surrogates, in parts, or
// where the split or the larger child says.
#pragma once

#include <cstdint>
#include <vector>

#include "divide.hpp"
#include "search.hpp"
#include "surrogate.hpp"

namespace softwood::hard {

struct Sent {
  std::vector<std::uint32_t> rows[2];  // rows of each child; a row in parts is in both
  double known[2] = {0, 0};            // count of the rows whose value is known
  int default_slot = 0;                // where a row goes that nothing else can place
  std::vector<Surrogate> surrogates;
};

enum class Imitate { never, if_missing, always };  // when to look for surrogates

class Sender {
 public:
  Sender(const Columns& columns, const Search& search, const Objective& objective, bool in_parts, Imitate imitate,
         int max_surrogates, int n_threads);

  // The answer is good until the next call.
  const Sent& send(const NodeRows& rows, const Split& split);

  // Slot of every row sent last (0, 1, BOTH).
  const std::vector<std::uint8_t>& side() const { return side_; }

  // Fills in what the rows of a node make of a threshold: known_first or last_bin.
  void place_threshold(const NodeRows& rows, Split& split) const;

 private:
  const Columns& columns_;
  const Search& search_;
  const Objective& objective_;
  const bool in_parts_;
  const Imitate imitate_;
  const int max_surrogates_, n_threads_;
  std::vector<std::uint8_t> side_;
  Sent sent_;
  std::vector<std::uint32_t> lost_;  // rows whose value is missing

  void send_numbers(const NodeRows& rows, const Split& split);
  void send_categories(const NodeRows& rows, const Split& split);
  void count_known(const NodeRows& rows);
  void list_rows(const NodeRows& rows);
  std::uint8_t send_lost(std::uint32_t row) const;
};

}  // namespace softwood::hard
