// What depends on compiler and machine: functions compiled once for each width of registers, and chosen when they run;
// loops that are no loops any more.
#pragma once

#include <type_traits>
#include <utility>

// SOFTWOOD_PLAIN is for sanitizers, over which compilers take minutes where all is inlined; SOFTWOOD_CALLS for a source
// that need not be fast, and has no clones: vectors are passed between its functions, as the base machine does it.
#if defined(SOFTWOOD_PLAIN) || defined(SOFTWOOD_CALLS)
#define SOFTWOOD_INLINE inline
#define SOFTWOOD_INLINE_LAMBDA
#else
#define SOFTWOOD_INLINE __attribute__((always_inline)) inline
#define SOFTWOOD_INLINE_LAMBDA __attribute__((always_inline))
#endif

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__gnu_linux__) && \
    !defined(SOFTWOOD_PLAIN)
#if __GNUC__ >= 12
#define SOFTWOOD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else  // does not know these names yet; "fma" brings AVX along
#define SOFTWOOD_CLONES __attribute__((target_clones("fma", "default")))
#endif
#define SOFTWOOD_HAS_CLONES 1
#else
#define SOFTWOOD_CLONES
#define SOFTWOOD_HAS_CLONES 0
#endif

namespace softwood {

// While it lives, numbers too small to be normal are 0. x86 takes a hundred times as long over them, and shares of
// steep gates are such numbers; ARM does not mind.
class WithoutDenormals {
#if defined(__x86_64__)
 public:
  WithoutDenormals() : before_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(before_ | kFlush); }
  ~WithoutDenormals() { __builtin_ia32_ldmxcsr(before_); }
  WithoutDenormals(const WithoutDenormals&) = delete;
  WithoutDenormals& operator=(const WithoutDenormals&) = delete;

 private:
  static constexpr unsigned kFlush = 0x8040;  // results to 0, and what is read
  unsigned before_;
#else
 public:
  WithoutDenormals() {}
#endif
};

// step(0), ..., step(N - 1), each with a number that is known when compiled: what the steps share stays in registers,
// which compilers do not promise for a loop.
template <int N, class Step>
SOFTWOOD_INLINE void unrolled(Step&& step) {
  [&]<int... I>(std::integer_sequence<int, I...>)
      SOFTWOOD_INLINE_LAMBDA { (step(std::integral_constant<int, I>{}), ...); }(std::make_integer_sequence<int, N>{});
}

}  // namespace softwood
