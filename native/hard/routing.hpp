// Sends the rows of a node to its children: by the split, or if the value is missing by surrogates, in parts, or to the
// child that the split or the larger count determines.
#pragma once

#include <cstdint>
#include <vector>

#include "hard/partition.hpp"
#include "hard/splitter.hpp"
#include "hard/surrogate.hpp"

namespace softwood::hard {

struct RoutedRows {
  std::vector<std::uint32_t> rows[2];  // rows of each child; a split row is in both
  double known[2] = {0, 0};            // count of the rows whose value is known
  int default_slot = 0;                // the slot of a row that nothing else can place
  std::vector<Surrogate> surrogates;
};

enum class SurrogateUse { never, if_missing, always };  // if surrogates are searched

class RowRouter {
 public:
  RowRouter(const Columns& columns, const Splitter& splitter, const Objective& objective, bool in_parts,
            SurrogateUse surrogate_use, int max_surrogates, int n_threads);

  // The result is valid until the next call.
  const RoutedRows& send(const NodeRows& rows, const Split& split);

  // Slot of every row of the last call (0, 1, BOTH).
  const std::vector<std::uint8_t>& side() const { return side_; }

  // Fills in the position of a threshold among the rows of a node: known_first or last_bin.
  void place_threshold(const NodeRows& rows, Split& split) const;

 private:
  const Columns& columns_;
  const Splitter& splitter_;
  const Objective& objective_;
  const bool in_parts_;
  const SurrogateUse surrogate_use_;
  const int max_surrogates_, n_threads_;
  std::vector<std::uint8_t> side_;
  std::vector<std::int8_t> slot_of_level_;  // of the current split, else -1
  RoutedRows sent_;
  std::vector<std::uint32_t> missing_;  // rows whose value is missing

  void send_numbers(const NodeRows& rows, const Split& split);
  void send_stored(const NodeRows& rows, const Split& split);
  void send_categories(const NodeRows& rows, const Split& split);
  void count_known(const NodeRows& rows);
  void list_rows(const NodeRows& rows);
  std::uint8_t send_missing(std::uint32_t row) const;
};

}  // namespace softwood::hard
