// Weakest-link pruning; the reference is src/softwood/kernels/reference/cost_complexity.py.
#pragma once

#include <cstdint>
#include <vector>

namespace softwood::hard {

std::vector<double> collapse_alphas(const std::int32_t* parent, const double* risk, std::size_t n);

}  // namespace softwood::hard
