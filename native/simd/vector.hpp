// Numbers side by side in vector registers, double or float: types, load and store, clamp, and a * b + c with one
// rounding. All vector code of native/ uses it, in three widths, which are not interchangeable:
//
//   Lanes<T>       one register of the machine: loops over the rows of a block; sums of rows have as many lanes on
//   every
//                  machine (simd/block_product.cpp)
//   Vector<T, 4>   four on every machine: budding adds lanes up within a row, and another width is another sum
//   Pack           eight doubles in as many registers as they need (simd/pack.hpp): where a formula is one long chain,
//                  several registers in turn hide its waits
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/machine.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>  // declares the built-in functions of fused()
#endif

namespace softwood::simd {

// Sums of packs that stay in registers beside the factors they are made of: AVX2 has 16 registers, NEON 32. A pack is
// one register of the narrowest machine that has it; wider ones than the machine's are spilled to memory.
#if defined(__x86_64__)
constexpr std::size_t kPackBytes = 32;
constexpr int kSums = 8;
#else
constexpr std::size_t kPackBytes = 16;
constexpr int kSums = 16;
#endif

template <class T, std::size_t N>
struct Vector {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  typedef T Pack __attribute__((vector_size(N * sizeof(T))));
  typedef Word Bits __attribute__((vector_size(N * sizeof(T))));
  // The same in an array, where they may begin anywhere. These names are to be used as they stand: through an alias or
  // `auto` the compiler forgets how they are aligned.
  typedef T Stored __attribute__((vector_size(N * sizeof(T)), aligned(sizeof(T)), may_alias));
  typedef Word StoredBits __attribute__((vector_size(N * sizeof(T)), aligned(sizeof(T)), may_alias));
  static constexpr std::size_t kWidth = N;
};

template <class T>
using Lanes = Vector<T, kPackBytes / sizeof(T)>;

template <class T>
SOFTWOOD_INLINE typename Lanes<T>::Pack load(const T* at) {
  return *reinterpret_cast<const typename Lanes<T>::Stored*>(at);
}

template <class T>
SOFTWOOD_INLINE void store(T* at, const typename Lanes<T>::Pack& pack) {
  *reinterpret_cast<typename Lanes<T>::Stored*>(at) = pack;
}

// Numbers outside to the nearest end; NaN stays NaN. ARM has one instruction for it that compilers may not choose.
#if defined(__aarch64__)
SOFTWOOD_INLINE float64x2_t clamp(float64x2_t a, double lowest, double highest) {
  return vminq_f64(vmaxq_f64(a, vdupq_n_f64(lowest)), vdupq_n_f64(highest));
}
SOFTWOOD_INLINE float32x4_t clamp(float32x4_t a, float lowest, float highest) {
  return vminq_f32(vmaxq_f32(a, vdupq_n_f32(lowest)), vdupq_n_f32(highest));
}
#else
template <class Pack, class T>
SOFTWOOD_INLINE Pack clamp(const Pack& a, T lowest, T highest) {
  const Pack raised = a < lowest ? Pack{} + lowest : a;
  return raised > highest ? Pack{} + highest : raised;
}
#endif

// a * b + c with one rounding, for numbers and for packs of them.
//
// Explicit rather than left to the compiler, which may or may not fuse (CMakeLists.txt forbids it): so every machine
// with fused products (ARM, x86 of 2013 and later) gives one result; without them a pass of a soft tree takes 1.3
// to 1.45 times as long. On an older x86 this is a library call for every number.
SOFTWOOD_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
SOFTWOOD_INLINE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

#if defined(__aarch64__)
SOFTWOOD_INLINE float64x2_t fused(float64x2_t a, float64x2_t b, float64x2_t c) { return vfmaq_f64(c, a, b); }
SOFTWOOD_INLINE float32x4_t fused(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(c, a, b); }
SOFTWOOD_INLINE float64x2_t fused(double a, float64x2_t b, float64x2_t c) { return vfmaq_n_f64(c, b, a); }
SOFTWOOD_INLINE float32x4_t fused(float a, float32x4_t b, float32x4_t c) { return vfmaq_n_f32(c, b, a); }
#else
// Lane by lane; compilers usually vectorise the loop.
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
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
// Where sums of lanes follow, GCC 12 splits four loops of five into scalar instructions: a dot took eight times as
// long.
SOFTWOOD_INLINE Lanes<float>::Pack fused(const Lanes<float>::Pack& a, const Lanes<float>::Pack& b,
                                         const Lanes<float>::Pack& c) {
  return __builtin_ia32_vfmaddps256(a, b, c);
}
SOFTWOOD_INLINE Lanes<double>::Pack fused(const Lanes<double>::Pack& a, const Lanes<double>::Pack& b,
                                          const Lanes<double>::Pack& c) {
  return __builtin_ia32_vfmaddpd256(a, b, c);
}
#endif
#endif

// Fused, or in two steps if the machine would call the library.
template <bool FUSES, class A, class Pack>
SOFTWOOD_INLINE Pack product_and_sum(const A& a, const Pack& b, const Pack& c) {
  if constexpr (FUSES)
    return fused(a, b, c);
  else
    return a * b + c;
}

}  // namespace softwood::simd
