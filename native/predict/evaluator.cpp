#include "predict/evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "core/parallel.hpp"
#include "predict/link.hpp"

namespace softwood {
namespace {

constexpr std::size_t PIECE = 2048;  // rows per thread and piece: enough to outweigh the overhead

// Rows collected until they fill a block.
class Batch {
 public:
  Batch(const Tree& tree, const Needs& needs, const Table& rows) : block_(tree, needs), rows_(rows) {}

  template <class Answer>
  void add(std::size_t row, Answer&& answer) {
    row_[n_++] = row;
    if (n_ == LANES) finish(answer);
  }

  template <class Answer>
  void finish(Answer&& answer) {
    if (n_ == 0) return;
    block_.load(rows_, row_, n_);
    answer(block_, row_);
    n_ = 0;
  }

 private:
  Block block_;
  const Table& rows_;
  std::size_t row_[LANES];
  std::size_t n_ = 0;
};

// Whether `kept` at `node` is better than the best so far. The lowest id wins a tie; NaN wins, as in NumPy's argmax.
bool beats(double kept, std::int32_t node, double best, std::int32_t best_node) {
  if (std::isnan(kept) || std::isnan(best)) return std::isnan(kept) && (!std::isnan(best) || node < best_node);
  return kept > best || (kept == best && node < best_node);
}

}  // namespace

Evaluator::Evaluator(const TreeArrays& given) : tree_(given), needs_(tree_) {
  if (HardPredictor::suits(tree_)) {
    hard_predictor_.emplace(tree_);
  } else {
    take_sigmoid_parts();
  }
}

// The tree as one part, or the trees that it averages; empty if one of them has other gates.
void Evaluator::take_sigmoid_parts() {
  using sigmoid_predictor::SigmoidPredictor;
  if (!tree_.is_joined()) {
    if (SigmoidPredictor::suits(tree_, needs_)) sigmoid_parts_.push_back({1.0, {tree_, needs_}});
    return;
  }
  constant_.assign(tree_.n_outputs, 0.0);
  for (std::int32_t slot = 0; slot < tree_.gate[0].n_children; ++slot) {
    const auto root = static_cast<std::size_t>(tree_.gate[0].first_child + slot);
    const double weight = tree_.fraction[root];
    const Gate& gate = tree_.gate[root];
    if (weight == 0.0) continue;
    if (gate.keeps_all() && gate.slope_row < 0) {
      for (std::size_t k = 0; k < tree_.n_outputs; ++k)
        constant_[k] += weight * tree_.response[root * tree_.n_outputs + k];
      continue;
    }
    const Needs needs(tree_, root);
    if (!SigmoidPredictor::suits(tree_, needs, root)) return sigmoid_parts_.clear();
    sigmoid_parts_.push_back({weight, {tree_, needs, root}});
  }
}

// Every row to take(row, node) if one node keeps it whole and the tree can be walked, else in blocks to
// answer(block, row ids).
template <class Take, class Answer>
void Evaluator::answer(const Table& rows, int n_threads, Take&& take, Answer&& answer) const {
  for_each_piece((rows.rows + PIECE - 1) / PIECE, n_threads, [&](std::size_t piece) {
    const std::size_t begin = piece * PIECE, end = std::min(begin + PIECE, rows.rows);
    std::optional<Batch> batch;
    const auto by_block = [&](std::size_t row) {
      if (!batch) batch.emplace(tree_, needs_, rows);
      batch->add(row, answer);
    };
    if (hard_predictor_ && !tree_.is_joined()) {
      std::int32_t arrived[HardPredictor::ROWS];
      for (std::size_t at = begin; at < end; at += HardPredictor::ROWS) {
        const std::size_t n = std::min(HardPredictor::ROWS, end - at);
        hard_predictor_->find_nodes(rows, 0, at, n, arrived);
        for (std::size_t i = 0; i < n; ++i) {
          if (arrived[i] == HardPredictor::IN_PARTS) [[unlikely]] {
            by_block(at + i);
          } else {
            take(at + i, arrived[i]);
          }
        }
      }
    } else {
      for (std::size_t row = begin; row < end; ++row) by_block(row);
    }
    if (batch) batch->finish(answer);
  });
}

void Evaluator::output(const Table& rows, double* out, int n_threads) const {
  if (!sigmoid_parts_.empty()) return output_by_sigmoids(rows, out, n_threads);
  if (hard_predictor_ && tree_.is_joined()) return output_by_paths(rows, out, n_threads);
  const std::size_t n_outputs = tree_.n_outputs;
  const double* response = tree_.response.data();
  answer(
      rows, n_threads,
      [=](std::size_t row, std::int32_t node) {
        const double* from = response + static_cast<std::size_t>(node) * n_outputs;
        for (std::size_t k = 0; k < n_outputs; ++k) out[row * n_outputs + k] = from[k];
      },
      [&](Block& block, const std::size_t* row) { output_block(block, row, out); });
}

// Rows with a prediction that is not finite are evaluated again, by blocks, independent of the other rows.
void Evaluator::output_by_sigmoids(const Table& rows, double* out, int n_threads) const {
  const std::size_t n_outputs = tree_.n_outputs;
  const auto is_finite = [](double value) { return std::isfinite(value); };
  for_each_piece((rows.rows + PIECE - 1) / PIECE, n_threads, [&](std::size_t piece) {
    const std::size_t end = std::min((piece + 1) * PIECE, rows.rows);
    sigmoid_predictor::Workspace room;
    for (const SigmoidPart& part : sigmoid_parts_) part.predictor.fit(room);
    std::optional<Batch> batch;
    const auto answer = [&](Block& block, const std::size_t* row) { output_block(block, row, out); };
    for (std::size_t at = piece * PIECE; at < end; at += sigmoid_predictor::ROWS) {
      const std::size_t n = std::min(sigmoid_predictor::ROWS, end - at);
      if (add_sigmoid_parts(rows, at, n, room, out + at * n_outputs)) [[likely]]
        continue;
      if (!batch) batch.emplace(tree_, needs_, rows);
      for (std::size_t row = at; row < at + n; ++row) {
        const double* given = out + row * n_outputs;
        if (!std::all_of(given, given + n_outputs, is_finite)) batch->add(row, answer);
      }
    }
    if (batch) batch->finish(answer);
  });
}

// Outputs of n rows; false if some of them are not finite.
bool Evaluator::add_sigmoid_parts(const Table& rows, std::size_t begin, std::size_t n,
                                  sigmoid_predictor::Workspace& room, double* out) const {
  if (!tree_.is_joined()) return sigmoid_parts_[0].predictor.output(rows, begin, n, room, out);
  const std::size_t n_outputs = tree_.n_outputs;
  room.part.resize(n * n_outputs);
  double* given = room.part.data();
  for (std::size_t i = 0; i < n * n_outputs; ++i) out[i] = constant_[i % n_outputs];
  bool finite = true;
  for (const SigmoidPart& part : sigmoid_parts_) {
    finite = part.predictor.output(rows, begin, n, room, given) && finite;
    for (std::size_t i = 0; i < n * n_outputs; ++i) out[i] += part.weight * given[i];
  }
  return finite;
}

// Hard trees: the leaf of a row in each, its response times the tree's weight. Tree by tree, so that a tree's nodes
// stay in the cache; rows that a missing value sends to several children are evaluated by blocks.
void Evaluator::output_by_paths(const Table& rows, double* out, int n_threads) const {
  const std::size_t n_outputs = tree_.n_outputs;
  const Gate& top = tree_.gate[0];
  for_each_piece((rows.rows + PIECE - 1) / PIECE, n_threads, [&](std::size_t piece) {
    const std::size_t begin = piece * PIECE, end = std::min(begin + PIECE, rows.rows);
    std::vector<bool> in_parts(end - begin);
    std::fill_n(out + begin * n_outputs, (end - begin) * n_outputs, 0.0);
    for (std::int32_t root = top.first_child; root < top.first_child + top.n_children; ++root) {
      const double weight = tree_.fraction[static_cast<std::size_t>(root)];
      if (weight == 0.0) continue;
      std::int32_t arrived[HardPredictor::ROWS];
      for (std::size_t at = begin; at < end; at += HardPredictor::ROWS) {
        const std::size_t n = std::min(HardPredictor::ROWS, end - at);
        hard_predictor_->find_nodes(rows, root, at, n, arrived);
        for (std::size_t i = 0; i < n; ++i) {
          if (arrived[i] == HardPredictor::IN_PARTS) [[unlikely]] {
            in_parts[at + i - begin] = true;
            continue;
          }
          const double* from = tree_.response.data() + static_cast<std::size_t>(arrived[i]) * n_outputs;
          for (std::size_t k = 0; k < n_outputs; ++k) out[(at + i) * n_outputs + k] += weight * from[k];
        }
      }
    }
    std::optional<Batch> batch;
    const auto answer = [&](Block& block, const std::size_t* row) { output_block(block, row, out); };
    for (std::size_t row = begin; row < end; ++row) {
      if (!in_parts[row - begin]) continue;
      if (!batch) batch.emplace(tree_, needs_, rows);
      batch->add(row, answer);
    }
    if (batch) batch->finish(answer);
  });
}

void Evaluator::predict(const Table& rows, Link link, double* out, int n_threads) const {
  if (link == Link::identity) return output(rows, out, n_threads);
  const std::size_t n_outputs = tree_.n_outputs, n_answers = count_answers(link, n_outputs);
  const auto given = std::make_unique_for_overwrite<double[]>(rows.rows * n_outputs);
  output(rows, given.get(), n_threads);
  for_each_piece((rows.rows + PIECE - 1) / PIECE, n_threads, [&](std::size_t piece) {
    const std::size_t at = piece * PIECE, n = std::min(PIECE, rows.rows - at);
    apply_link(link, given.get() + at * n_outputs, n, n_outputs, out + at * n_answers);
  });
}

void Evaluator::decide(const Table& rows, Link link, std::int64_t* out, int n_threads) const {
  const std::size_t n_answers = count_answers(link, tree_.n_outputs);
  const auto answer = std::make_unique_for_overwrite<double[]>(rows.rows * n_answers);
  predict(rows, link, answer.get(), n_threads);
  find_largest(answer.get(), rows.rows, n_answers, out);
}

void Evaluator::output_block(Block& block, const std::size_t* row, double* out) const {
  std::vector<double> sum(tree_.n_outputs * LANES);
  block.visit([&](std::int32_t node, const Arrivals& at) {
    const double leafness = tree_.gate[node].leafness;
    if (leafness == 0.0) return;
    double kept[LANES];
    for (std::size_t i = 0; i < at.n; ++i) kept[i] = at.reach[i] * leafness;
    block.add_response(node, at, kept, sum.data());
  });
  for (std::size_t i = 0; i < block.size(); ++i) {
    for (std::size_t k = 0; k < tree_.n_outputs; ++k) out[row[i] * tree_.n_outputs + k] = sum[k * LANES + i];
  }
}

void Evaluator::apply(const Table& rows, std::int32_t* out, int n_threads) const {
  answer(
      rows, n_threads, [=](std::size_t row, std::int32_t node) { out[row] = node; },
      [&](Block& block, const std::size_t* row) { apply_block(block, row, out); });
}

void Evaluator::apply_block(Block& block, const std::size_t* row, std::int32_t* out) const {
  double best[LANES];
  std::int32_t best_node[LANES];
  std::fill_n(best, LANES, 0.0);
  std::fill_n(best_node, LANES, 0);
  block.visit([&](std::int32_t node, const Arrivals& at) {
    for (std::size_t i = 0; i < at.n; ++i) {
      const double kept = at.reach[i] * tree_.gate[node].leafness;
      const std::uint8_t lane = at.lane[i];
      if (!beats(kept, node, best[lane], best_node[lane])) continue;
      best[lane] = kept;
      best_node[lane] = node;
    }
  });
  for (std::size_t i = 0; i < block.size(); ++i) out[row[i]] = best_node[i];
}

void Evaluator::reach(const Table& rows, double* out, int n_threads) const {
  for_each_piece((rows.rows + PIECE - 1) / PIECE, n_threads, [&](std::size_t piece) {
    const std::size_t end = std::min((piece + 1) * PIECE, rows.rows);
    Batch batch(tree_, needs_, rows);
    const auto write = [&](Block& block, const std::size_t* row) {
      block.visit([&](std::int32_t node, const Arrivals& at) {
        for (std::size_t i = 0; i < at.n; ++i) out[row[at.lane[i]] * tree_.n_nodes() + node] = at.reach[i];
      });
    };
    for (std::size_t row = piece * PIECE; row < end; ++row) batch.add(row, write);
    batch.finish(write);
  });
}

}  // namespace softwood
