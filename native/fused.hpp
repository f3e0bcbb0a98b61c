// a * b + c with one rounding, for numbers and for packs of them.
//
// Spelled out rather than left to the compiler, which may or may not fuse: so every machine that can fuse (ARM, x86 of
// 2013 and later through SOFTWOOD_CLONES) gives one answer, at nearly twice the speed. Without such clones x86
// multiplies and adds in two steps, since a fused product would be a call into the library.
#pragma once

#include <cstddef>

#include "machine.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__x86_64__) && !defined(__FMA__) && !SOFTWOOD_HAS_CLONES
#define SOFTWOOD_TWO_STEPS
#endif

namespace softwood::soft {

SOFTWOOD_INLINE double fused(double a, double b, double c) {
#ifdef SOFTWOOD_TWO_STEPS
  return a * b + c;
#else
  return __builtin_fma(a, b, c);
#endif
}

SOFTWOOD_INLINE float fused(float a, float b, float c) {
#ifdef SOFTWOOD_TWO_STEPS
  return a * b + c;
#else
  return __builtin_fmaf(a, b, c);
#endif
}

// Does this machine fuse in one instruction? Otherwise `fused` may be a call into the library for every number.
inline bool machine_fuses() {
#if defined(__x86_64__) && SOFTWOOD_HAS_CLONES
  return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
#else
  return true;
#endif
}

#if defined(__aarch64__)
SOFTWOOD_INLINE float64x2_t fused(float64x2_t a, float64x2_t b, float64x2_t c) { return vfmaq_f64(c, a, b); }
SOFTWOOD_INLINE float32x4_t fused(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(c, a, b); }
SOFTWOOD_INLINE float64x2_t fused(double a, float64x2_t b, float64x2_t c) { return vfmaq_n_f64(c, b, a); }
SOFTWOOD_INLINE float32x4_t fused(float a, float32x4_t b, float32x4_t c) { return vfmaq_n_f32(c, b, a); }
#elif defined(SOFTWOOD_CONTRACTED)
// The compiler was told to fuse wherever it can (CMakeLists.txt), and sees whole packs.
template <class A, class Pack>
SOFTWOOD_INLINE Pack fused(const A& a, const Pack& b, const Pack& c) {
  return a * b + c;
}
#else
// Lane by lane; compilers see through the loop.
template <class Pack>
SOFTWOOD_INLINE Pack fused(const Pack& a, const Pack& b, const Pack& c) {
  Pack result;
  for (std::size_t lane = 0; lane < sizeof(Pack) / sizeof(a[0]); ++lane)
    result[lane] = fused(a[lane], b[lane], c[lane]);
  return result;
}
template <class T, class Pack>
SOFTWOOD_INLINE Pack fused(T a, const Pack& b, const Pack& c) {
  Pack result;
  for (std::size_t lane = 0; lane < sizeof(Pack) / sizeof(T); ++lane) result[lane] = fused(a, b[lane], c[lane]);
  return result;
}
#endif

}  // namespace softwood::soft
