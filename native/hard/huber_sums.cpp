#include "hard/huber_sums.hpp"

#include <algorithm>
#include <cmath>

#include "hard/sorted_columns.hpp"

namespace softwood::hard {

namespace {

constexpr double NEAR = 8;  // widths from the origin within which squares are summed

}  // namespace

HuberPoints::HuberPoints(const std::vector<double>& values, double d)
    : value(&values), width(d), come(values.size()), leave(values.size()) {
  const std::size_t n = values.size();
  at.reserve(2 * n);
  for (std::size_t in = 0, out = 0; out < n;) {  // merges two increasing lists
    const bool leaving = in == n || values[out] + d < values[in] - d;
    const std::size_t r = leaving ? out++ : in++;
    (leaving ? leave : come)[r] = static_cast<std::uint32_t>(at.size());
    at.push_back(leaving ? values[r] + d : values[r] - d);
    rank.push_back(static_cast<std::uint32_t>(r));
    leaves.push_back(leaving);
  }
}

void HuberSums::put_within(double value, double weight) {
  if (within_.values == 0) within_ = {0, 0, 0, value, 0};
  if (std::abs(value - within_.origin) > NEAR * points_.width) {
    const double d = value - within_.origin;
    within_.square += d * (d * within_.weight - 2 * within_.moment);
    within_.moment -= d * within_.weight;
    within_.origin = value;
  }
  const double away = value - within_.origin;
  within_.weight += weight;
  within_.moment += weight * away;
  within_.square += weight * away * away;
}

void HuberSums::take_from_within(double value, double weight) {
  const double away = value - within_.origin;
  within_.weight -= weight;
  within_.moment -= weight * away;
  within_.square -= weight * away * away;
  if (--within_.values == 0) within_ = {0, 0, 0, value, 0};
}

void HuberSums::add(std::size_t rank, double weight) {
  if (weight <= 0) return;
  const double value = (*points_.value)[rank];
  if (points_.leave[rank] < passed_) {
    below_.weight += weight, below_.moment += weight * value;
  } else if (points_.come[rank] < passed_) {
    put_within(value, weight);
    if (weight_[rank] <= 0) ++within_.values;
  } else {
    above_.weight += weight, above_.moment += weight * value;
  }
  weight_[rank] += weight;
}

void HuberSums::pass(std::size_t point) {
  const std::uint32_t rank = points_.rank[point];
  const double w = weight_[rank], value = (*points_.value)[rank];
  passed_ = point + 1;
  if (w <= 0) return;
  if (points_.leaves[point]) {
    take_from_within(value, w);
    below_.weight += w, below_.moment += w * value;
  } else {
    above_.weight -= w, above_.moment -= w * value;
    put_within(value, w);
    ++within_.values;
  }
}

void HuberSums::pass_back(std::size_t point) {
  const std::uint32_t rank = points_.rank[point];
  const double w = weight_[rank], value = (*points_.value)[rank];
  passed_ = point;
  if (w <= 0) return;
  if (points_.leaves[point]) {
    below_.weight -= w, below_.moment -= w * value;
    put_within(value, w);
    ++within_.values;
  } else {
    take_from_within(value, w);
    above_.weight += w, above_.moment += w * value;
  }
}

double HuberSums::loss(double c) const {
  const double d = points_.width, shift = c - within_.origin;
  const double near = within_.square - shift * (2 * within_.moment - shift * within_.weight);
  const double high = (above_.moment - c * above_.weight) - 0.5 * d * above_.weight;
  const double low = (c * below_.weight - below_.moment) - 0.5 * d * below_.weight;
  return std::max(0.0, 0.5 * near + d * (high + low));
}

// The centre lies between the last point with psi >= 0 and the next; if psi is 0 on an interval, in its middle.
HuberSums::Read HuberSums::read() {
  const double tiny = TIE * points_.width * total_weight();
  const auto& at = points_.at;
  while (passed_ < points_.size() && psi(at[passed_]) >= -tiny) pass(passed_);
  while (passed_ > 1 && psi(at[passed_ - 1]) < -tiny) pass_back(passed_ - 1);
  const std::size_t last = passed_ - 1;
  const double high = psi(at[last]);
  if (high > tiny && passed_ < points_.size()) {
    const double falls = high - psi(at[passed_]);
    const double c = at[last] + (falls > 0 ? high / falls * (at[passed_] - at[last]) : 0);
    return {c, loss(c)};
  }
  const double least = loss(at[last]);  // the same on the interval
  std::size_t first = last;
  while (first > 0) {
    pass_back(first);
    if (psi(at[first - 1]) > tiny) break;
    --first;
  }
  while (passed_ <= last) pass(passed_);
  return {at[first] / 2 + at[last] / 2, least};
}

}  // namespace softwood::hard
