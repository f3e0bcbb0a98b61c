// Annealing the widths of ramps, the native twin of src/softwood/kernels/reference/anneal.py. Rules:
// src/softwood/kernels/contracts/anneal.py.
#pragma once

#include <cstdint>
#include <vector>

#include "anneal/ramp_tree.hpp"

namespace softwood {

struct AnnealProgress {
  std::int64_t calls = 0, successes = 0, failures = 0;
  double loss = 0;
};

// splitmix64 (Steele, Lea, Flood 2014)
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform();
  double normal();

 private:
  std::uint64_t state_;
};

class Annealer {
 public:
  Annealer(const RampProblem& problem, std::uint64_t seed);

  AnnealProgress run(std::int64_t max_calls, std::int64_t patience);
  const std::vector<double>& theta() const { return theta_; }
  const RampTree& tree() const { return tree_; }

 private:
  void find_groups();
  std::vector<Width> top_widths(std::int32_t top) const;
  double anneal(const std::vector<Width>& group);

  RampTree tree_;
  Random random_;
  AnnealProgress progress_;
  double unit_ = 0;  // of the temperature
  std::vector<double> theta_;
  std::vector<double> output_;  // rows x parts, of the current widths
  std::vector<std::vector<Width>> groups_;
};

}  // namespace softwood
