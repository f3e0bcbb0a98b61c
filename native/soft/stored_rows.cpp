#include "soft/stored_rows.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/machine.hpp"
#include "core/parallel.hpp"
#include "simd/sigmoid.hpp"
#include "soft/forward_pass.hpp"

namespace softwood::soft {
namespace {

// The weights of all linear sums side by side, [column][sum]: of gates, then of slopes; and what each sum has whatever
// is stored: its bias, and the shifts.
struct SumWeights {
  std::size_t sums;
  std::vector<double> weight, base;

  SumWeights(const StoredRows& rows, const Shape& s, const double* parameters)
      : sums(s.gates + s.slopes * s.outputs), weight(s.columns * sums), base(sums) {
    for (std::size_t i = 0; i < sums; ++i) {
      const double* from =
          i < s.gates ? parameters + i * (s.columns + 1) : parameters + s.slope_begin() + (i - s.gates) * s.columns;
      double sum = 0;
      for (std::size_t c = 0; c < s.columns; ++c) {
        weight[c * sums + i] = from[c];
        sum += rows.shift[c] * from[c];
      }
      base[i] = i < s.gates ? sum + from[s.columns] : sum;
    }
  }
};

// Some sums of one row, from `first` on: SUMS of them, even and odd places apart, so that additions need not wait for
// each other.
template <int SUMS>
SOFTWOOD_INLINE void add_row(const StoredRows& rows, const SumWeights& of, std::size_t row, std::size_t first,
                             double* sum) {
  double even[SUMS] = {}, odd[SUMS] = {};
  const double *value = rows.value, *weight = of.weight.data() + first;
  const std::int32_t* column = rows.column;
  const std::int32_t end = rows.begin[row + 1];
  std::int32_t at = rows.begin[row];
  for (; at + 1 < end; at += 2) {
    const double *one = weight + static_cast<std::size_t>(column[at]) * of.sums,
                 *other = weight + static_cast<std::size_t>(column[at + 1]) * of.sums;
    for (int i = 0; i < SUMS; ++i) even[i] += value[at] * one[i];
    for (int i = 0; i < SUMS; ++i) odd[i] += value[at + 1] * other[i];
  }
  if (at < end)
    for (int i = 0; i < SUMS; ++i) even[i] += value[at] * weight[static_cast<std::size_t>(column[at]) * of.sums + i];
  for (int i = 0; i < SUMS; ++i) sum[i] = of.base[first + static_cast<std::size_t>(i)] + (even[i] + odd[i]);
}

// Calls work with how many of the sums that are left are taken at once, a constant.
template <class Work>
SOFTWOOD_INLINE void in_fours(std::size_t sums, const Work& work) {
  std::size_t first = 0;
  for (; first + 4 <= sums; first += 4) work(first, std::integral_constant<int, 4>());
  if (sums - first == 3) work(first, std::integral_constant<int, 3>());
  if (sums - first == 2) work(first, std::integral_constant<int, 2>());
  if (sums - first == 1) work(first, std::integral_constant<int, 1>());
}

void sum_block(const StoredRows& rows, const SumWeights& of, std::size_t block, double* score) {
  const std::size_t here = std::min(kBlock, rows.known.rows - block * kBlock);
  in_fours(of.sums, [&](std::size_t first, auto sums) {
    constexpr int kSums = decltype(sums)::value;
    double sum[kSums];
    for (std::size_t i = 0; i < here; ++i) {
      add_row<kSums>(rows, of, block * kBlock + i, first, sum);
      for (std::size_t k = 0; k < kSums; ++k) score[(first + k) * kBlock + i] = sum[k];
    }
    for (std::size_t k = 0; k < kSums; ++k)
      std::fill(score + (first + k) * kBlock + here, score + (first + k + 1) * kBlock, 0.0);
  });
}

// The shape of a tree whose pass has no columns in its workspace.
Shape without_columns(Shape shape) {
  shape.columns = 0;
  return shape;
}

// Reach of every node in node order, share of every gate, output and what it adds to it by slopes, of one block.
struct BlockPass {
  std::vector<double> score, share, reach, value;
  Workspace<double> w;  // output and its slope

  BlockPass(const StoredRows& rows, const Shape& s, std::size_t sums)
      : score(sums * kBlock),
        share(s.gates * kBlock),
        reach(s.nodes() * kBlock),
        value(s.nodes() * kBlock),
        w(rows.known, without_columns(s)) {}
};

// What a leaf answers to the rows of the block, before its reach: a constant, and what slopes add.
struct LeafAnswer {
  double constant;
  const double* added;

  LeafAnswer(const BlockPass& pass, const Shape& s, const double* response, std::size_t leaf, std::size_t q)
      : constant(response[leaf * s.outputs + q]), added(nullptr) {
    const std::int32_t slope = s.slope_row[leaf];
    if (slope >= 0) added = pass.score.data() + (s.gates + static_cast<std::size_t>(slope) * s.outputs + q) * kBlock;
  }

  double operator()(std::size_t row) const { return added ? constant + added[row] : constant; }
};

SOFTWOOD_CLONED(void, squash_gates, (double* share, std::size_t n), (share, n)) {
  for (std::size_t i = 0; i < n; ++i) share[i] *= Sigmoid<double>::kToBits;
  squash_bits<4>(share, n);
}

void forward_stored(const StoredRows& rows, const SumWeights& of, const Shape& s, const double* parameters,
                    std::size_t block, BlockPass& pass) {
  sum_block(rows, of, block, pass.score.data());
  std::copy_n(pass.score.data(), pass.share.size(), pass.share.data());
  squash_gates(pass.share.data(), pass.share.size());
  if (rows.known.arrival.empty())
    std::fill_n(pass.reach.data(), kBlock, 1.0);
  else
    std::copy_n(rows.known.arrival.data() + block * kBlock, kBlock, pass.reach.data());
  for (std::size_t m = 0; m < s.nodes(); ++m) {
    if (s.first_child[m] < 0) continue;
    double* first = pass.reach.data() + static_cast<std::size_t>(s.first_child[m]) * kBlock;
    split_reach(pass.reach.data() + m * kBlock, pass.share.data() + static_cast<std::size_t>(s.gate[m]) * kBlock, 1.0,
                first, first + kBlock, kBlock);
  }
  if (rows.known.offset.empty())
    std::fill(pass.w.output.begin(), pass.w.output.end(), 0.0);
  else
    std::copy_n(rows.known.offset.data() + block * s.outputs * kBlock, s.outputs * kBlock, pass.w.output.data());
  const double* response = parameters + s.response_begin();
  for (std::size_t m = 0; m < s.nodes(); ++m)
    for (std::size_t q = 0; s.leaf[m] >= 0 && q < s.outputs; ++q) {
      const LeafAnswer answer(pass, s, response, static_cast<std::size_t>(s.leaf[m]), q);
      double* output = pass.w.output.data() + q * kBlock;
      const double* reach = pass.reach.data() + m * kBlock;
      for (std::size_t row = 0; row < kBlock; ++row) output[row] += reach[row] * answer(row);
    }
}

// Slopes of the loss by all sums of the block into `of_sums` [row][sum]; those of responses are added to `by_response`.
void backward_stored(const Shape& s, const double* parameters, std::size_t sums, BlockPass& pass, double* of_sums,
                     std::size_t rows, double* by_response) {
  const double* response = parameters + s.response_begin();
  const std::vector<double>& slope = pass.w.output_slope;
  std::fill_n(of_sums, rows * sums, 0.0);
  for (std::size_t m = s.nodes(); m-- > 0;) {
    double* value = pass.value.data() + m * kBlock;
    const double* reach = pass.reach.data() + m * kBlock;
    if (s.leaf[m] >= 0) {
      const auto leaf = static_cast<std::size_t>(s.leaf[m]);
      std::fill_n(value, kBlock, 0.0);
      for (std::size_t q = 0; q < s.outputs; ++q) {
        const LeafAnswer answer(pass, s, response, leaf, q);
        const double* by_output = slope.data() + q * kBlock;
        double total = 0;
        for (std::size_t row = 0; row < rows; ++row) value[row] += by_output[row] * answer(row);
        for (std::size_t row = 0; row < rows; ++row) total += reach[row] * by_output[row];
        by_response[leaf * s.outputs + q] += total;
        if (s.slope_row[leaf] < 0) continue;
        double* to = of_sums + s.gates + static_cast<std::size_t>(s.slope_row[leaf]) * s.outputs + q;
        for (std::size_t row = 0; row < rows; ++row) to[row * sums] += reach[row] * by_output[row];
      }
      continue;
    }
    const auto gate = static_cast<std::size_t>(s.gate[m]);
    const double *share = pass.share.data() + gate * kBlock,
                 *first = pass.value.data() + static_cast<std::size_t>(s.first_child[m]) * kBlock,
                 *second = first + kBlock;
    for (std::size_t row = 0; row < rows; ++row) {
      const double gap = first[row] - second[row];
      value[row] = second[row] + share[row] * gap;
      of_sums[row * sums + gate] = reach[row] * share[row] * (1.0 - share[row]) * gap;
    }
  }
}

// Sums over rows of stored numbers times the rows' slopes by SUMS sums, for columns [from, to): [column][sum].
template <int SUMS>
SOFTWOOD_INLINE void scatter(const StoredRows& rows, const double* of_sums, std::size_t sums, std::int32_t from,
                             std::int32_t to, double* found) {
  const bool whole = from == 0 && static_cast<std::size_t>(to) == rows.columns;
  const std::int32_t* column = rows.column;
  for (std::size_t row = 0; row < rows.known.rows; ++row) {
    std::int32_t at = rows.begin[row], end = rows.begin[row + 1];
    if (!whole) {
      at = static_cast<std::int32_t>(std::lower_bound(column + at, column + end, from) - column);
      end = static_cast<std::int32_t>(std::lower_bound(column + at, column + end, to) - column);
    }
    double slope[SUMS];
    std::copy_n(of_sums + row * sums, SUMS, slope);
    for (; at < end; ++at) {
      double* sum = found + static_cast<std::size_t>(column[at]) * sums;
      for (int i = 0; i < SUMS; ++i) sum[i] += rows.value[at] * slope[i];
    }
  }
}

void products(const StoredRows& rows, const std::vector<double>& of_sums, std::size_t sums, std::vector<double>& found,
              int n_threads) {
  const auto pieces = static_cast<std::size_t>(std::max(n_threads, 1));
  for_each_piece(pieces, n_threads, [&](std::size_t piece) {
    const auto from = static_cast<std::int32_t>(rows.columns * piece / pieces),
               to = static_cast<std::int32_t>(rows.columns * (piece + 1) / pieces);
    in_fours(sums, [&](std::size_t first, auto some) {
      scatter<decltype(some)::value>(rows, of_sums.data() + first, sums, from, to, found.data() + first);
    });
  });
}

// The gradient by weights of sums, where it stands among the parameters.
void write_gradient(const StoredRows& rows, const Shape& s, const std::vector<double>& of_sums,
                    const std::vector<double>& found, std::size_t sums, double* gradient) {
  std::vector<double> total(sums);
  for (std::size_t row = 0; row < rows.known.rows; ++row)
    for (std::size_t i = 0; i < sums; ++i) total[i] += of_sums[row * sums + i];
  for (std::size_t i = 0; i < sums; ++i) {
    double* to = i < s.gates ? gradient + i * (s.columns + 1) : gradient + s.slope_begin() + (i - s.gates) * s.columns;
    for (std::size_t c = 0; c < s.columns; ++c) to[c] = found[c * sums + i] + rows.shift[c] * total[i];
    if (i < s.gates) to[s.columns] = total[i];
  }
}

// The parameters with what leaves answer in place of their responses.
std::vector<double> with_leaf_answers(const StoredRows& rows, const Shape& s, const double* given) {
  std::vector<double> parameters(given, given + s.parameters());
  answer_leaves(rows.known.loss, parameters.data() + s.response_begin(), s.leaves, s.outputs);
  return parameters;
}

int threads_worth(const StoredRows& rows, std::size_t sums, int n_threads) {
  constexpr std::size_t kWorth = 200'000;
  const auto stored = static_cast<std::size_t>(rows.begin[rows.known.rows]);
  return (stored + 16 * rows.known.rows) * (sums + 1) < kWorth ? 1 : n_threads;
}

}  // namespace

double loss_and_gradient(const StoredRows& rows, const Shape& s, const double* given, double* gradient, int n_threads) {
  const std::vector<double> answering = with_leaf_answers(rows, s, given);
  const double* parameters = answering.data();
  const SumWeights of(rows, s, parameters);
  const std::size_t pieces = rows.known.pieces(), answers = s.leaves * s.outputs;
  const int threads = threads_worth(rows, of.sums, n_threads);
  std::vector<double> losses(pieces), responses(pieces * answers), of_sums(gradient ? rows.known.rows * of.sums : 0);
  for_each_piece(pieces, threads, [&](std::size_t piece) {
    const WithoutDenormals quick;
    BlockPass pass(rows, s, of.sums);
    double loss[kBlock];
    const std::size_t end = std::min(rows.known.blocks, (piece + 1) * rows.known.piece_blocks());
    for (std::size_t block = piece * rows.known.piece_blocks(); block < end; ++block) {
      forward_stored(rows, of, s, parameters, block, pass);
      block_loss(rows.known, block, pass.w, loss);
      const std::size_t here = std::min(kBlock, rows.known.rows - block * kBlock);
      for (std::size_t row = 0; row < here; ++row)
        losses[piece] += (*rows.known.weight)[block * kBlock + row] * loss[row];
      if (gradient)
        backward_stored(s, parameters, of.sums, pass, of_sums.data() + block * kBlock * of.sums, here,
                        responses.data() + piece * answers);
    }
  });
  double loss = 0;
  for (const double part : losses) loss += part;
  if (!gradient) return loss;
  std::fill_n(gradient + s.response_begin(), answers, 0.0);
  for (std::size_t piece = 0; piece < pieces; ++piece)
    for (std::size_t i = 0; i < answers; ++i) gradient[s.response_begin() + i] += responses[piece * answers + i];
  for (std::size_t i = s.response_begin(); i < s.slope_begin(); i += s.outputs)
    chain_slopes(rows.known.loss, parameters + i, s.outputs, gradient + i);
  std::vector<double> found(s.columns * of.sums);
  products(rows, of_sums, of.sums, found, threads);
  write_gradient(rows, s, of_sums, found, of.sums, gradient);
  return loss;
}

void evaluate_rows(const StoredRows& rows, const Shape& s, const double* given, const Answers& answers, int n_threads) {
  const std::vector<double> answering = with_leaf_answers(rows, s, given);
  const double* parameters = answering.data();
  const SumWeights of(rows, s, parameters);
  for_each_piece(rows.known.pieces(), threads_worth(rows, of.sums, n_threads), [&](std::size_t piece) {
    const WithoutDenormals quick;
    BlockPass pass(rows, s, of.sums);
    double loss[kBlock];
    const std::size_t end = std::min(rows.known.blocks, (piece + 1) * rows.known.piece_blocks());
    for (std::size_t block = piece * rows.known.piece_blocks(); block < end; ++block) {
      forward_stored(rows, of, s, parameters, block, pass);
      block_loss(rows.known, block, pass.w, loss);
      for (std::size_t i = 0; i < kBlock && block * kBlock + i < rows.known.rows; ++i) {
        const std::size_t row = block * kBlock + i;
        for (std::size_t q = 0; q < s.outputs; ++q) answers.output[row * s.outputs + q] = pass.w.output[q * kBlock + i];
        for (std::size_t m = 0; m < s.nodes(); ++m) answers.reach[row * s.nodes() + m] = pass.reach[m * kBlock + i];
        answers.loss[row] = loss[i];
      }
    }
  });
}

}  // namespace softwood::soft
