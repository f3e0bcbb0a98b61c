// Two groups of the classes of a node, by exchange; the definition is src/softwood/kernels/formulas/class_groups.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "oblique/two_sides.hpp"

namespace softwood::oblique {

// The rows of a node on the discriminants D of its classes: with c_k = size_k for the classes of the first group and
// else 0, scores along the groups' direction are (rows D) c but for their length, and since the rows are about their
// mean, that of the scores is 0.
struct Projected {
  std::size_t rows, classes;
  const double* score;              // classes x rows
  const double* gram;               // classes x classes: inner products of the class means in the measure of S_T^-1
  const double* spread;             // classes x classes: covariance of the scores
  const std::int32_t* code;         // class of each row
  const double* split_weight;       // weight of each row in splits
  const std::vector<double>& size;  // weight of each class
};

// Whether each class is in the first group.
std::vector<bool> exchange(const Projected& rows, const Impurity& impurity);

// Coefficients of a grouping's direction, by class.
std::vector<double> coefficients(const std::vector<bool>& first, const std::vector<double>& size);

}  // namespace softwood::oblique
