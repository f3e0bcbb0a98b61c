#include "oblique/score_threshold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "oblique/tolerances.hpp"

namespace softwood::oblique {
namespace {

constexpr double WORTH = 0.5;  // of kernels/formulas/score_threshold.py

using Scored = std::pair<double, std::uint32_t>;  // score and row

std::vector<Scored> in_order(const std::vector<double>& score) {
  std::vector<Scored> order(score.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = {score[i], static_cast<std::uint32_t>(i)};
  std::sort(order.begin(), order.end());
  return order;
}

// The cuts of a node: gain by position; one is chosen at the end.
class ThresholdSearch {
 public:
  ThresholdSearch(const std::vector<Scored>& order, const Answers& answers, double least)
      : order_(order), answers_(answers), least_(least * (1.0 - TIE)) {
    for (std::size_t i = 0; i < answers.rows; ++i) total_ += answers.weight[i];
    if (!order.empty()) same_ = TIE * (order.back().first - order.front().first);
    found_.reserve(order.size());
  }

  // move(row) moves a row below, gain() is the gain of a cut there.
  template <class Move, class Gain>
  void sweep(Move&& move, Gain&& gain) {
    double count = 0;
    for (std::size_t i = 0; i + 1 < order_.size(); ++i) {
      const std::uint32_t row = order_[i].second;
      move(row);
      count += answers_.weight[row];
      if (!(order_[i + 1].first > order_[i].first + same_) || count < least_ || total_ - count < least_) continue;
      const double gained = gain();
      if (std::isnan(gained)) continue;
      found_.emplace_back(gained, static_cast<std::uint32_t>(i));
      most_ = std::max(most_, gained);
    }
  }

  Cut choose(double loss, double near) const {
    if (found_.empty()) return {-1.0, 0.0};
    const bool by_gain = std::isnan(near);
    // Rounding may leave every gain below 0, and then half of the largest exceeds it.
    const double slack = TIE * std::max(loss, NOTHING);
    const double enough = (by_gain ? most_ : std::min(most_, WORTH * most_)) - slack;
    const auto away = [&](const Scored& cut) { return by_gain ? 0 : std::abs(middle(cut.second) - near); };
    double nearest = std::numeric_limits<double>::infinity();
    for (const Scored& cut : found_) {
      if (cut.first >= enough) nearest = std::min(nearest, away(cut));
    }
    const Scored& chosen = *std::find_if(found_.begin(), found_.end(), [&](const Scored& cut) {
      return cut.first >= enough && away(cut) <= nearest + same_;
    });
    const std::size_t i = chosen.second;
    return {chosen.first > slack ? chosen.first : 0.0, order_[i].first < middle(i) ? middle(i) : order_[i + 1].first};
  }

 private:
  const std::vector<Scored>& order_;
  const Answers& answers_;
  const double least_;
  double total_ = 0, same_ = 0, most_ = -std::numeric_limits<double>::infinity();
  std::vector<Scored> found_;  // gain, and the position of its cut

  double middle(std::size_t i) const { return 0.5 * (order_[i].first + order_[i + 1].first); }
};

}  // namespace

Cut cut_classes(const std::vector<double>& score, const Answers& answers, const Impurity& impurity,
                const std::vector<double>& whole, double least, double near) {
  const std::vector<Scored> order = in_order(score);
  ThresholdSearch search(order, answers, least);
  Sides sides(impurity, whole);
  const double all = sides.undivided();
  search.sweep(
      [&](std::uint32_t row) { sides.move(static_cast<std::size_t>(answers.code[row]), answers.split_weight[row]); },
      [&] { return all - sides.loss(); });
  return search.choose(all, near);
}

// With d_t the sum below of w (y_t - mean_t), squares about the mean decrease by d_t^2 W / (W_below W_above): no large
// numbers cancel.
Cut cut_numbers(const std::vector<double>& score, const Answers& answers, const std::vector<double>& mean, double loss,
                double least) {
  const std::vector<Scored> order = in_order(score);
  ThresholdSearch search(order, answers, least);
  std::vector<double> d(answers.targets);
  double total = 0, W = 0;
  for (std::size_t i = 0; i < answers.rows; ++i) total += answers.split_weight[i];
  search.sweep(
      [&](std::uint32_t row) {
        W += answers.split_weight[row];
        for (std::size_t t = 0; t < d.size(); ++t) {
          d[t] += answers.split_weight[row] * (answers.y[row * d.size() + t] - mean[t]);
        }
      },
      [&] {
        double sum = 0;
        for (const double part : d) sum += part * part;
        return sum * total / (W * (total - W)) / static_cast<double>(d.size());
      });
  return search.choose(loss, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace softwood::oblique
