// Loops across the rows of a block, the dominant cost of a soft tree. On x86-64 with glibc each is compiled for
// AVX-512, AVX2 and the baseline, and selected when the module is loaded; all three give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softwood {

constexpr std::size_t LANES = 64;  // rows of a block
constexpr std::size_t STRIP = 16;  // lanes whose scores stay in registers over all columns

// value[i] = exp(value[i]); the array may have any size
void exp_lanes(double* value, std::size_t n);

// The same for functions in simd/elementary.hpp.
void log_lanes(double* value, std::size_t n);
void log1p_lanes(double* value, std::size_t n);
void log2_lanes(double* value, std::size_t n);
void cos_of_turn_lanes(double* value, std::size_t n);

// value[i] = 1 / (1 + exp(-value[i])), value has LANES entries. Works in whole packs (simd/sigmoid.hpp), so lanes
// beyond n are read and written too.
void sigmoid_lanes(double* value, std::size_t n);

// score[i] = bias + sum_j weight[j] * phi[column[j] * LANES + i], summed in the order of j. Works in whole strips, so
// lanes beyond n are read and written too.
void score_lanes(const double* phi, const std::int32_t* column, const double* weight, std::size_t n_weights,
                 double bias, double* score, std::size_t n);

// sum[i] += kept[i] * value
void add_lanes(double* sum, const double* kept, double value, std::size_t n);

// into[i] = passed[i] * share[i]; true if none of them is 0
bool multiply_lanes(const double* passed, const double* share, double* into, std::size_t n);

}  // namespace softwood
