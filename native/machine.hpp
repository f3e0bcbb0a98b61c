// What depends on compiler and machine: functions compiled once for each width of registers, and chosen when they run.
#pragma once

#define SOFTWOOD_INLINE __attribute__((always_inline)) inline
#define SOFTWOOD_INLINE_LAMBDA __attribute__((always_inline))

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__gnu_linux__)
#define SOFTWOOD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define SOFTWOOD_HAS_CLONES 1
#else
#define SOFTWOOD_CLONES
#define SOFTWOOD_HAS_CLONES 0
#endif
