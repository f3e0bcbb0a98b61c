#!/usr/bin/env bash
# One machine that stands for several: the tests that fit trees, under every path of native code, with and without NumPy's
# wider instructions, with other kernels of OpenBLAS, by 1 and 4 threads of it; then golden trees on the other processor by
# emulation. `machines.sh tests/machines` runs these tests alone, `--here` leaves the emulation out.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=${PYTHON:-python3}
emulate=1
[ "${1:-}" = --here ] && { emulate=0; shift; }
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(tests/machines tests/golden tests/learners tests/laws tests/test_examples_in_docs.py)
failed=0

try() {  # what this process stands for, then its environment
  local name=$1
  shift
  if told=$(env "$@" "$python" -m pytest -q -p no:cacheprovider "${tests[@]}" -n "${JOBS:-2}" 2>&1); then
    printf '%-40s %s\n' "$name" "$(tail -1 <<<"$told")"
  else
    failed=1
    printf '%-40s FAILED\n%s\n' "$name" "$(grep -E '^(FAILED|ERROR)|Error|passed|failed' <<<"$told" | tail -40)"
  fi
}

try "as it is"
for path in $("$python" -c 'from softwood.kernels import _native; print(*_native.simd_paths())'); do
  # sse2 has no fused products: soft trees differ there in last digits (docs/promises.md)
  [ "$path" = sse2 ] || try "SOFTWOOD_SIMD=$path" SOFTWOOD_SIMD="$path"
done
case $(uname -m) in
  x86_64)
    features=("AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V4" "AVX2 FMA3 X86_V3 X86_V4")
    blas=(Haswell Prescott) ;;
  *)
    features=("ASIMDHP ASIMDDP ASIMDFHM")
    blas=(CORTEXA57 NEOVERSEN1) ;;
esac
for names in "${features[@]}"; do  # names that this NumPy does not know are warned of, and change nothing
  try "NumPy without $names" NPY_DISABLE_CPU_FEATURES="$names" PYTHONWARNINGS=ignore::ImportWarning
done
for core in "${blas[@]}"; do try "OPENBLAS_CORETYPE=$core" OPENBLAS_CORETYPE="$core"; done
for threads in 1 4; do try "$threads threads of BLAS" OPENBLAS_NUM_THREADS="$threads"; done
if [ "$emulate" = 1 ]; then bash tests/machines/emulate.sh || failed=1; fi
exit "$failed"
