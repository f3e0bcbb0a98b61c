// Weighted sums of columns, and sums over rows times columns, without the columns. Every column is linear on each
// segment of its input (kernels/contracts/expansion.py), so a weighted sum of an input's columns is linear there, too:
//
//   form(x)         = bias + sum_input height[input][segment] + slope[input][segment] * t
//   d form / d weight, summed over rows = sum_segment height_c[segment] * (sum of coefficient)
//                                       + slope_c[segment] * (sum of coefficient * t)
//
// The time of a pass depends on the number of inputs, not of columns. A form is a gate's score or a leaf's linear
// response. Forms are processed in tiles that fit in registers; the sums of a form are in the order of the inputs, for
// any tile.
#pragma once

#include <cstddef>
#include <vector>

#include "simd/block.hpp"
#include "simd/vector.hpp"
#include "soft/expansion.hpp"

namespace softwood::soft {

// How `forms` are divided into tiles of `width`, the last one filled up.
struct Tiles {
  std::size_t packs, width, count;

  template <class T>
  static Tiles of(std::size_t forms) {
    constexpr std::size_t kLanes = simd::Lanes<T>::kWidth;
    const std::size_t packs = forms <= kLanes ? 1 : forms <= 2 * kLanes ? 2 : 4, width = packs * kLanes;
    return {packs, width, (forms + width - 1) / width};
  }
  std::size_t forms() const { return count * width; }
  // Numbers of a table for all forms: [tile][entry][height, slope][width].
  std::size_t cells(std::size_t entries) const { return count * entries * 2 * width; }
};

// One form: its weights by column, and its bias.
template <class T>
struct Form {
  const T* weight;
  T bias;
};

template <class T>
struct FormTables {
  Tiles tiles{};
  std::vector<T> bias;  // [tile][width]
  std::vector<T> cell;  // [tile][entry][height, slope][width]

  FormTables() = default;
  FormTables(const Expansion<T>& expansion, const std::vector<Form<T>>& forms);
};

// Scores of all forms for one block, [form][64]; `out` has room for the forms of all tiles.
void table_scores(const Expansion<double>& expansion, const FormTables<double>& tables, std::size_t block, double* out);
void table_scores(const Expansion<float>& expansion, const FormTables<float>& tables, std::size_t block, float* out);

// Adds coefficient[form][64] of a block, and that times t, to the cells of the rows' segments. Rows of `coefficient`
// past the last form are 0.
void add_to_tables(const Expansion<double>& expansion, const Tiles& tiles, std::size_t block, const double* coefficient,
                   double* cell);
void add_to_tables(const Expansion<float>& expansion, const Tiles& tiles, std::size_t block, const float* coefficient,
                   float* cell);

// The same for a whole group of blocks whose rows are in order of their segments (Expansion::order), in two steps: each
// block is laid out as lines[tile][row of the group][width], then the rows of each segment are added up.
void lay_out(const Tiles& tiles, std::size_t block, const double* coefficient, double* lines);
void lay_out(const Tiles& tiles, std::size_t block, const float* coefficient, float* lines);
void add_group_to_tables(const Expansion<double>& expansion, const Tiles& tiles, std::size_t group, const double* lines,
                         double* cell);
void add_group_to_tables(const Expansion<float>& expansion, const Tiles& tiles, std::size_t group, const float* lines,
                         float* cell);

// From sums by segment to sums by column: adds to sum[form * stride + column] for the forms from `begin` to `end`,
// counted from `begin`.
template <class T>
void table_dots(const Expansion<T>& expansion, const Tiles& tiles, const double* cell, std::size_t begin,
                std::size_t end, double* sum, std::size_t stride);

}  // namespace softwood::soft
