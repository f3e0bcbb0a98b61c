// Code that depends on compiler and machine: functions compiled for several register widths and chosen at run time;
// subnormal numbers; unrolled loops.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/simd_path.hpp"

// SOFTWOOD_PLAIN is for sanitizers, over which compilers take minutes where all is inlined; SOFTWOOD_CALLS for a source
// that need not be fast, and has no clones: vectors are passed between its functions, as the base machine does it.
#if defined(SOFTWOOD_PLAIN) || defined(SOFTWOOD_CALLS)
#define SOFTWOOD_INLINE inline
#define SOFTWOOD_INLINE_LAMBDA
#else
#define SOFTWOOD_INLINE __attribute__((always_inline)) inline
#define SOFTWOOD_INLINE_LAMBDA __attribute__((always_inline))
#endif

// SOFTWOOD_CLONED(Result, name, (parameters), (arguments)) { ... } defines a function that GCC compiles for each width
// of registers of x86-64; the one that runs is chosen by simd_path(). Elsewhere it is a function like any other. (clang
// passes no vectors wider than the base machine's between functions, though all are inlined.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SOFTWOOD_PLAIN)
#if __GNUC__ >= 12
#define SOFTWOOD_AVX512 __attribute__((target("arch=x86-64-v4")))
#define SOFTWOOD_AVX2 __attribute__((target("arch=x86-64-v3")))
#else  // does not know these names
#define SOFTWOOD_AVX512 __attribute__((target("arch=skylake-avx512")))
#define SOFTWOOD_AVX2 __attribute__((target("arch=haswell")))
#endif
#define SOFTWOOD_HAS_CLONES 1
#define SOFTWOOD_CLONED(Result, name, parameters, arguments)                                 \
  static SOFTWOOD_INLINE Result name##_inline parameters;                                    \
  SOFTWOOD_AVX512 static Result name##_avx512 parameters { return name##_inline arguments; } \
  SOFTWOOD_AVX2 static Result name##_avx2 parameters { return name##_inline arguments; }     \
  static Result name##_base parameters { return name##_inline arguments; }                   \
  Result name parameters {                                                                   \
    if (simd_path() == SimdPath::avx512) return name##_avx512 arguments;                     \
    if (simd_path() == SimdPath::avx2) return name##_avx2 arguments;                         \
    return name##_base arguments;                                                            \
  }                                                                                          \
  static SOFTWOOD_INLINE Result name##_inline parameters
#else
#define SOFTWOOD_HAS_CLONES 0
#define SOFTWOOD_CLONED(Result, name, parameters, arguments) Result name parameters
#endif

namespace softwood {

// While it lives, subnormal numbers are 0. x86 takes a hundred times as long for them, and shares of steep gates are
// often subnormal; ARM is not slower, but does the same to give the same bits.
class WithoutDenormals {
 public:
  WithoutDenormals() : before_(read()) { write(before_ | kFlush); }
  ~WithoutDenormals() { write(before_); }
  WithoutDenormals(const WithoutDenormals&) = delete;
  WithoutDenormals& operator=(const WithoutDenormals&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned kFlush = 0x8040;  // results to 0, and what is read
  static unsigned read() { return __builtin_ia32_stmxcsr(); }
  static void write(unsigned state) { __builtin_ia32_ldmxcsr(state); }
  unsigned before_;
#elif defined(__aarch64__)
  static constexpr std::uint64_t kFlush = 1u << 24;  // both, too
  static std::uint64_t read() {
    std::uint64_t state;
    __asm__ volatile("mrs %0, fpcr" : "=r"(state));
    return state;
  }
  static void write(std::uint64_t state) { __asm__ volatile("msr fpcr, %0" : : "r"(state) : "memory"); }
  std::uint64_t before_;
#else
  static constexpr unsigned kFlush = 0;
  static unsigned read() { return 0; }
  static void write(unsigned) {}
  unsigned before_;
#endif
};

// step(0), ..., step(N - 1), each with a compile-time number: values that the steps share stay in registers, which
// compilers do not guarantee for a loop.
template <int N, class Step>
SOFTWOOD_INLINE void unrolled(Step&& step) {
  [&]<int... I>(std::integer_sequence<int, I...>)
      SOFTWOOD_INLINE_LAMBDA { (step(std::integral_constant<int, I>{}), ...); }(std::make_integer_sequence<int, N>{});
}

}  // namespace softwood
