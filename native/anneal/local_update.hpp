// What one call of the annealer looks at: the rows that its group of widths can change, and the few gates between.
//
//     output = rest + reach_j * (g_j * T_c + (1 - g_j) * T_other)
//                                      T_c: at most two levels of gates over subtrees that stay as they are
//
// A proposal costs only those rows and gates; all else is computed once per call.
#pragma once

#include <cstdint>
#include <vector>

#include "anneal/ramp_tree.hpp"

namespace softwood {

class LocalUpdate {
 public:
  // output: rows x parts, of the current widths theta. The group's first width is that of the top gate j.
  LocalUpdate(const RampTree& tree, const std::vector<Width>& group, const std::vector<double>& theta,
              const std::vector<double>& output);

  // Loss of the local's rows.
  double loss(const double* theta);
  // Writes the outputs of the local's rows.
  void write(const double* theta, std::vector<double>& output);

 private:
  static constexpr std::size_t BLOCK = 128;  // rows whose numbers stay in the first cache

  struct MissingShare {
    std::size_t at;
    double share;
  };
  // A ramp, a gate that stays as it is, or (no children) a subtree that does.
  struct Local {
    std::int32_t node = -1;
    bool softens = false;
    std::vector<int> child;
    std::vector<double> number;  // ramp: distances; other gate: shares (slots x rows); subtree: answers (parts x rows)
    std::vector<MissingShare> missing;
  };

  int add(std::int32_t node, int level);
  int add_subtree(std::int32_t node);
  void find_shares(const double* theta, std::size_t begin, std::size_t n);
  void answer(int local, std::size_t part, std::size_t begin, std::size_t n, double* out) const;
  void outputs(std::size_t part, std::size_t begin, std::size_t n, double* out) const;

  const RampTree& tree_;
  const std::vector<double>& theta_;
  std::int32_t side_;
  std::vector<std::size_t> row_;
  std::vector<double> reach_, rest_, weight_, target_;  // rest, target: parts x rows
  std::vector<Local> local_;
  std::vector<double> share_;  // locals x BLOCK: of the first child, for the block at hand
};

}  // namespace softwood
