// The rows of a tree, in an order in which every node is a range, and sums over such ranges.
#pragma once

#include <cstdint>
#include <vector>

#include "hard/sorted_columns.hpp"
#include "oblique/discriminant.hpp"

namespace softwood::oblique {

// Rows and their targets: classes (code, factor) or numbers (y).
struct Problem {
  const double* phi;  // rows x columns
  std::size_t rows, columns;
  const double* weight;
  const std::int32_t* code;
  const double* factor;  // per class: weight of its rows in splits
  std::size_t classes;   // 0 for numbers
  const double* y;       // rows x targets
  std::size_t targets;
  Criterion criterion;
  const hard::Columns* inputs;  // the same rows; null: no splits on one input
};

class PartitionedRows {
 public:
  explicit PartitionedRows(const Problem& problem);

  RowRange rows(std::size_t begin, std::size_t end) const {
    return {&phi_[begin * stride_], &split_weight_[begin], end - begin, columns_, stride_};
  }
  Answers answers(std::size_t begin, std::size_t end) const {
    return {end - begin,
            &weight_[begin],
            &split_weight_[begin],
            classes_ ? &code_[begin] : nullptr,
            classes_ ? nullptr : &y_[begin * targets_],
            targets_};
  }
  // Indices of the rows in the problem.
  const std::uint32_t* id(std::size_t begin) const { return &id_[begin]; }

  // Weights are whole numbers: use a table of logarithms.
  void tabulate(Impurity& impurity) const;

  // Fills the sums over the targets, appends the node's value (weight by class, or means), and returns the row count.
  double describe(std::size_t begin, std::size_t end, const Impurity& impurity, NodeSums& sums,
                  std::vector<double>& value) const;
  // Fills the sums over the columns, by class, and their mean.
  void add_columns(std::size_t begin, std::size_t end, NodeSums& sums) const;

  // Rows of the first child before those of the second, each in the original order; returns where the second begins.
  // Columns are partitioned separately, because those of a leaf are not read.
  std::size_t divide(std::size_t begin, const std::vector<std::uint8_t>& second);
  void divide_columns(std::size_t begin, const std::vector<std::uint8_t>& second);

 private:
  std::size_t columns_, stride_, classes_, targets_;
  std::vector<double> phi_, weight_, split_weight_, y_;
  std::vector<std::int32_t> code_;
  std::vector<std::uint32_t> id_;

  void count_classes(const Answers& answers, const Impurity& impurity, NodeSums& sums,
                     std::vector<double>& value) const;
  void average(const Answers& answers, NodeSums& sums, std::vector<double>& value) const;
};

// From a scatter about another point to that about the mean.
void shift_to_mean(NodeSums& sums, const std::vector<double>& from, const RowRange& rows);

}  // namespace softwood::oblique
