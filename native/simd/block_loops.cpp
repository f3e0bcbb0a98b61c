#include "simd/block_loops.hpp"

#include <algorithm>

#include "core/machine.hpp"
#include "simd/elementary.hpp"
#include "simd/exp.hpp"
#include "simd/sigmoid.hpp"

namespace softwood {

SOFTWOOD_CLONED(void, exp_lanes, (double* value, std::size_t n), (value, n)) {
  const std::size_t whole = n - n % PACK;
  for (std::size_t i = 0; i < whole; i += PACK) store(exp(load(value + i)), value + i);
  if (whole == n) return;
  double rest[PACK] = {};
  std::copy(value + whole, value + n, rest);
  store(exp(load(rest)), rest);
  std::copy_n(rest, n - whole, value + whole);
}

SOFTWOOD_CLONED(void, log_lanes, (double* value, std::size_t n), (value, n)) {
  for (std::size_t i = 0; i < n; ++i) value[i] = elementary::log(value[i]);
}

SOFTWOOD_CLONED(void, log1p_lanes, (double* value, std::size_t n), (value, n)) {
  for (std::size_t i = 0; i < n; ++i) value[i] = elementary::log1p(value[i]);
}

SOFTWOOD_CLONED(void, log2_lanes, (double* value, std::size_t n), (value, n)) {
  for (std::size_t i = 0; i < n; ++i) value[i] = elementary::log2(value[i]);
}

SOFTWOOD_CLONED(void, cos_of_turn_lanes, (double* value, std::size_t n), (value, n)) {
  for (std::size_t i = 0; i < n; ++i) value[i] = elementary::cos_of_turn(value[i]);
}

SOFTWOOD_CLONED(void, sigmoid_lanes, (double* value, std::size_t n), (value, n)) {
  constexpr std::size_t STEP = 4 * simd::Lanes<double>::kWidth;
  static_assert(LANES % STEP == 0);
  const std::size_t whole = (n + STEP - 1) / STEP * STEP;
  for (std::size_t i = 0; i < whole; ++i) value[i] *= simd::Sigmoid<double>::kToBits;
  simd::squash_bits<4>(value, whole);
}

SOFTWOOD_CLONED(void, score_lanes,
                (const double* phi, const std::int32_t* column, const double* weight, std::size_t n_weights,
                 double bias, double* score, std::size_t n),
                (phi, column, weight, n_weights, bias, score, n)) {
  for (std::size_t i = 0; i < n; i += STRIP) {
    double sum[STRIP];
    for (std::size_t s = 0; s < STRIP; ++s) sum[s] = bias;
    for (std::size_t j = 0; j < n_weights; ++j) {
      const double* value = phi + static_cast<std::size_t>(column[j]) * LANES + i;
      for (std::size_t s = 0; s < STRIP; ++s) sum[s] += weight[j] * value[s];
    }
    for (std::size_t s = 0; s < STRIP; ++s) score[i + s] = sum[s];
  }
}

SOFTWOOD_CLONED(void, add_lanes, (double* sum, const double* kept, double value, std::size_t n),
                (sum, kept, value, n)) {
  for (std::size_t i = 0; i < n; ++i) sum[i] += kept[i] * value;
}

SOFTWOOD_CLONED(bool, multiply_lanes, (const double* passed, const double* share, double* into, std::size_t n),
                (passed, share, into, n)) {
  std::uint64_t zeros = 0;
  for (std::size_t i = 0; i < n; ++i) {
    into[i] = passed[i] * share[i];
    zeros += into[i] == 0.0;
  }
  return zeros == 0;
}

}  // namespace softwood
