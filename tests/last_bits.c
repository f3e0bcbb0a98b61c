// Other last bits of exp, log, … and of NumPy's products of matrices and vectors, as another machine's libraries give them:
// preloaded (LD_PRELOAD), it changes the last bit of every fourth result that is not exact, always of the same ones.
// OPENBLAS is the path of NumPy's OpenBLAS (tests/last_bits.sh finds it).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static double nudge(double result, double of) {
  uint64_t bits, key;
  if (!isfinite(result) || result == 0 || of == 0) return result;
  memcpy(&bits, &result, 8);
  memcpy(&key, &of, 8);
  if ((bits & 0xfffff) == 0) return result;  // few digits: exact on every machine
  key *= 0x9E3779B97F4A7C15ull;
  if (((key ^ (key >> 31)) & 3) != 0) return result;
  bits ^= 1;
  memcpy(&result, &bits, 8);
  return result;
}

#define OTHER(name)                              \
  double name(double x) {                        \
    static double (*real)(double);               \
    if (!real) real = dlsym(RTLD_NEXT, #name);   \
    return nudge(real(x), x);                    \
  }
OTHER(exp) OTHER(expm1) OTHER(exp2) OTHER(log) OTHER(log1p) OTHER(log2) OTHER(log10) OTHER(sin) OTHER(cos) OTHER(tanh)

double pow(double x, double y) {
  static double (*real)(double, double);
  if (!real) real = dlsym(RTLD_NEXT, "pow");
  return y == 2.0 || y == 1.0 || y == 0.5 ? real(x, y) : nudge(real(x, y), x);
}

static void* openblas(const char* name) { return dlsym(dlopen(OPENBLAS, RTLD_NOW), name); }

double scipy_cblas_ddot64_(int64_t n, const double* x, int64_t dx, const double* y, int64_t dy) {
  static double (*real)(int64_t, const double*, int64_t, const double*, int64_t);
  if (!real) real = openblas("scipy_cblas_ddot64_");
  const double sum = real(n, x, dx, y, dy);
  return n > 2 ? nudge(sum, sum) : sum;
}

void scipy_cblas_dgemv64_(int order, int trans, int64_t m, int64_t n, double a, const double* A, int64_t lda,
                          const double* x, int64_t dx, double b, double* y, int64_t dy) {
  static void (*real)(int, int, int64_t, int64_t, double, const double*, int64_t, const double*, int64_t, double, double*,
                      int64_t);
  if (!real) real = openblas("scipy_cblas_dgemv64_");
  real(order, trans, m, n, a, A, lda, x, dx, b, y, dy);
  for (int64_t i = 0, size = trans == 111 ? m : n; dy > 0 && i < size; ++i) y[i * dy] = nudge(y[i * dy], y[i * dy]);
}
