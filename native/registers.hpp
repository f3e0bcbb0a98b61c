// Numbers side by side in one register, double or float, and how they come from memory and go back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace softwood::soft {

// A pack is one register of the narrowest machine that has it; wider ones than the machine's are spilled to memory.
// Sums of packs that stay in registers beside the factors they are made of: AVX2 has 16 registers, NEON 32.
#if defined(__x86_64__)
constexpr std::size_t kPackBytes = 32;
constexpr int kSums = 8;
#else
constexpr std::size_t kPackBytes = 16;
constexpr int kSums = 16;
#endif

template <class T>
struct Lanes {
  typedef T Pack __attribute__((vector_size(kPackBytes)));
  typedef T Stored __attribute__((vector_size(kPackBytes), aligned(sizeof(T)), may_alias));  // a pack in an array
  static constexpr std::size_t kWidth = kPackBytes / sizeof(T);
};

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

}  // namespace softwood::soft
