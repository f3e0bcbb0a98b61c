// Predictions of one tree, the native twin of src/softwood/kernels/reference/evaluate.py:
//
//     reach[c](x) = reach[m](x) * (1 - leafness[m]) * share[m -> c](x)
//     output(x)   = sum_m reach[m](x) * leafness[m] * response[m](x)
//
// Hard trees with constant responses are evaluated path by path (predict/hard_predictor.hpp), outputs of trees of
// linear sigmoids gate by gate (predict/sigmoid_predictor.hpp), all others by blocks (predict/block_predictor.hpp).
// If the root is a gate of constant shares, its children are such trees: their outputs are added, times their weights.
// Rows are cut into fixed pieces, so the number of threads only affects the time.
#pragma once

#include <optional>
#include <vector>

#include "core/kinds.hpp"
#include "core/views.hpp"
#include "predict/block_predictor.hpp"
#include "predict/hard_predictor.hpp"
#include "predict/sigmoid_predictor.hpp"
#include "predict/tree.hpp"

namespace softwood {

class Evaluator {
 public:
  explicit Evaluator(const TreeArrays& given);
  Evaluator(const Evaluator&) = delete;  // both predictors and the needs point into the tree
  Evaluator& operator=(const Evaluator&) = delete;

  // out: (rows, outputs), C order.
  void output(const Table& rows, double* out, int n_threads) const;
  // Predictions after the link. out: (rows, answers), C order.
  void predict(const Table& rows, Link link, double* out, int n_threads) const;
  // Index of the largest answer. out: (rows,)
  void decide(const Table& rows, Link link, std::int64_t* out, int n_threads) const;
  // out: (rows, nodes), C order, all 0.
  void reach(const Table& rows, double* out, int n_threads) const;
  // out: (rows,)
  void apply(const Table& rows, std::int32_t* out, int n_threads) const;

  std::size_t n_features() const { return tree_.n_features; }
  std::size_t n_outputs() const { return tree_.n_outputs; }
  std::size_t n_nodes() const { return tree_.n_nodes(); }

 private:
  template <class Take, class Answer>
  void answer(const Table& rows, int n_threads, Take&& take, Answer&& answer) const;
  // A tree of linear sigmoids, and its weight in the output.
  struct SigmoidPart {
    double weight;
    sigmoid_predictor::SigmoidPredictor predictor;
  };

  void take_sigmoid_parts();
  void output_by_sigmoids(const Table& rows, double* out, int n_threads) const;
  bool add_sigmoid_parts(const Table& rows, std::size_t begin, std::size_t n, sigmoid_predictor::Workspace& room,
                         double* out) const;
  void output_by_paths(const Table& rows, double* out, int n_threads) const;
  void output_block(Block& block, const std::size_t* row, double* out) const;
  void apply_block(Block& block, const std::size_t* row, std::int32_t* out) const;

  Tree tree_;
  Needs needs_;
  std::optional<HardPredictor> hard_predictor_;
  std::vector<SigmoidPart> sigmoid_parts_;  // none: other gates
  std::vector<double> constant_;            // contribution of parts without gates to every output
};

}  // namespace softwood
