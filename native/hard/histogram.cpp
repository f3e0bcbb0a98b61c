#include "hard/histogram.hpp"

namespace softwood::hard {

namespace {

void mark(Filled& filled, std::uint8_t b) { filled[b >> 6] |= std::uint64_t{1} << (b & 63); }

bool is_short(const Objective& objective) { return objective.plain && objective.moments(); }

template <class Y>
void fill_short(const Y* y, const std::uint32_t* rows, std::size_t n, const std::uint8_t* bin, double* histogram,
                Filled* filled) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t b = bin[rows[i]];
    if (filled) mark(*filled, b);
    histogram[2 * b] += 1;
    histogram[2 * b + 1] += static_cast<double>(y[rows[i]]);
  }
}

// The gain is scale * d^2 * W / (W1 * W2) with d = sum - W1 * mean, see hard/threshold_split.hpp.
void pass_short(SplitSelector& selector, const double* histogram, const Filled& filled, std::size_t bins,
                const double* base, const double* total, int missing_slot) {
  const int last = selector.objective.width() - 1;
  const double W = total[1], mean = total[last] / W, scale = selector.objective.moments_scale();
  double W1 = base[1], sum = base[last], need = selector.moments_bar(scale * W);
  std::size_t before = MAX_BINS;  // the filled bin before this one
  for_each_filled(filled, [&](std::size_t b) {
    if (b >= bins) return;
    const double d = sum - W1 * mean;
    if (before < MAX_BINS && d * d > need * W1 * (W - W1) &&
        selector.offer_moments(W1, W1, sum, d, scale, total, before, missing_slot))
      need = selector.moments_bar(scale * W);
    W1 += histogram[2 * b];
    sum += histogram[2 * b + 1];
    before = b;
  });
}

}  // namespace

int cell_width(const Objective& objective) { return is_short(objective) ? 2 : objective.width(); }

void fill_histogram(const Objective& objective, const std::uint32_t* rows, std::size_t n, const std::uint8_t* bin,
                    double* histogram, Filled* filled) {
  if (is_short(objective)) {
    if (objective.classes)
      fill_short(objective.is_one.data(), rows, n, bin, histogram, filled);
    else
      fill_short(objective.y.data(), rows, n, bin, histogram, filled);
    return;
  }
  const auto width = static_cast<std::size_t>(objective.width());
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t b = bin[rows[i]];
    if (filled) mark(*filled, b);
    objective.add(histogram + b * width, rows[i]);
  }
}

Filled filled_bins(const Objective& objective, const double* histogram) {
  Filled filled{};
  const auto width = static_cast<std::size_t>(cell_width(objective));
  for (std::size_t b = 0; b < MAX_BINS; ++b)
    if (histogram[b * width] > 0) filled[b >> 6] |= std::uint64_t{1} << (b & 63);
  return filled;
}

void read_cell(const Objective& objective, const double* cell, double* state) {
  if (!is_short(objective)) {
    std::copy_n(cell, objective.width(), state);
    return;
  }
  state[0] = state[1] = cell[0];
  if (objective.classes) state[2] = cell[0] - cell[1];
  state[objective.width() - 1] = cell[1];
}

void pass_bins(SplitSelector& selector, const double* histogram, const Filled& filled, std::size_t bins,
               const double* base, const double* total, int missing_slot) {
  if (is_short(selector.objective)) {
    pass_short(selector, histogram, filled, bins, base, total, missing_slot);
    return;
  }
  const auto width = static_cast<std::size_t>(selector.objective.width());
  std::vector<double> first(base, base + width);
  std::size_t before = MAX_BINS;
  for_each_filled(filled, [&](std::size_t b) {
    if (b >= bins) return;
    if (before < MAX_BINS) selector.offer(first.data(), total, before, missing_slot);
    for (std::size_t i = 0; i < width; ++i) first[i] += histogram[b * width + i];
    before = b;
  });
}

}  // namespace softwood::hard
