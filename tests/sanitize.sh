#!/bin/sh
# The tests and some cases of the fuzz under AddressSanitizer and UBSan, on a module of their own: build/sanitize holds a
# copy of the package with it, and the installed one is not touched. Ends with an error at the first finding.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-python}
build=build/sanitize
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSOFTWOOD_SANITIZE=ON \
    -DPython_EXECUTABLE="$($python -c 'import sys; print(sys.executable)')" \
    -Dnanobind_DIR="$($python -m nanobind --cmake_dir)"
cmake --build "$build"

rm -rf "$build/src"
cp -R src "$build/src"
rm -f "$build"/src/softwood/kernels/_native*.so
cp "$build"/_native*.so "$build/src/softwood/kernels/"

# Python itself is not instrumented: the runtime must be there before it, and its own leaks are not ours. Fewer examples:
# every one is several times as slow.
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
preload="$("$compiler" -print-file-name=libasan.so) $("$compiler" -print-file-name=libstdc++.so)"
under_sanitizers() {
    LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 \
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONPATH="$build/src:." "$python" "$@"
}
under_sanitizers -m pytest -p no:cacheprovider --hypothesis-profile=sanitize \
    --override-ini=addopts="-q --import-mode=importlib --capture=sys" "${@:-tests}"
# Cases of the fuzz, each of which may take longer than usual; not where some tests were asked for.
[ $# -gt 0 ] || under_sanitizers -m tests.fuzz --cases "${CASES:-5000}" --seconds 240 --out "$build/fuzz.jsonl"
