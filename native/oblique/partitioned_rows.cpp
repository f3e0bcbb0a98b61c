#include "oblique/partitioned_rows.hpp"

#include <algorithm>
#include <cmath>

namespace softwood::oblique {
namespace {

constexpr double MOST_TABLED = 1 << 20;  // weight up to which logarithms are looked up

template <class T>
void divide_table(std::vector<T>& table, std::size_t width, std::size_t begin,
                  const std::vector<std::uint8_t>& second) {
  if (width == 0 || table.empty()) return;
  std::vector<T> aside;
  aside.reserve(second.size() * width);
  T *from = &table[begin * width], *to = from;
  for (const std::uint8_t there : second) {
    if (there) {
      aside.insert(aside.end(), from, from + width);
    } else {
      if (from != to) std::copy_n(from, width, to);
      to += width;
    }
    from += width;
  }
  std::copy(aside.begin(), aside.end(), to);
}

}  // namespace

PartitionedRows::PartitionedRows(const Problem& problem)
    : columns_(problem.columns),
      stride_(padded(problem.columns)),
      classes_(problem.classes),
      targets_(problem.classes ? 0 : problem.targets),
      phi_(std::max<std::size_t>(problem.rows * stride_, 1)),
      weight_(problem.weight, problem.weight + problem.rows),
      split_weight_(weight_) {
  const std::size_t n = problem.rows;
  if (classes_) code_.assign(problem.code, problem.code + n);
  if (targets_) y_.assign(problem.y, problem.y + n * targets_);
  id_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    id_.push_back(static_cast<std::uint32_t>(i));
    std::copy_n(problem.phi + i * columns_, columns_, phi_.data() + i * stride_);
    if (classes_) split_weight_[i] *= problem.factor[code_[i]];
  }
}

void PartitionedRows::tabulate(Impurity& impurity) const {
  double total = 0;
  bool whole = true;
  for (const double split_weight : split_weight_) {
    total += split_weight;
    whole = whole && split_weight == std::floor(split_weight);
  }
  if (whole && total <= MOST_TABLED) impurity.make_table(static_cast<std::size_t>(total));
}

double PartitionedRows::describe(std::size_t begin, std::size_t end, const Impurity& impurity, NodeSums& sums,
                                 std::vector<double>& value) const {
  const Answers given = answers(begin, end);
  double count = 0;
  for (std::size_t i = 0; i < given.rows; ++i) {
    count += given.weight[i];
    sums.total += given.split_weight[i];
  }
  classes_ ? count_classes(given, impurity, sums, value) : average(given, sums, value);
  return count;
}

void PartitionedRows::count_classes(const Answers& answers, const Impurity& impurity, NodeSums& sums,
                                    std::vector<double>& value) const {
  sums.size.resize(classes_);
  std::vector<double> count(classes_), part(classes_);
  for (std::size_t i = 0; i < answers.rows; ++i) {
    count[static_cast<std::size_t>(answers.code[i])] += answers.weight[i];
    sums.size[static_cast<std::size_t>(answers.code[i])] += answers.split_weight[i];
  }
  for (std::size_t k = 0; k < classes_; ++k) part[k] = impurity.part(sums.size[k]);
  sums.loss = impurity.loss(part.data(), classes_, sums.total);
  value.insert(value.end(), count.begin(), count.end());
}

// Two passes: squares about a known mean keep their precision if it is far from zero.
void PartitionedRows::average(const Answers& answers, NodeSums& sums, std::vector<double>& value) const {
  sums.answer.resize(targets_);
  for (std::size_t t = 0; t < targets_; ++t) {
    bool constant = answers.rows > 0;
    for (std::size_t i = 0; i < answers.rows; ++i) {
      sums.answer[t] += answers.weight[i] * answers.y[i * targets_ + t] / sums.total;
      constant = constant && answers.y[i * targets_ + t] == answers.y[t];
    }
    if (constant) sums.answer[t] = answers.y[t];
    for (std::size_t i = 0; i < answers.rows && !constant; ++i) {
      const double d = answers.y[i * targets_ + t] - sums.answer[t];
      sums.loss += answers.weight[i] * d * d / static_cast<double>(targets_);
    }
  }
  value.insert(value.end(), sums.answer.begin(), sums.answer.end());
}

void PartitionedRows::add_columns(std::size_t begin, std::size_t end, NodeSums& sums) const {
  const RowRange range = rows(begin, end);
  const Answers given = answers(begin, end);
  const std::size_t groups = classes_ ? classes_ : 1;
  sums.mean.resize(stride_);
  sums.by_class.resize(groups * stride_);
  for (std::size_t i = 0; i < range.rows; ++i) {
    double* sum = sums.by_class.data() + (classes_ ? static_cast<std::size_t>(given.code[i]) * stride_ : 0);
    for (std::size_t j = 0; j < stride_; ++j) sum[j] += range.split_weight[i] * range.row(i)[j];
  }
  for (std::size_t k = 0; k < groups && sums.total > 0; ++k) {
    for (std::size_t j = 0; j < stride_; ++j) sums.mean[j] += sums.by_class[k * stride_ + j] / sums.total;
  }
}

std::size_t PartitionedRows::divide(std::size_t begin, const std::vector<std::uint8_t>& second) {
  divide_table(weight_, 1, begin, second);
  divide_table(split_weight_, 1, begin, second);
  divide_table(id_, 1, begin, second);
  divide_table(code_, 1, begin, second);
  divide_table(y_, targets_, begin, second);
  return begin + static_cast<std::size_t>(std::count(second.begin(), second.end(), 0));
}

void PartitionedRows::divide_columns(std::size_t begin, const std::vector<std::uint8_t>& second) {
  divide_table(phi_, stride_, begin, second);
}

void shift_to_mean(NodeSums& sums, const std::vector<double>& from, const RowRange& rows) {
  std::vector<double> away(sums.mean);
  for (std::size_t j = 0; j < away.size(); ++j) away[j] -= from[j];
  shift(sums.S, rows, away.data(), sums.total);
}

}  // namespace softwood::oblique
