// A soft tree during learning, and its training rows.
//
// Rows are in blocks of 64, transposed: [block][column][64], so that inner loops run across rows. A row past the end
// has weight 0. Sums over rows are computed per piece of blocks and added in order, independent of the number of
// threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/kinds.hpp"
#include "simd/block.hpp"
#include "simd/occupied_columns.hpp"
#include "soft/expansion.hpp"

namespace softwood::soft {

using namespace simd;  // registers, blocks and sums are used in every pass

// Shape of a tree: children of branch m are first_child[m] and the next node; -1 for a leaf. Branches and leaves are
// numbered in node order. slope_row[leaf] is the row of slopes the leaf's response uses, -1 for a constant response.
// own_columns are those for which each leaf has own slopes, in addition.
struct Shape {
  std::vector<std::int32_t> first_child, gate, leaf, slope_row, own_columns;
  std::size_t gates = 0, leaves = 0, slopes = 0, columns = 0, outputs = 0;

  // Numbers the gates and the leaves by first_child.
  void number() {
    gate.clear(), leaf.clear(), gates = leaves = 0;
    for (const auto first : first_child) {
      gate.push_back(first < 0 ? -1 : static_cast<std::int32_t>(gates++));
      leaf.push_back(first < 0 ? static_cast<std::int32_t>(leaves++) : -1);
    }
  }

  std::size_t nodes() const { return first_child.size(); }
  // Parameters in one vector: [gate][column, bias] [leaf][output] [slope][output][column] [leaf][output][own column].
  std::size_t response_begin() const { return gates * (columns + 1); }
  std::size_t slope_begin() const { return response_begin() + leaves * outputs; }
  std::size_t own_begin() const { return slope_begin() + slopes * outputs * columns; }
  std::size_t parameters() const { return own_begin() + leaves * outputs * own_columns.size(); }
};

template <class T>
struct SoftRows {
  std::size_t rows = 0, columns = 0, outputs = 0, blocks = 0;
  LossKind loss = LossKind::squared;
  T loss_parameter = 0;                       // of huber, quantile and tweedie
  std::shared_ptr<const std::vector<T>> phi;  // [block][column][64]; if null, computed by `expansion`
  std::shared_ptr<const Expansion<T>> expansion;
  std::shared_ptr<const Occupied> occupied;      // null: all columns of all blocks
  std::shared_ptr<const std::vector<T>> target;  // [block][output][64]
  std::shared_ptr<const std::vector<T>> weight;  // [block][64], sums to 1
  std::vector<T> offset;                         // [block][output][64], added to the output; empty: 0
  std::vector<T> arrival;                        // [block][64], reach of the root; empty: 1

  // Whether passes use the tables of the expansion (soft/form_tables.hpp), without columns.
  bool by_tables() const { return expansion && expansion->by_tables; }

  // Columns of one block, [column][64]; `scratch` has room for them.
  const T* columns_of(std::size_t block, T* scratch) const {
    if (phi) return phi->data() + block * columns * kBlock;
    expansion->expand(block, scratch);
    return scratch;
  }

  // Those of them that are not 0 throughout, or all.
  Chosen chosen_in(std::size_t block) const { return occupied ? occupied->in(block) : Chosen(columns); }

  // At most 64 pieces of at least 16 blocks: enough for threads, few enough to keep a gradient for each. Tables are
  // larger than gradients: half as many pieces, of whole groups of blocks.
  std::size_t piece_blocks() const {
    const std::size_t blocks_each = std::max<std::size_t>(16, (blocks + 63) / 64);
    return by_tables() ? (2 * blocks_each + kGroup - 1) / kGroup * kGroup : blocks_each;
  }
  std::size_t pieces() const { return (blocks + piece_blocks() - 1) / piece_blocks(); }
};

// Mean loss; adds its gradient to `gradient` (parameters() entries, set to 0 first) unless that is null.
template <class T>
double loss_and_gradient(const SoftRows<T>& rows, const Shape& shape, const double* parameters, double* gradient,
                         int n_threads);

// Results of the evaluation, each may be null: output (rows, outputs), reach (rows, nodes), loss (rows).
struct Answers {
  double* output = nullptr;
  double* reach = nullptr;
  double* loss = nullptr;
};

// Weighted mean reach of each node; nodes() entries.
template <class T>
void mean_reach(const SoftRows<T>& rows, const Shape& shape, const double* parameters, double* reach, int n_threads);

template <class T>
void evaluate_rows(const SoftRows<T>& rows, const Shape& shape, const double* parameters, const Answers& answers,
                   int n_threads);

// The rows for the subtree under `node`: arrival is the reach of the node, offset the output of all other leaves. A
// tree learned on them can replace the node.
template <class T>
SoftRows<T> rows_under(const SoftRows<T>& rows, const Shape& shape, const double* parameters, std::size_t node,
                       int n_threads);

// For each of the nodes, every input and bin of it, sums over rows of [reach * slope, reach^2 * curvature] of the loss,
// by output: histogram[node][input][bin][2][output]. `bin` is (rows, inputs).
template <class T>
void reach_histograms(const SoftRows<T>& rows, const Shape& shape, const double* parameters, const std::uint8_t* bin,
                      std::size_t inputs, std::size_t bins, const std::vector<std::size_t>& nodes, double* histogram,
                      int n_threads);

// The threshold over all inputs with the largest gain in a node's histogram: rows up to `bin` go one way. gain 0: none.
struct Threshold {
  double gain = 0;
  std::size_t input = 0, bin = 0;
};

// For each of the nodes of `histogram`; cuts[input] bins of an input may be the last of the first side.
std::vector<Threshold> best_thresholds(const double* histogram, std::size_t nodes, const std::vector<std::size_t>& cuts,
                                       std::size_t bins, std::size_t outputs, double ridge);

// Mean and deviation of the columns by reach of a node, and their covariance with the slope of the loss by each output:
// (columns), (columns), (outputs, columns).
struct SplitDirection {
  std::vector<double> mean, spread, covariance;
};

template <class T>
SplitDirection find_split_direction(const SoftRows<T>& rows, const Shape& shape, const double* parameters,
                                    std::size_t node, int n_threads);

struct Refinement {
  int max_iter = 100;
  double tol = 1e-9;  // stop when three iterations lower the objective by less than this part of it each
  int memory = 10;
};

// The penalty of each parameter: 1/2 strength away^2, or 1/2 strength log(1 + log_penalty away^2) / log_penalty, away
// from its centre. A negative strength keeps a parameter as it is.
struct Penalty {
  const double *strength, *centre, *log_penalty;
};

// Joint L-BFGS on all parameters: mean loss + their penalty. Returns the objective reached and the passes over the
// rows made.
template <class T>
std::pair<double, int> refine(const SoftRows<T>& rows, const Shape& shape, double* parameters,
                              const Penalty& penalty_terms, const Refinement& how, int n_threads);

}  // namespace softwood::soft
