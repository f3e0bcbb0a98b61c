#include "oblique/gate_selection.hpp"

#include <cmath>
#include <memory>
#include <optional>

#include "core/interrupt.hpp"
#include "oblique/partitioned_rows.hpp"
#include "oblique/tolerances.hpp"
#include "oblique/univariate_split.hpp"

namespace softwood::oblique {
namespace {

constexpr std::size_t HALVES = 2;

// One half of the rows.
struct Half {
  std::size_t begin, end;
  NodeSums sums;
  double count = 0;
  hard::NodeRows lists;
};

// The leaf of each row; empty: all rows are in the only leaf.
using Slots = std::vector<std::uint8_t>;

class GateSelection {
 public:
  GateSelection(const Problem& problem, const GateKinds& gate_kinds, const SplitOptions& options)
      : problem_(problem),
        gate_kinds_(gate_kinds),
        options_(options),
        all_(problem),
        rows_(all_),
        impurity_(make_impurity(all_)) {
    const RowRange rows = rows_.rows(0, problem.rows);
    whole_ = add_up(0, problem.rows).sums;
    if (problem.rows >= problem.columns) whole_.S = scatter(rows, whole_.mean.data());
    if (problem.inputs) univariate_ = std::make_unique<UnivariateSplitter>(problem, options.least);
    if (univariate_) lists_ = univariate_->root();
  }

  // Losses of all gate_kinds in one replication, the two directions side by side.
  std::vector<std::vector<double>> run(const std::uint8_t* half) {
    const std::vector<std::uint8_t> second(half, half + problem_.rows);
    rows_ = all_;
    const std::size_t middle = rows_.divide(0, second);
    rows_.divide_columns(0, second);
    Half part[HALVES] = {add_up(0, middle), add_up(middle, problem_.rows)};
    share_scatter(part);
    if (univariate_) share_lists(part, second);
    std::vector<std::vector<double>> losses;
    for (std::size_t learn = 0; learn < HALVES; ++learn)
      losses.push_back(held_out_losses(part[learn], part[1 - learn]));
    return losses;
  }

 private:
  const Problem& problem_;
  const GateKinds& gate_kinds_;
  const SplitOptions& options_;
  const PartitionedRows all_;  // in the original order
  PartitionedRows rows_;       // one half after the other
  Impurity impurity_;
  std::unique_ptr<UnivariateSplitter> univariate_;
  hard::NodeRows lists_;
  NodeSums whole_;

  Impurity make_impurity(const PartitionedRows& rows) const {
    Impurity impurity(problem_.criterion);
    if (problem_.classes) rows.tabulate(impurity);
    return impurity;
  }

  Half add_up(std::size_t begin, std::size_t end) const {
    Half half{begin, end, {}, 0, {}};
    std::vector<double> value;
    half.count = rows_.describe(begin, end, impurity_, half.sums, value);
    rows_.add_columns(begin, end, half.sums);
    return half;
  }

  void share_scatter(Half part[HALVES]) const {
    const std::size_t less = part[0].end - part[0].begin <= part[1].end - part[1].begin ? 0 : 1;
    const auto rows = [&](std::size_t i) { return rows_.rows(part[i].begin, part[i].end); };
    if (rows(less).rows < problem_.columns) {  // solved in the span of its rows (discriminant.cpp), as the other may be
      Half& other = part[1 - less];
      if (rows(1 - less).rows >= problem_.columns) other.sums.S = scatter(rows(1 - less), other.sums.mean.data());
      return;
    }
    part[less].sums.S = scatter(rows(less), whole_.mean.data());
    std::vector<double>& rest = part[1 - less].sums.S = whole_.S;
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= part[less].sums.S[i];
    for (std::size_t i = 0; i < HALVES; ++i) shift_to_mean(part[i].sums, whole_.mean, rows(i));
  }

  void share_lists(Half part[HALVES], const std::vector<std::uint8_t>& second) {
    std::vector<std::uint32_t> id(problem_.rows);
    for (std::size_t i = 0; i < id.size(); ++i) id[i] = static_cast<std::uint32_t>(i);
    const bool wanted[2] = {true, true};
    hard::Children lists = univariate_->divide(lists_, id, second, wanted);
    part[0].lists = std::move(lists.first);
    part[1].lists = std::move(lists.second);
  }

  std::vector<double> held_out_losses(const Half& learn, const Half& held) {
    poll_interrupt();
    std::vector<double> losses{held_out_loss(learn, held, {}, {})};
    const bool may = learn.count >= 2 * options_.least && learn.end - learn.begin >= 2 && learn.sums.loss > 0;
    if (univariate_) losses.push_back(may ? univariate_loss(learn, held) : losses[0]);
    if (gate_kinds_.lines) losses.push_back(may ? linear_loss(learn, held, gate_kinds_.linear) : losses[0]);
    if (gate_kinds_.squares) losses.push_back(may ? linear_loss(learn, held, problem_.columns) : losses[0]);
    return losses;
  }

  // A test of one input.
  double univariate_loss(const Half& learn, const Half& held) {
    const bool pure = learn.sums.loss <= EPSILON * learn.sums.total;
    const hard::Split split = pure ? hard::Split{} : univariate_->find(learn.lists, learn.sums.loss);
    if (!split.found()) return held_out_loss(learn, held, {}, {});
    const std::uint32_t *mine = rows_.id(learn.begin), *theirs = rows_.id(held.begin);
    const Slots here = univariate_->send(learn.lists, split, mine, learn.end - learn.begin);
    return held_out_loss(learn, held, here, univariate_->place(split, theirs, held.end - held.begin));
  }

  // A cut along a direction of the first columns.
  double linear_loss(const Half& learn, const Half& held, std::size_t columns) const {
    const auto rows = [&](const Half& half) {
      RowRange found = rows_.rows(half.begin, half.end);
      found.columns = columns;
      return found;
    };
    const LinearSplit split =
        find_split(rows(learn), rows_.answers(learn.begin, learn.end), learn.sums, impurity_, options_);
    if (!(split.gain > 0)) return held_out_loss(learn, held, {}, {});
    const std::vector<double> nowhere(columns);
    const std::vector<double> score = score_rows(rows(held), nowhere.data(), split.weight);
    Slots there;
    for (const double s : score) there.push_back(!(s + split.bias >= 0));
    return held_out_loss(learn, held, split.second, there);
  }

  // Mean loss of the leaves' predictions, learned from the training half: Brier score or squared error.
  double held_out_loss(const Half& learn, const Half& held, const Slots& here, const Slots& there) const {
    const std::vector<double> answer = answers(learn, here);
    const Answers given = rows_.answers(held.begin, held.end);
    const std::size_t parts = problem_.classes ? problem_.classes : problem_.targets;
    double total = 0;
    for (std::size_t i = 0; i < given.rows; ++i) {
      const double* a = &answer[there.empty() ? 0 : there[i] * parts];
      double loss = problem_.classes ? 1 - 2 * a[given.code[i]] : 0;
      for (std::size_t k = 0; k < parts; ++k) {
        const double d = problem_.classes ? a[k] : given.y[i * parts + k] - a[k];
        loss += problem_.classes ? d * d : d * d / static_cast<double>(parts);
      }
      total += given.split_weight[i] * loss;
    }
    return total / held.sums.total;
  }

  // Class proportions or means of the two leaves; an empty leaf predicts like both together.
  std::vector<double> answers(const Half& learn, const Slots& here) const {
    const Answers given = rows_.answers(learn.begin, learn.end);
    const std::size_t parts = problem_.classes ? problem_.classes : problem_.targets;
    std::vector<double> sum(2 * parts);
    double size[2] = {};
    for (std::size_t i = 0; i < given.rows; ++i) {
      const std::size_t leaf = here.empty() ? 0 : here[i];
      size[leaf] += given.split_weight[i];
      for (std::size_t k = 0; k < parts && !problem_.classes; ++k) {
        sum[leaf * parts + k] += given.split_weight[i] * given.y[i * parts + k];
      }
      if (problem_.classes) sum[leaf * parts + static_cast<std::size_t>(given.code[i])] += given.split_weight[i];
    }
    std::vector<double> answer(2 * parts);
    for (std::size_t leaf = 0; leaf < 2; ++leaf) {
      for (std::size_t k = 0; k < parts; ++k) {
        const double all = (sum[k] + sum[parts + k]) / (size[0] + size[1]);
        answer[leaf * parts + k] = size[leaf] > 0 ? sum[leaf * parts + k] / size[leaf] : all;
      }
    }
    return answer;
  }
};

}  // namespace

std::vector<double> gate_selection(const Problem& problem, const GateKinds& gate_kinds, const SplitOptions& options,
                                   const std::uint8_t* half, std::size_t replications) {
  GateSelection gate_selection(problem, gate_kinds, options);
  std::vector<std::vector<std::vector<double>>> found;
  for (std::size_t r = 0; r < replications; ++r) found.push_back(gate_selection.run(half + r * problem.rows));
  std::vector<double> table;
  for (std::size_t kind = 0; kind < found[0][0].size(); ++kind) {
    for (const auto& replication : found) {
      for (const auto& direction : replication) table.push_back(direction[kind]);
    }
  }
  return table;
}

}  // namespace softwood::oblique
