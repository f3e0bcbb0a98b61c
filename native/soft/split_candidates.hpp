// Where a soft tree could grow: for each leaf, gates to start from; twin of learners/soft/growth/split_candidates.py,
// which explains why.
#pragma once

#include <cstdint>
#include <vector>

#include "soft/soft_rows.hpp"

namespace softwood::soft {

// The levels of a category that have a bin and a column each: where these are, and what a column is made of.
struct Levels {
  std::size_t input = 0;
  std::vector<std::size_t> bin, column;
  std::vector<double> height, elsewhere;
};

// Inputs as histograms see them.
struct SplitFeatures {
  std::vector<std::size_t> cuts;            // thresholds of each input
  std::vector<std::int32_t> linear;         // its linear column; -1: none
  std::vector<std::vector<double>> at_cut;  // value of the linear column at each cut
  std::vector<std::size_t> place;           // of each column's input
  std::vector<Levels> levels;               // of the inputs that are categories
};

struct Binned {
  const std::uint8_t* code;  // (rows, inputs)
  std::size_t inputs, bins;
};

struct CandidateOptions {
  std::size_t tries = 1;
  double slope = 1, level_rows = 0, least_rows = 0;
  double total_weight = 1;  // of the rows
};

// A gate to split `node` by, and the responses of the children.
struct SplitCandidate {
  std::size_t node = 0;
  double gain = 0;
  std::vector<double> gate, first, second;

  bool by_one_column() const;
};

// Starts in the `tries` leaves where an axis split gains most: by one input, then along the direction of the slope.
template <class T>
std::vector<SplitCandidate> find_split_candidates(const SoftRows<T>& rows, const Shape& shape, const double* parameters,
                                                  const Binned& binned, const SplitFeatures& split_features,
                                                  const CandidateOptions& how, int n_threads);

}  // namespace softwood::soft
