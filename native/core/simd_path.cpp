#include "core/simd_path.hpp"

#include <utility>

#include "core/machine.hpp"

namespace softwood {
namespace {

using Named = std::pair<std::string_view, SimdPath>;

std::vector<Named> find_paths() {
  std::vector<Named> found;
#if defined(__x86_64__)
#if SOFTWOOD_HAS_CLONES
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    found.emplace_back("avx512", SimdPath::avx512);
  if (avx2) found.emplace_back("avx2", SimdPath::avx2);
#endif
  found.emplace_back("sse2", SimdPath::sse2);
#elif defined(__aarch64__)
  found.emplace_back("neon", SimdPath::neon);
#else
  found.emplace_back("vectors", SimdPath::vectors);
#endif
  found.emplace_back("plain", SimdPath::plain);
  return found;
}

}  // namespace

SimdPath detail::simd_path = find_paths().front().second;

std::vector<std::string_view> simd_paths() {
  std::vector<std::string_view> names;
  for (const auto& [name, path] : find_paths()) names.push_back(name);
  return names;
}

std::string_view simd_path_name() {
  for (const auto& [name, path] : find_paths())
    if (path == simd_path()) return name;
  return {};
}

bool use_simd_path(std::string_view wanted) {
  for (const auto& [name, path] : find_paths())
    if (name == wanted) {
      detail::simd_path = path;
      return true;
    }
  return false;
}

}  // namespace softwood
