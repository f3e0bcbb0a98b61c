#include "budding/running_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/interrupt.hpp"

namespace softwood::budding {
namespace {

constexpr std::size_t kRowsBetweenPolls = 4096;

double raw_value(double x, double code) {
  if (code < 0) return x;
  return (std::isnan(code) ? std::isnan(x) : x == code) ? 1.0 : 0.0;
}

void add(const RunningMoments& moments, std::size_t c, double value, double weight) {
  if (std::isnan(value)) return;
  if (std::isnan(moments.first[c])) moments.first[c] = moments.low[c] = moments.high[c] = value;
  const double away = value - moments.first[c], part = weight * away;
  moments.weight[c] += weight;
  moments.total[c] += part;
  moments.squares[c] += part * away;
  if (!(moments.low[c] <= value)) moments.low[c] = value;
  if (!(moments.high[c] >= value)) moments.high[c] = value;
}

struct Place {
  double mean, spread;
};

Place place_of(const RunningMoments& moments, std::size_t c, const ScaleRule& rule) {
  const double some = std::max(moments.weight[c], 1e-300), middle = moments.total[c] / some;
  const double spread = std::sqrt(std::max(moments.squares[c] / some - middle * middle, 0.0));
  const double first = std::isnan(moments.first[c]) ? 0.0 : moments.first[c];
  const double size = std::max(std::abs(first), std::abs(first + middle));
  const double least = std::max(rule.least_spread * std::abs(middle), rule.constant * size);
  return {first + middle, spread > least ? spread : 0.0};
}

double standardised(double value, const Place& place, double limit) {
  if (std::isnan(value)) return 0.0;
  const double scale = place.spread > 0 ? place.spread : std::numeric_limits<double>::infinity();
  return std::clamp((value - place.mean) / scale, -limit, limit);
}

}  // namespace

bool scale_running(const Table& X, const ColumnCodes& of, const double* weight, const RunningMoments& moments,
                   const ScaleRule& rule, double* phi, std::size_t stride) {
  for (std::size_t row = 0; row < X.rows; ++row) {
    if (row % kRowsBetweenPolls == kRowsBetweenPolls - 1) poll_interrupt();
    for (std::size_t c = 0; c < of.columns; ++c) {
      const double value = raw_value(X(row, static_cast<std::size_t>(of.feature[c])), of.code[c]);
      add(moments, c, value, weight[row]);
      const Place place = place_of(moments, c, rule);
      phi[row * stride + c] =
          of.code[c] < 0 ? standardised(value, place, rule.limit) : rule.indicator_scale * (value - place.mean);
    }
  }
  return std::all_of(moments.squares, moments.squares + of.columns, [](double sum) { return std::isfinite(sum); });
}

}  // namespace softwood::budding
