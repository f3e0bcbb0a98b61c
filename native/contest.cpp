#include "contest.hpp"

#include <cmath>
#include <memory>
#include <optional>

#include "axis.hpp"
#include "ground.hpp"
#include "interrupt.hpp"

namespace softwood::oblique {
namespace {

constexpr double EPSILON = std::numeric_limits<double>::epsilon();  // impurity of a pure node
constexpr std::size_t HALVES = 2;

// One half of the rows.
struct Half {
  std::size_t begin, end;
  NodeSums sums;
  double count = 0;
  hard::NodeRows lists;
};

// Which leaf each of some rows comes to; none: all of them to the only one.
using Places = std::vector<std::uint8_t>;

class Contest {
 public:
  Contest(const Problem& problem, const Entrants& entrants, const Manner& manner)
      : problem_(problem),
        entrants_(entrants),
        manner_(manner),
        all_(problem),
        ground_(all_),
        impurity_(make_impurity(all_)) {
    const Stretch rows = ground_.rows(0, problem.rows);
    whole_ = add_up(0, problem.rows).sums;
    whole_.S = scatter(rows, whole_.mean.data());
    if (problem.inputs) axis_ = std::make_unique<Axis>(problem, manner.least);
    if (axis_) lists_ = axis_->root();
  }

  // Losses of all entrants in one replication, the two directions side by side.
  std::vector<std::vector<double>> run(const std::uint8_t* half) {
    const std::vector<std::uint8_t> second(half, half + problem_.rows);
    ground_ = all_;
    const std::size_t middle = ground_.divide(0, second);
    ground_.divide_columns(0, second);
    Half part[HALVES] = {add_up(0, middle), add_up(middle, problem_.rows)};
    share_scatter(part);
    if (axis_) share_lists(part, second);
    std::vector<std::vector<double>> losses;
    for (std::size_t learn = 0; learn < HALVES; ++learn) losses.push_back(judge_all(part[learn], part[1 - learn]));
    return losses;
  }

 private:
  const Problem& problem_;
  const Entrants& entrants_;
  const Manner& manner_;
  const Ground all_;  // as they come
  Ground ground_;     // one half before the other
  Impurity impurity_;
  std::unique_ptr<Axis> axis_;
  hard::NodeRows lists_;
  NodeSums whole_;

  Impurity make_impurity(const Ground& ground) const {
    Impurity impurity(problem_.criterion);
    if (problem_.classes) ground.tabulate(impurity);
    return impurity;
  }

  Half add_up(std::size_t begin, std::size_t end) const {
    Half half{begin, end, {}, 0, {}};
    std::vector<double> value;
    half.count = ground_.describe(begin, end, impurity_, half.sums, value);
    ground_.add_columns(begin, end, half.sums);
    return half;
  }

  void share_scatter(Half part[HALVES]) const {
    const std::size_t less = part[0].end - part[0].begin <= part[1].end - part[1].begin ? 0 : 1;
    const auto rows = [&](std::size_t i) { return ground_.rows(part[i].begin, part[i].end); };
    part[less].sums.S = scatter(rows(less), whole_.mean.data());
    std::vector<double>& rest = part[1 - less].sums.S = whole_.S;
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= part[less].sums.S[i];
    for (std::size_t i = 0; i < HALVES; ++i) shift_to_mean(part[i].sums, whole_.mean, rows(i));
  }

  void share_lists(Half part[HALVES], const std::vector<std::uint8_t>& second) {
    std::vector<std::uint32_t> id(problem_.rows);
    for (std::size_t i = 0; i < id.size(); ++i) id[i] = static_cast<std::uint32_t>(i);
    const bool wanted[2] = {true, true};
    hard::Children lists = axis_->divide(lists_, id, second, wanted);
    part[0].lists = std::move(lists.first);
    part[1].lists = std::move(lists.second);
  }

  // -- entrants -------------------------------------------------------------------------------------------------------

  std::vector<double> judge_all(const Half& learn, const Half& held) {
    poll_interrupt();
    std::vector<double> losses{judge(learn, held, {}, {})};
    const bool may = learn.count >= 2 * manner_.least && learn.end - learn.begin >= 2 && learn.sums.loss > 0;
    if (axis_) losses.push_back(may ? ask(learn, held) : losses[0]);
    if (entrants_.lines) losses.push_back(may ? draw(learn, held, entrants_.linear) : losses[0]);
    if (entrants_.squares) losses.push_back(may ? draw(learn, held, problem_.columns) : losses[0]);
    return losses;
  }

  // A question about one input.
  double ask(const Half& learn, const Half& held) {
    const bool pure = learn.sums.loss <= EPSILON * learn.sums.total;
    const hard::Split split = pure ? hard::Split{} : axis_->find(learn.lists, learn.sums.loss);
    if (!split.found()) return judge(learn, held, {}, {});
    const std::uint32_t *mine = ground_.id(learn.begin), *theirs = ground_.id(held.begin);
    const Places here = axis_->send(learn.lists, split, mine, learn.end - learn.begin);
    return judge(learn, held, here, axis_->place(split, theirs, held.end - held.begin));
  }

  // A cut along a direction of the first columns.
  double draw(const Half& learn, const Half& held, std::size_t columns) const {
    const auto rows = [&](const Half& half) {
      Stretch found = ground_.rows(half.begin, half.end);
      found.columns = columns;
      return found;
    };
    const LinearSplit split =
        find_split(rows(learn), ground_.answers(learn.begin, learn.end), learn.sums, impurity_, manner_);
    if (!(split.gain > 0)) return judge(learn, held, {}, {});
    const std::vector<double> nowhere(columns);
    const std::vector<double> score = score_rows(rows(held), nowhere.data(), split.weight);
    Places there;
    for (const double s : score) there.push_back(!(s + split.bias >= 0));
    return judge(learn, held, split.second, there);
  }

  // Mean loss of the answers that the leaves get from the rows learned from: Brier score or squared error.
  double judge(const Half& learn, const Half& held, const Places& here, const Places& there) const {
    const std::vector<double> answer = answers(learn, here);
    const Answers given = ground_.answers(held.begin, held.end);
    const std::size_t parts = problem_.classes ? problem_.classes : problem_.targets;
    double total = 0;
    for (std::size_t i = 0; i < given.rows; ++i) {
      const double* a = &answer[there.empty() ? 0 : there[i] * parts];
      double loss = problem_.classes ? 1 - 2 * a[given.code[i]] : 0;
      for (std::size_t k = 0; k < parts; ++k) {
        const double d = problem_.classes ? a[k] : given.y[i * parts + k] - a[k];
        loss += problem_.classes ? d * d : d * d / static_cast<double>(parts);
      }
      total += given.heft[i] * loss;
    }
    return total / held.sums.total;
  }

  // Class shares or means of the two leaves; one without rows answers as both together.
  std::vector<double> answers(const Half& learn, const Places& here) const {
    const Answers given = ground_.answers(learn.begin, learn.end);
    const std::size_t parts = problem_.classes ? problem_.classes : problem_.targets;
    std::vector<double> sum(2 * parts);
    double size[2] = {};
    for (std::size_t i = 0; i < given.rows; ++i) {
      const std::size_t leaf = here.empty() ? 0 : here[i];
      size[leaf] += given.heft[i];
      for (std::size_t k = 0; k < parts && !problem_.classes; ++k) {
        sum[leaf * parts + k] += given.heft[i] * given.y[i * parts + k];
      }
      if (problem_.classes) sum[leaf * parts + static_cast<std::size_t>(given.code[i])] += given.heft[i];
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

std::vector<double> contest(const Problem& problem, const Entrants& entrants, const Manner& manner,
                            const std::uint8_t* half, std::size_t replications) {
  Contest contest(problem, entrants, manner);
  std::vector<std::vector<std::vector<double>>> found;
  for (std::size_t r = 0; r < replications; ++r) found.push_back(contest.run(half + r * problem.rows));
  std::vector<double> table;
  for (std::size_t entrant = 0; entrant < found[0][0].size(); ++entrant) {
    for (const auto& replication : found) {
      for (const auto& direction : replication) table.push_back(direction[entrant]);
    }
  }
  return table;
}

}  // namespace softwood::oblique
