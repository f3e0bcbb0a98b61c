#include "oblique/discriminant.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/symmetric_matrix.hpp"
#include "oblique/class_groups.hpp"
#include "oblique/tolerances.hpp"
#include "simd/elementary.hpp"
#include "simd/product.hpp"

namespace softwood::oblique {
namespace {

constexpr double TINY = 1e-8, PART = 0.99;  // of direction.py
constexpr double NAN_ = std::numeric_limits<double>::quiet_NaN();

// A direction, the rows' centred scores along it, and the best cut (NaN: by gain).
struct ScoredDirection {
  std::vector<double> along, score;
  double near = NAN_;
};

// The ridge for a mean scatter with this trace.
double ridge_of(const RowRange& rows, const NodeSums& sums, double shrinkage, double trace) {
  const auto n = static_cast<double>(rows.columns);
  return (std::isnan(shrinkage) ? n / sums.total : shrinkage) * trace / n;
}

// (S + ridge)^-1 right in place, for the mean scatter S; right is columns x k. Returns the ridge.
double solve_scatter(const RowRange& rows, const NodeSums& sums, double shrinkage, std::vector<double>& right,
                     std::size_t k) {
  std::vector<double> S = sums.S;
  double trace = 0;
  for (double& entry : S) entry /= sums.total;
  for (std::size_t i = 0; i < rows.columns; ++i) trace += S[i * rows.stride + i];
  const double ridge = ridge_of(rows, sums, shrinkage, trace);
  for (std::size_t i = 0; i < rows.columns; ++i) S[i * rows.stride + i] += ridge;
  symmetric::solve(S.data(), rows.columns, rows.stride, right.data(), k, TINY, PART);
  return ridge;
}

// The same in the span of the rows, if there are fewer rows than columns. With A the centred rows, each times the root
// of its share, S = A'A, and right = A'T is given by T, rows x k:
//
//   (A'A + ridge)^-1 A'T = A' (AA' + ridge)^-1 T
double solve_in_span(const RowRange& rows, const NodeSums& sums, double shrinkage, const std::vector<double>& T,
                     std::vector<double>& right, std::size_t k) {
  const std::size_t n = rows.rows, c = rows.columns;
  std::vector<double> A(n * c), K(n * n), Z = T;
  for (std::size_t i = 0; i < n; ++i) {
    const double root = std::sqrt(rows.split_weight[i] / sums.total);
    for (std::size_t j = 0; j < c; ++j) A[i * c + j] = root * (rows.row(i)[j] - sums.mean[j]);
  }
  const simd::Matrix flat{A.data(), n, c, static_cast<std::int64_t>(c), 1}, upright{A.data(), c, n, 1, flat.row};
  simd::multiply(flat, upright, K.data());
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += K[i * n + i];
  const double ridge = ridge_of(rows, sums, shrinkage, trace);
  for (std::size_t i = 0; i < n; ++i) K[i * n + i] += ridge;
  symmetric::solve(K.data(), n, n, Z.data(), k, TINY, PART);
  simd::multiply(upright, {Z.data(), n, k, static_cast<std::int64_t>(k), 1}, right.data());
  return ridge;
}

// T for the means of the classes: rows x width, see solve_in_span.
std::vector<double> class_parts(const RowRange& rows, const Answers& answers, const NodeSums& sums,
                                const std::vector<std::size_t>& present, std::size_t width) {
  std::vector<double> T(rows.rows * width);
  for (std::size_t c = 0; c < present.size(); ++c) {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      if (static_cast<std::size_t>(answers.code[i]) != present[c]) continue;
      T[i * width + c] = std::sqrt(rows.split_weight[i] * sums.total) / sums.size[present[c]];
    }
  }
  return T;
}

// Where two normal densities of one variance are equal, each times its weight; NaN if their means are.
double normal_cut(const std::vector<double>& score, const Answers& answers, const std::vector<bool>& first) {
  double n[2] = {}, mean[2] = {}, spread = 0;
  for (std::size_t i = 0; i < answers.rows; ++i) {
    const int group = first[static_cast<std::size_t>(answers.code[i])] ? 0 : 1;
    n[group] += answers.split_weight[i];
    mean[group] += answers.split_weight[i] * score[i];
  }
  for (const int group : {0, 1}) mean[group] /= n[group];
  for (std::size_t i = 0; i < answers.rows; ++i) {
    const double d = score[i] - mean[first[static_cast<std::size_t>(answers.code[i])] ? 0 : 1];
    spread += answers.split_weight[i] * d * d;
  }
  if (!(std::abs(mean[0] - mean[1]) > TIE * std::max(std::abs(mean[0]), std::abs(mean[1])))) return NAN_;
  return 0.5 * (mean[0] + mean[1]) + spread / (n[0] + n[1]) / (mean[0] - mean[1]) * elementary::log(n[1] / n[0]);
}

// Means of the classes about that of the node, one in each column; columns x width.
std::vector<double> class_means(const RowRange& rows, const NodeSums& sums, const std::vector<std::size_t>& present,
                                std::size_t width) {
  std::vector<double> means(rows.columns * width);
  for (std::size_t c = 0; c < present.size(); ++c) {
    const double* sum = &sums.by_class[present[c] * rows.stride];
    for (std::size_t j = 0; j < rows.columns; ++j) means[j * width + c] = sum[j] / sums.size[present[c]] - sums.mean[j];
  }
  return means;
}

ScoredDirection between_two(const RowRange& rows, const Answers& answers, const NodeSums& sums,
                            const std::vector<std::size_t>& present, const SplitOptions& options) {
  ScoredDirection found;
  const std::vector<double> means = class_means(rows, sums, present, 2);
  found.along.resize(rows.columns);
  for (std::size_t j = 0; j < rows.columns; ++j) found.along[j] = means[2 * j] - means[2 * j + 1];
  if (sums.S.empty()) {
    const std::vector<double> parts = class_parts(rows, answers, sums, present, 2);
    std::vector<double> T(rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i) T[i] = parts[2 * i] - parts[2 * i + 1];
    solve_in_span(rows, sums, options.shrinkage, T, found.along, 1);
  } else {
    solve_scatter(rows, sums, options.shrinkage, found.along, 1);
  }
  found.score = score_rows(rows, sums.mean.data(), found.along);
  std::vector<bool> first(sums.size.size());
  first[present[0]] = true;
  if (options.gaussian) found.near = normal_cut(found.score, answers, first);
  return found;
}

// A'B of two columns x width tables, the leading n x n.
std::vector<double> inner(const std::vector<double>& A, const std::vector<double>& B, std::size_t width,
                          std::size_t n) {
  std::vector<double> found(n * n);
  for (std::size_t j = 0; j < A.size() / width; ++j) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) found[a * n + b] += A[j * width + a] * B[j * width + b];
    }
  }
  return found;
}

// Class of each row, as an index among those present.
std::vector<std::int32_t> renumber(const Answers& answers, const std::vector<std::size_t>& present,
                                   std::size_t classes) {
  std::vector<std::int32_t> number(classes), code(answers.rows);
  for (std::size_t c = 0; c < present.size(); ++c) number[present[c]] = static_cast<std::int32_t>(c);
  for (std::size_t i = 0; i < answers.rows; ++i) code[i] = number[static_cast<std::size_t>(answers.code[i])];
  return code;
}

// The same table, with rows padded with zeros.
std::vector<double> widen(const std::vector<double>& table, std::size_t width, std::size_t wide) {
  std::vector<double> found(table.size() / width * wide);
  for (std::size_t i = 0; i < table.size(); ++i) found[i / width * wide + i % width] = table[i];
  return found;
}

ScoredDirection between_groups(const RowRange& rows, const Answers& answers, const NodeSums& sums,
                               const Impurity& impurity, const SplitOptions& options) {
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < sums.size.size(); ++k) {
    if (sums.size[k] > 0) present.push_back(k);
  }
  const std::size_t n = present.size(), width = padded(n);
  if (n < 2) return {};
  if (n == 2) return between_two(rows, answers, sums, present, options);
  const std::vector<double> means = class_means(rows, sums, present, n);
  std::vector<double> narrow = means, size;
  const double ridge = sums.S.empty() ? solve_in_span(rows, sums, options.shrinkage,
                                                      class_parts(rows, answers, sums, present, n), narrow, n)
                                      : solve_scatter(rows, sums, options.shrinkage, narrow, n);
  const std::vector<double> gram = inner(means, narrow, n, n), length = inner(narrow, narrow, n, n);
  const std::vector<double> D = widen(narrow, n, width);
  std::vector<double> spread(gram);  // D'SD: (S + ridge) D are the means
  for (std::size_t i = 0; i < spread.size(); ++i) spread[i] -= ridge * length[i];
  const std::vector<double> projected = project(rows, sums.mean.data(), D, width);
  const std::vector<std::int32_t> code = renumber(answers, present, sums.size.size());
  for (const std::size_t k : present) size.push_back(sums.size[k]);
  const std::vector<bool> group =
      exchange({answers.rows, n, projected.data(), gram.data(), spread.data(), code.data(), answers.split_weight, size},
               impurity);
  const std::vector<double> a = coefficients(group, size);
  ScoredDirection found{std::vector<double>(rows.columns), std::vector<double>(rows.rows), NAN_};
  for (std::size_t j = 0; j < rows.columns; ++j) {
    for (std::size_t c = 0; c < n; ++c) found.along[j] += D[j * width + c] * a[c];
  }
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t i = 0; i < rows.rows; ++i) found.score[i] += projected[c * rows.rows + i] * a[c];
  }
  std::vector<bool> first(sums.size.size());
  for (std::size_t c = 0; c < n; ++c) first[present[c]] = group[c];
  if (options.gaussian) found.near = normal_cut(found.score, answers, first);
  return found;
}

// For several targets, the direction that explains most of them together: the slopes, mixed by the leading eigenvector
// of the explained covariance; its sign makes the largest weight positive.
std::vector<double> mix_targets(const std::vector<double>& covariance, const std::vector<double>& slope,
                                std::size_t targets) {
  const std::vector<double> explained = inner(covariance, slope, targets, targets);
  const symmetric::Eigen found = symmetric::eigen(explained.data(), targets, targets);
  std::vector<double> along(slope.size() / targets);
  for (std::size_t j = 0; j < along.size(); ++j) {
    for (std::size_t t = 0; t < targets; ++t) along[j] += slope[j * targets + t] * found.vector[t];
  }
  const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
  if (*std::max_element(along.begin(), along.end(), larger) < 0) {
    for (double& weight : along) weight = -weight;
  }
  return along;
}

ScoredDirection by_regression(const RowRange& rows, const Answers& answers, const NodeSums& sums,
                              const SplitOptions& options) {
  const std::size_t targets = answers.targets;
  std::vector<double> covariance(rows.columns * targets);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t t = 0; t < targets; ++t) {
      const double y = rows.split_weight[i] * (answers.y[i * targets + t] - sums.answer[t]) / sums.total;
      for (std::size_t j = 0; j < rows.columns; ++j) {
        covariance[j * targets + t] += (rows.row(i)[j] - sums.mean[j]) * y;
      }
    }
  }
  std::vector<double> slope = covariance;
  if (sums.S.empty()) {
    std::vector<double> T(rows.rows * targets);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const double root = std::sqrt(rows.split_weight[i] / sums.total);
      for (std::size_t t = 0; t < targets; ++t)
        T[i * targets + t] = root * (answers.y[i * targets + t] - sums.answer[t]);
    }
    solve_in_span(rows, sums, options.shrinkage, T, slope, targets);
  } else {
    solve_scatter(rows, sums, options.shrinkage, slope, targets);
  }
  ScoredDirection found;
  found.along = targets == 1 ? slope : mix_targets(covariance, slope, targets);
  found.score = score_rows(rows, sums.mean.data(), found.along);
  return found;
}

// Standard deviation of the scores, 0 if they are all equal up to rounding.
double spread_of(const std::vector<double>& score) {
  double mean = 0, spread = 0, far = 0;
  for (const double s : score) mean += s;
  mean /= static_cast<double>(score.size());
  for (const double s : score) {
    spread += (s - mean) * (s - mean);
    far = std::max(far, std::abs(s));
  }
  spread = std::sqrt(spread / static_cast<double>(score.size()));
  return std::isfinite(spread) && spread > 1e-12 * far ? spread : 0;
}

}  // namespace

LinearSplit find_split(const RowRange& rows, const Answers& answers, const NodeSums& sums, const Impurity& impurity,
                       const SplitOptions& options) {
  if (rows.columns == 0) return {};
  const ScoredDirection found = answers.code ? between_groups(rows, answers, sums, impurity, options)
                                             : by_regression(rows, answers, sums, options);
  const double spread = found.score.empty() ? 0 : spread_of(found.score);
  if (!(spread > 0)) return {};
  const Cut cut = answers.code ? cut_classes(found.score, answers, impurity, sums.size, options.least, found.near)
                               : cut_numbers(found.score, answers, sums.answer, sums.loss, options.least);
  LinearSplit split;
  split.gain = cut.gain;
  if (cut.gain < 0) return split;
  double zero = 0;
  for (std::size_t j = 0; j < rows.columns; ++j) {
    zero += sums.mean[j] * found.along[j];
    split.weight.push_back(found.along[j] / spread);
  }
  split.bias = -(cut.at + zero) / spread;
  split.second.reserve(rows.rows);
  for (const double score : found.score) split.second.push_back(!(score >= cut.at));
  return split;
}

}  // namespace softwood::oblique
