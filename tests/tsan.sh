#!/bin/sh
# What runs in threads, under ThreadSanitizer: the pool alone, as a program; then predictions and fits side by side, by a
# module of their own in build/tsan. Ends with an error at the first race.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-python}
build=build/tsan
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSOFTWOOD_SANITIZE=thread \
    -DPython_EXECUTABLE="$($python -c 'import sys; print(sys.executable)')" \
    -Dnanobind_DIR="$($python -m nanobind --cmake_dir)"
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
"$compiler" -std=c++20 -O1 -g -fsanitize=thread -D_GLIBCXX_ASSERTIONS -I native -pthread \
    tests/faults/pool.cpp native/core/parallel.cpp native/core/interrupt.cpp -o "$build/pool"
"$build/pool"

cmake --build "$build"
rm -rf "$build/src"
cp -R src "$build/src"
rm -f "$build"/src/softwood/kernels/_native*.so
cp "$build"/_native*.so "$build/src/softwood/kernels/"

# Python and NumPy are not instrumented, but take their locks where ThreadSanitizer sees it: so the interpreter's lock
# orders what our code does with Python's objects.
# A new thread may get the stack of one that has ended, and frees its thread-local storage under a lock of glibc that
# ThreadSanitizer does not see.
echo "race:_dl_deallocate_tls" >"$build/suppressions"
watched() {
    LD_PRELOAD="$("$compiler" -print-file-name=libtsan.so)" PYTHONPATH="$build/src:." \
        TSAN_OPTIONS="halt_on_error=1:exitcode=66:suppressions=$PWD/$build/suppressions" "$python" "$@"
}

# A race on purpose comes first: a run that does not see it proves nothing.
if watched tests/faults/planted_race.py 2>"$build/planted_race.log"; then
    echo "ThreadSanitizer did not see the race of tests/faults/planted_race.py." >&2
    exit 1
fi
grep -q "WARNING: ThreadSanitizer: data race" "$build/planted_race.log"
echo "a race on purpose: seen"
watched tests/faults/side_by_side.py
