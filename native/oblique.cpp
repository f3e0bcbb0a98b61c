#include "oblique.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace softwood::oblique {
namespace {

constexpr double TIE = 1e-12, WORTH = 0.5;  // of kernels/growth.py and reference/cut.py
constexpr std::size_t BINS = 64;            // of reference/exchange.py
constexpr double WIDE = 3.0, BETTER = 1.0 - 1e-9, NOTHING = 1e-300;

double class_loss(const double* count, std::size_t width, Criterion criterion) {
  double size = 0, most = 0, total = 0;
  for (std::size_t k = 0; k < width; ++k) {
    size += count[k];
    most = std::max(most, count[k]);
  }
  if (size <= 0) return 0;
  if (criterion == Criterion::error) return size - most;
  for (std::size_t k = 0; k < width; ++k) {
    if (count[k] <= 0) continue;
    total += criterion == Criterion::gini ? count[k] * (size - count[k]) / size : -count[k] * std::log(count[k] / size);
  }
  return total;
}

double number_loss(const double* sums, std::size_t width) {
  const std::size_t targets = (width - 1) / 2;
  const double size = std::max(sums[0], NOTHING);
  double total = 0;
  for (std::size_t t = 1; t <= targets; ++t) total += std::max(sums[targets + t] - sums[t] * sums[t] / size, 0.0);
  return total / static_cast<double>(targets);
}

// Loss of the two sides of a cut; `above` is room for the sums of the second.
double both_sides(const double* below, const double* whole, std::size_t width, Criterion criterion, double* above) {
  const bool classes = criterion != Criterion::squared_error;
  for (std::size_t k = 0; k < width; ++k) {
    above[k] = whole[k] - below[k];
    if (classes) above[k] = std::max(above[k], 0.0);  // rounding of sums
  }
  return loss(below, width, criterion) + loss(above, width, criterion);
}

std::vector<double> total_of(const Sums& tally) {
  std::vector<double> whole(tally.width);
  for (std::size_t i = 0; i < tally.rows; ++i) {
    for (std::size_t k = 0; k < tally.width; ++k) whole[k] += tally.row(i)[k];
  }
  return whole;
}

// The classes that go with the first of the two whose means lie farthest apart.
std::vector<bool> seed_groups(const double* gram, std::size_t n) {
  const auto distance = [&](std::size_t a, std::size_t b) {
    return gram[a * n + a] + gram[b * n + b] - 2.0 * gram[a * n + b];
  };
  std::size_t one = 0, other = 0;
  double far = distance(0, 0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      if (distance(a, b) > far) {
        far = distance(a, b);
        one = a;
        other = b;
      }
    }
  }
  std::vector<bool> near(n);
  for (std::size_t k = 0; k < n; ++k) near[k] = distance(k, one) <= distance(k, other);
  near[one] = true;
  near[other] = false;
  return near;
}

std::vector<double> coefficients(const std::vector<bool>& first, const std::vector<double>& size) {
  double share = 0, rest = 0;
  for (std::size_t k = 0; k < size.size(); ++k) (first[k] ? share : rest) += size[k];
  std::vector<double> a(size.size());
  for (std::size_t k = 0; k < size.size(); ++k) a[k] = first[k] ? size[k] / share : -size[k] / rest;
  return a;
}

// The least loss of a cut along the scores of a grouping, cut between bins.
class Binned {
 public:
  Binned(const Sums& projected, const Sums& tally, const std::vector<double>& whole, Criterion criterion)
      : projected_(projected),
        whole_(whole),
        criterion_(criterion),
        code_(tally.rows),
        weight_(tally.rows),
        score_(tally.rows),
        count_(BINS * tally.width),
        above_(tally.width) {
    for (std::size_t i = 0; i < tally.rows; ++i) {
      const double* row = tally.row(i);
      code_[i] = static_cast<std::size_t>(std::max_element(row, row + tally.width) - row);
      weight_[i] = row[code_[i]];
      total_ += weight_[i];
    }
  }

  double least_loss(const std::vector<double>& a) {
    const std::size_t n = score_.size(), width = whole_.size();
    double mean = 0, spread = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double score = 0;
      for (std::size_t k = 0; k < width; ++k) score += projected_.row(i)[k] * a[k];
      score_[i] = score;
      mean += weight_[i] / total_ * score;
    }
    for (std::size_t i = 0; i < n; ++i) spread += weight_[i] / total_ * (score_[i] - mean) * (score_[i] - mean);
    const double scale = BINS / (2.0 * WIDE * std::max(std::sqrt(spread), NOTHING));
    std::fill(count_.begin(), count_.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double place = std::clamp((score_[i] - mean) * scale + BINS / 2.0, 0.0, BINS - 1.0);
      count_[static_cast<std::size_t>(place) * width + code_[i]] += weight_[i];
    }
    double best = std::numeric_limits<double>::infinity();
    std::vector<double> below(width);
    for (std::size_t bin = 0; bin < BINS; ++bin) {
      for (std::size_t k = 0; k < width; ++k) below[k] += count_[bin * width + k];
      best = std::min(best, both_sides(below.data(), whole_.data(), width, criterion_, above_.data()));
    }
    return best;
  }

 private:
  const Sums& projected_;
  const std::vector<double>& whole_;
  const Criterion criterion_;
  std::vector<std::size_t> code_;
  std::vector<double> weight_, score_, count_, above_;
  double total_ = 0;
};

}  // namespace

double loss(const double* sums, std::size_t width, Criterion criterion) {
  return criterion == Criterion::squared_error ? number_loss(sums, width) : class_loss(sums, width, criterion);
}

Cut best_cut(const double* score, const Sums& tally, const double* weight, Criterion criterion, double least,
             double near) {
  const std::size_t n = tally.rows, width = tally.width;
  std::vector<std::pair<double, std::size_t>> order(n);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    order[i] = {score[i], i};
    total += weight[i];
  }
  std::sort(order.begin(), order.end());
  const std::vector<double> whole = total_of(tally);
  const double all = loss(whole.data(), width, criterion);
  std::vector<double> below(width), above(width);
  std::vector<std::pair<double, std::size_t>> found;  // gain, and the place before which it is had
  double count = 0, most = -std::numeric_limits<double>::infinity();
  least *= 1.0 - TIE;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double* row = tally.row(order[i].second);
    for (std::size_t k = 0; k < width; ++k) below[k] += row[k];
    count += weight[order[i].second];
    if (!(order[i + 1].first > order[i].first) || count < least || total - count < least) continue;
    const double gain = all - both_sides(below.data(), whole.data(), width, criterion, above.data());
    found.emplace_back(gain, i);
    most = std::max(most, gain);
  }
  if (found.empty()) return {-1.0, 0.0};
  const double slack = TIE * std::max(all, NOTHING), enough = (std::isnan(near) ? most : WORTH * most) - slack;
  const auto middle = [&](std::size_t i) { return 0.5 * (order[i].first + order[i + 1].first); };
  const std::pair<double, std::size_t>* chosen = nullptr;
  for (const auto& cut : found) {
    if (cut.first < enough) continue;
    if (!chosen || std::abs(middle(cut.second) - near) < std::abs(middle(chosen->second) - near)) chosen = &cut;
    if (std::isnan(near)) break;
  }
  const std::size_t i = chosen->second;
  return {std::max(chosen->first, 0.0), order[i].first < middle(i) ? middle(i) : order[i + 1].first};
}

std::vector<double> exchange(const Sums& projected, const double* gram, const Sums& tally, Criterion criterion) {
  const std::vector<double> size = total_of(tally);
  std::vector<bool> first = seed_groups(gram, size.size());
  if (size.size() == 2) return coefficients(first, size);
  Binned binned(projected, tally, size, criterion);
  double best = binned.least_loss(coefficients(first, size));
  for (bool better = true; better;) {
    std::size_t move = size.size();
    double least = best * BETTER;
    for (std::size_t k = 0; k < size.size(); ++k) {
      first[k] = !first[k];
      const auto here = std::count(first.begin(), first.end(), true);
      if (here > 0 && here < static_cast<std::ptrdiff_t>(size.size())) {
        const double found = binned.least_loss(coefficients(first, size));
        if (found < least) {
          least = found;
          move = k;
        }
      }
      first[k] = !first[k];
    }
    better = move < size.size();
    if (better) {
      first[move] = !first[move];
      best = least;
    }
  }
  return coefficients(first, size);
}

}  // namespace softwood::oblique
