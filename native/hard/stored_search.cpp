// The part of the splitter that searches the columns of a sparse table.
#include <memory>

#include "core/interrupt.hpp"
#include "hard/splitter.hpp"

namespace softwood::hard {

namespace {

constexpr int MOST_SUBTRACTED = 8;  // consecutive subtractions of rounded sums

}  // namespace

// Cells of all groups take no more memory than the stored values of the node, so all open nodes together are bounded.
bool Splitter::keeps_cells(const NodeRows& rows) const {
  constexpr std::size_t WORTH = 2;  // numbers in cells for each stored value
  return columns_.stored->groups() * cells_.width() <= WORTH * stored_in(*columns_.stored, rows.rows);
}

bool Splitter::take_away(NodeRows& node, const std::vector<std::uint32_t>& rows) const {
  if (!cells_.is_exact() && node.subtracted >= MOST_SUBTRACTED) return false;
  cells_.with_adder(
      [&](const auto& add) { add_rows(*columns_.stored, rows, cells_.width(), -1, add, node.histogram); });
  ++node.subtracted;
  return true;
}

void Splitter::search_stored(const NodeFacts& node, std::size_t feature, const GroupSums& sums) {
  found_[feature].best = {};
  if (sums.n == 0) return;  // all 0
  const StoredColumns& stored = *columns_.stored;
  SplitSelector selector = make_selector(node, feature);
  if (cells_.is_short() && stored.missing_at[feature] == stored.begin[feature + 1]) {
    offer_short(selector, sums.cell, sums.n, stored.zero_at[feature], static_cast<double>(node.rows.n), node.total,
                [&](std::size_t i) { return sums.group[i]; });
    found_[feature].best = selector.best;
    return;
  }
  thread_local StoredPass pass;
  pass.load(*columns_.stored, cells_, objective_, feature, sums, node.rows.n, node.total);
  if (pass.any_known()) {
    if (!growth_.places_missing() || !pass.has_missing()) {
      pass.offer_all(selector, none_.data(), pass.known().data(), -1);
    } else {
      pass.offer_all(selector, none_.data(), node.total, 1);
      pass.offer_all(selector, pass.missing().data(), node.total, 0);
      selector.offer(pass.known().data(), node.total, ALL_KNOWN, 1);
    }
  }
  found_[feature].best = selector.best;
}

bool Splitter::is_winner(const NodeFacts& node, std::size_t winner, std::size_t feature) const {
  const Best& best = found_[feature].best;
  return best.found && (winner == columns_.features() || best.gain > found_[winner].best.gain + node.tie);
}

// For a large node: from its histogram, or by a pass over the columns.
void Splitter::search_all_cells(const NodeFacts& node, int n_threads) {
  const StoredColumns& stored = *columns_.stored;
  const std::size_t width = cells_.width();
  if (node.rows.histogram.empty()) {
    cells_.with_adder([&](const auto& add) {
      walk_columns(stored, node.rows.rows, width, n_threads, add,
                   [&](std::size_t feature, const GroupSums& sums) { search_stored(node, feature, sums); });
    });
    return;
  }
  constexpr std::size_t TOGETHER = 256;  // columns, so that threads rarely contend
  const std::size_t pieces = (columns_.features() + TOGETHER - 1) / TOGETHER;
  for_each_piece(pieces, stored.groups() < THREADS_FROM ? 1 : n_threads, [&](std::size_t piece) {
    std::vector<std::uint32_t> group;
    std::vector<double> cell;
    for (std::size_t f = piece * TOGETHER; f < std::min((piece + 1) * TOGETHER, columns_.features()); ++f) {
      if (cells_.is_short() && stored.missing_at[f] == stored.begin[f + 1]) {
        SplitSelector selector = make_selector(node, f);
        offer_short(selector, node.rows.histogram.data() + stored.begin[f] * width,
                    stored.begin[f + 1] - stored.begin[f], stored.zero_at[f], static_cast<double>(node.rows.n),
                    node.total, [&](std::size_t i) { return stored.begin[f] + static_cast<std::uint32_t>(i); });
        found_[f].best = selector.best;
        continue;
      }
      group.clear();
      cell.clear();
      for (std::uint32_t g = stored.begin[f]; g < stored.begin[f + 1]; ++g) {
        const double* from = node.rows.histogram.data() + g * width;
        if (!(from[0] > 0)) continue;
        group.push_back(g);
        cell.insert(cell.end(), from, from + width);
      }
      search_stored(node, f, {group.data(), cell.data(), group.size()});
    }
  });
}

Split Splitter::best_stored(NodeFacts node, int n_threads) {
  const std::size_t features = columns_.features();
  std::size_t winner = features;
  const std::size_t n = node.rows.histogram.empty() ? stored_in(*columns_.stored, node.rows.rows) : 0;
  if (!node.rows.histogram.empty() || walks_columns(*columns_.stored, n)) {
    search_all_cells(node, n_threads);
    for (std::size_t f = 0; f < features; ++f) {
      if (is_winner(node, winner, f)) winner = f;
      // A split into pure children cannot be beaten, only tied, and the lower feature wins ties.
      if (winner == f && found_[f].best.gain >= node.most) break;
    }
  } else {
    cells_.with_adder([&](const auto& add) {
      visit_sorted(*columns_.stored, node.rows.rows, cells_.width(), add,
                   [&](std::size_t feature, const GroupSums& sums) {
                     search_stored(node, feature, sums);
                     if (!is_winner(node, winner, feature)) return true;
                     winner = feature;
                     node.floor = found_[feature].best.gain + node.tie;
                     return !(found_[feature].best.gain >= node.most);
                   });
    });
  }
  return winner < features ? stored_number_split(winner) : Split{};
}

Split Splitter::stored_number_split(std::size_t feature) const {
  const Best& best = found_[feature].best;
  Split split;
  split.gain = best.gain;
  split.feature = static_cast<int>(feature);
  split.missing_slot = best.missing_slot;
  split.threshold = stored_threshold(*columns_.stored, feature, best);
  return split;
}

}  // namespace softwood::hard
