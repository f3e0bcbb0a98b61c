// Evaluation of any tree: rows in blocks of 64, transposed, so that the inner loops run across rows.
//
// The nodes are visited depth first. A visit has the rows of the block with a positive reach, packed, so the time of a
// row depends on its paths: one path with hard gates, all nodes with sigmoids.
//
//     lane   [ 0    3    4   ]     rows of the block of which something arrives
//     reach  [ 1.0  0.3  0.7 ]     how much
//
// A lane's arithmetic never depends on the other lanes: a row gets the same prediction, bit for bit, alone and among
// others.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/views.hpp"
#include "predict/tree.hpp"
#include "simd/block_loops.hpp"

namespace softwood {

// Constants of all blocks: the inputs and basis columns that the tree, or the part below a node, uses.
struct Needs {
  explicit Needs(const Tree& tree, std::size_t root = 0);
  std::vector<std::int32_t> feature, column;
  std::vector<double> low, high;  // per feature of the tree: within these limits no column clips its input
};

// The rows that arrive at a node, and their shares.
struct Arrivals {
  std::size_t n;
  std::array<std::uint8_t, LANES> lane;
  std::array<double, LANES> reach;
};

class Block {
 public:
  // Both must outlive the block. One thread uses a block at a time.
  Block(const Tree& tree, const Needs& needs);

  // Takes the rows `row[0 .. n - 1]` (n <= LANES) of the table.
  void load(const Table& rows, const std::size_t* row, std::size_t n);

  // Calls arrive(node, arrivals) for every node with a positive reach of some row, parents before children.
  template <class Arrive>
  void visit(Arrive&& arrive);

  // Adds kept[i] * response of `node` for the lanes of `at` to sum[output * LANES + lane].
  void add_response(std::int32_t node, const Arrivals& at, const double* kept, double* sum) const;

  std::size_t size() const { return n_; }

 private:
  struct Visit {
    std::int32_t node;
    std::uint32_t n;
  };

  void pop(Visit visit, Arrivals& at);
  void push_children(const Gate& gate, const Arrivals& at);
  void push(std::int32_t node, const Arrivals& at, const double* passed, const double* share);
  void find_shares(const Gate& gate, const Arrivals& at);
  void find_linear_shares(const Gate& gate, const Arrivals& at);
  void find_soft_shares(const Gate& gate, const Arrivals& at);
  void place(const Gate& gate, std::size_t i, std::int32_t slot);
  std::int32_t replace_missing(const Gate& gate, std::uint8_t lane) const;
  const double* values(std::int32_t feature) const { return x_.get() + static_cast<std::size_t>(feature) * LANES; }
  bool is_full(const Arrivals& at) const { return at.n == n_; }

  const Tree& tree_;
  const Needs& needs_;
  std::size_t n_ = 0;
  std::unique_ptr<double[]> x_;  // [feature][lane]; only the features that are needed are ever touched
  std::vector<double> phi_;      // [basis column][lane]
  std::vector<double> share_;    // [slot][i-th arrival] of the node being visited
  std::vector<Visit> to_visit_;  // a stack, and separately the arrivals of each visit
  std::vector<std::uint8_t> lane_;
  std::vector<double> reach_;
};

template <class Arrive>
void Block::visit(Arrive&& arrive) {
  Arrivals at;
  at.n = n_;
  for (std::size_t i = 0; i < n_; ++i) at.lane[i] = static_cast<std::uint8_t>(i);
  at.reach.fill(1.0);
  arrive(0, at);
  if (!tree_.gate[0].keeps_all()) push_children(tree_.gate[0], at);
  while (!to_visit_.empty()) {
    const Visit next = to_visit_.back();
    pop(next, at);
    arrive(next.node, at);
    if (!tree_.gate[next.node].keeps_all()) push_children(tree_.gate[next.node], at);
  }
}

}  // namespace softwood
