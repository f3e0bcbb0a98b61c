// The best test of one input for the nodes of an oblique tree: CART's splitter (hard/splitter.hpp) over lists that are
// sorted once and divided with the nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "hard/node_stats.hpp"
#include "hard/partition.hpp"
#include "hard/routing.hpp"
#include "oblique/partitioned_rows.hpp"

namespace softwood::oblique {

class UnivariateSplitter {
 public:
  UnivariateSplitter(const Problem& problem, double least)
      : columns_(*problem.inputs),
        objective_(hard::make_objective(columns_, target_of(problem), problem.criterion, {})),
        growth_{1, 0, 2, least, 0, 0, Missing::direction, 0, {}, {}, 0},
        splitter_(columns_, objective_, growth_),
        router_(columns_, splitter_, objective_, false, hard::SurrogateUse::never, 0, 1),
        side_(columns_.X.rows) {}
  UnivariateSplitter(const UnivariateSplitter&) = delete;
  UnivariateSplitter& operator=(const UnivariateSplitter&) = delete;

  hard::NodeRows root() const { return hard::root_rows(columns_, objective_.weight); }

  // `loss`: W * impurity of the node.
  hard::Split find(const hard::NodeRows& rows, double loss) {
    std::vector<double> state(static_cast<std::size_t>(objective_.width()));
    for (std::size_t i = 0; i < rows.n; ++i) objective_.add(state.data(), rows.row(i));
    return splitter_.best_split({rows, state.data(), hard::TIE * loss, loss - hard::TIE * loss, no_bounds_}, 1);
  }

  // 1 for those of the n rows that go to the second child.
  std::vector<std::uint8_t> send(const hard::NodeRows& rows, const hard::Split& split, const std::uint32_t* id,
                                 std::size_t n) {
    default_slot_ = router_.send(rows, split).default_slot;
    std::vector<std::uint8_t> second(n);
    for (std::size_t i = 0; i < n; ++i) second[i] = router_.side()[id[i]];
    return second;
  }
  // For the last split: the child of a value that the test cannot read.
  int default_slot() const { return default_slot_; }

  // The same for rows that the last split has not seen.
  std::vector<std::uint8_t> place(const hard::Split& split, const std::uint32_t* id, std::size_t n) const {
    const auto feature = static_cast<std::size_t>(split.feature);
    std::vector<std::uint8_t> second(n);
    for (std::size_t i = 0; i < n; ++i) {
      int slot = -1;
      if (columns_.is_category(feature)) {
        const int code = columns_.code(id[i], feature);
        slot = code < 0 ? -1 : hard::slot_of(split.slot, code);
      } else if (!columns_.is_missing(id[i], feature)) {
        slot = columns_.X(id[i], feature) <= split.threshold ? 0 : 1;
      }
      second[i] = static_cast<std::uint8_t>(slot < 0 ? default_slot_ : slot);
    }
    return second;
  }

  // The children's lists, if needed; the row `id` of every entry of `second`.
  hard::Children divide(const hard::NodeRows& rows, const std::vector<std::uint32_t>& id,
                        const std::vector<std::uint8_t>& second, const bool wanted[2]) {
    std::vector<std::uint32_t> sent[2];
    for (std::size_t i = 0; i < id.size(); ++i) {
      side_[id[i]] = second[i];
      sent[second[i]].push_back(id[i]);
    }
    return hard::divide_rows(columns_, rows, side_, sent, wanted, 1);
  }

 private:
  const hard::Columns& columns_;
  const hard::Objective objective_;
  const hard::Growth growth_;
  hard::Splitter splitter_;
  hard::RowRouter router_;
  std::vector<std::uint8_t> side_;
  const hard::Bounds no_bounds_;

  static hard::Target target_of(const Problem& problem) {
    const bool classes = problem.classes > 0;
    return {classes ? problem.code : nullptr, problem.y, problem.weight, problem.factor,
            static_cast<int>(classes ? problem.classes : problem.targets)};
  }

  int default_slot_ = 0;
};

}  // namespace softwood::oblique
