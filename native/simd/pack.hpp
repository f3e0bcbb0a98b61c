// Eight numbers side by side, in as many registers as they need: 8 of SSE2 or NEON hold two each.
//
// Every operation runs over the registers in turn, so neighbouring instructions are independent. For a long chain of
// operations, such as exp, that matters more than the width of a register.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/machine.hpp"

namespace softwood {

#if defined(__x86_64__)
constexpr std::size_t REGISTER = 8;  // the widest register; narrower machines use several
#else
constexpr std::size_t REGISTER = 2;
#endif
constexpr std::size_t PACK = 8;

struct Pack {
  using Register = double __attribute__((vector_size(REGISTER * sizeof(double))));
  using Bits = std::uint64_t __attribute__((vector_size(REGISTER * sizeof(double))));
  static constexpr std::size_t N = PACK / REGISTER;
  Register part[N];
};

SOFTWOOD_INLINE Pack load(const double* from) {
  Pack pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}

SOFTWOOD_INLINE void store(const Pack& pack, double* to) { std::memcpy(to, &pack, sizeof pack); }

template <class Operation>
SOFTWOOD_INLINE Pack each(Operation&& operation) {
  Pack result;
  for (std::size_t i = 0; i < Pack::N; ++i) result.part[i] = operation(i);
  return result;
}

SOFTWOOD_INLINE Pack operator+(const Pack& a, const Pack& b) {
  return each([&](std::size_t i) { return a.part[i] + b.part[i]; });
}
SOFTWOOD_INLINE Pack operator-(const Pack& a, const Pack& b) {
  return each([&](std::size_t i) { return a.part[i] - b.part[i]; });
}
SOFTWOOD_INLINE Pack operator*(const Pack& a, const Pack& b) {
  return each([&](std::size_t i) { return a.part[i] * b.part[i]; });
}
SOFTWOOD_INLINE Pack operator+(const Pack& a, double b) {
  return each([&](std::size_t i) { return a.part[i] + b; });
}
SOFTWOOD_INLINE Pack operator-(const Pack& a, double b) {
  return each([&](std::size_t i) { return a.part[i] - b; });
}
SOFTWOOD_INLINE Pack operator*(const Pack& a, double b) {
  return each([&](std::size_t i) { return a.part[i] * b; });
}
SOFTWOOD_INLINE Pack one_over(const Pack& a) {
  return each([&](std::size_t i) { return 1.0 / a.part[i]; });
}
// The larger of each two; NaN if the second is.
SOFTWOOD_INLINE Pack larger(const Pack& a, const Pack& b) {
  return each([&](std::size_t i) { return a.part[i] > b.part[i] ? a.part[i] : b.part[i]; });
}
SOFTWOOD_INLINE Pack shift_left(const Pack& a, int bits) {
  return each([&](std::size_t i) { return (Pack::Register)((Pack::Bits)a.part[i] << bits); });
}

// Numbers outside to the nearest end; NaN stays NaN.
SOFTWOOD_INLINE Pack clamp(const Pack& a, double lowest, double highest) {
  const Pack raised = each([&](std::size_t i) { return a.part[i] < lowest ? Pack::Register{} + lowest : a.part[i]; });
  return each([&](std::size_t i) { return raised.part[i] > highest ? Pack::Register{} + highest : raised.part[i]; });
}

}  // namespace softwood
