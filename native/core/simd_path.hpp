// The instruction set of the kernels, chosen when the module is loaded: the widest registers of the machine, or the
// argument of use_simd_path.
//
//   neon, avx2, avx512, plain   the same bits: the same operations in the same order, products of sums fused
//   sse2                        no fused products, so sums of products differ in their last digits
//
// `plain` adds products one by one, in the order that simd/plain_product.cpp defines, fused by the library where the
// machine cannot: slow, the same bits on every machine.
#pragma once

#include <string_view>
#include <vector>

namespace softwood {

enum class SimdPath { plain, vectors, neon, sse2, avx2, avx512 };  // vectors of any other machine

namespace detail {
extern SimdPath simd_path;
}

inline SimdPath simd_path() { return detail::simd_path; }

// Names of the paths of this machine and build, the fastest first.
std::vector<std::string_view> simd_paths();

// The name of the path in use.
std::string_view simd_path_name();

// To be called before any kernel runs. False if this machine and build have no path of that name.
bool use_simd_path(std::string_view name);

}  // namespace softwood
