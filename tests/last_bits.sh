#!/usr/bin/env bash
# Which tests depend on the last bits of other libraries? Runs them with other last bits of exp, log and their like
# (tests/last_bits.c) and with another machine's products of matrices (OPENBLAS_CORETYPE). All must pass: what our own
# kernels compute is compared to the last bit, everything else up to rounding. Linux; needs a C compiler.
# Arguments go to pytest: tests/last_bits.sh -n 2 tests/learners
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-python}
library=$(mktemp -d)/last_bits.so
trap 'rm -rf "$(dirname "$library")"' EXIT
blas=$("$python" -c 'import threadpoolctl, numpy
print(next(each["filepath"] for each in threadpoolctl.threadpool_info() if "numpy.libs" in each["filepath"]))')
"${CC:-cc}" -O2 -fPIC -shared -fno-builtin "-DOPENBLAS=\"$blas\"" tests/last_bits.c -o "$library" -ldl -lm
case $(uname -m) in x86_64) other=Prescott ;; *) other=CORTEXA53 ;; esac
LD_PRELOAD="$library" OPENBLAS_CORETYPE="$other" SCIPY_ARRAY_API=1 "$python" -m pytest "${@:-tests}"
