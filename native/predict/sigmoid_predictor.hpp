// Fast evaluation of trees whose gates are all linear sigmoids: every row reaches every node, so every gate is
// evaluated for every row, without branches.
//
//     u[gate]      = -log2(e) (weight . phi + bias)             one small matrix product, simd/block_product.hpp
//     share[gate]  = 1 / (1 + 2^u)                              simd/sigmoid.hpp
//     reach[child] = reach * (1 - leafness) * share
//     output       = sum_m reach[m] * leafness[m] * response[m](x)
//
// One output with constant responses is computed from the leaves up, as the value of a node is defined; that is half
// the work:
//
//     value[m] = leafness * response[m] + (1 - leafness) * (value[second] + share * (value[first] - value[second]))
//
// Rows lie in blocks of 64, transposed. A lane's arithmetic never depends on the other lanes: a row gets the same
// answer, bit for bit, alone and among others. What an infinite number behind a closed gate counts,
// predict/block_predictor.hpp decides: here the answer is then not finite, and the function returns false.
#pragma once

#include <limits>
#include <vector>

#include "core/views.hpp"
#include "predict/block_predictor.hpp"
#include "predict/tree.hpp"
#include "simd/block.hpp"

namespace softwood::sigmoid_predictor {

constexpr std::size_t ROWS = simd::kBlock;  // at a time

// A branch: the index of the reach (or value) of it and of its children, and the share it passes on.
struct Branch {
  std::size_t place, first, second;
  bool first_ends, second_ends;  // the child keeps all it gets: its value is its response
  double passes;
};

// A node with a linear response.
struct Slope {
  std::size_t place, row;
  double leafness;
};

// A column of the basis: its row in the table of columns, and the row that it is made from.
struct Filled {
  Column column;
  std::size_t row, from;
};

// The tree for a SigmoidPredictor. Nodes with responses come first in the table of reach, so that their responses are
// one product.
struct Plan {
  std::size_t columns, rows, outputs, nodes, answering,
      root;         // rows: of the table of columns; answering: nodes that keep something
  bool all_inputs;  // every input is needed, so that rows are read from end to end
  std::vector<Branch> branch;
  std::vector<Slope> sloped;
  std::vector<double> weight, bias;  // [branch][column], [branch]; times -log2(e)
  std::vector<double> response;      // [output][answering node], times leafness
  std::vector<double> slope;         // [slope row][output][column]
  std::vector<std::size_t> row_of;   // [input that is needed]: its row among the columns or behind them
  std::vector<Filled> made;          // columns made from inputs
  std::vector<Filled> repaired;      // inputs as columns, where NaN and large values are replaced
  double limit = std::numeric_limits<double>::max();  // no `repaired` column is clipped if no input is larger
};

// Workspace of one thread; tables of [..][64]. It may be used for several plans in turn.
struct Workspace {
  void fit(const Plan& plan);
  std::vector<double> phi, share, reach, output, slope_score;
  std::vector<double> part;  // outputs of one of several trees
};

class SigmoidPredictor {
 public:
  // Whether every gate below `root` is a linear sigmoid and a product over all columns pays, or it is one linear leaf.
  static bool suits(const Tree& tree, const Needs& needs, std::size_t root = 0);

  // `needs` are those of the nodes below `root`.
  SigmoidPredictor(const Tree& tree, Needs needs, std::size_t root = 0);

  void fit(Workspace& room) const { room.fit(plan_); }

  // Outputs of rows begin .. begin + n - 1 (n <= ROWS): out is (n, outputs). False if some of them are not finite.
  bool output(const Table& rows, std::size_t begin, std::size_t n, Workspace& room, double* out) const;

 private:
  void load(const Table& rows, std::size_t begin, std::size_t n, Workspace& room) const;

  Needs needs_;
  Plan plan_;
};

}  // namespace softwood::sigmoid_predictor
