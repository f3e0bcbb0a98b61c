// The data of one call of the annealer: the rows that its group of widths can change, and the few gates between.
//
//     output = rest + reach_j * (g_j * T_c + (1 - g_j) * T_other)
//                                      T_c: at most two levels of gates over fixed subtrees
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

  // Loss of these rows.
  double loss(const double* theta);
  // Writes the outputs of these rows.
  void write(const double* theta, std::vector<double>& output);

 private:
  static constexpr std::size_t BLOCK = 128;  // rows whose numbers fit in the L1 cache

  struct MissingShare {
    std::size_t at;
    double share;
  };
  // A ramp, a fixed gate, or (no children) a fixed subtree.
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
  std::vector<double> share_;  // locals x BLOCK: of the first child, for the current block
};

}  // namespace softwood
