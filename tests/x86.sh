#!/usr/bin/env bash
# Compiles the kernels for x86-64 on another machine, every warning an error: SSE2, AVX2 and AVX-512 code that ARM never sees.
# Nothing is kept, unless OUT names a folder for the module. Needs g++-x86-64-linux-gnu (apt-get install it).
set -euo pipefail
compiler=${CXX:-x86_64-linux-gnu-g++}
command -v "$compiler" >/dev/null || { echo "$compiler is not here (apt-get install g++-x86-64-linux-gnu)." >&2; exit 1; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cmake -S "$here" -B "$room" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=x86_64 \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS=-Werror -DPython_EXECUTABLE="$(command -v python)" \
  -Dnanobind_DIR="$(python -m nanobind --cmake_dir)" >"$room/configure.log" || { cat "$room/configure.log"; exit 1; }
cmake --build "$room" -j "${JOBS:-2}"
module=$(ls "$room"/_native*.so)
reads=${compiler%g++}objdump
for register in xmm ymm zmm; do
  "$reads" -d "$module" | grep -q "%$register" || { echo "no instruction of the module uses $register registers" >&2; exit 1; }
done
if [ -n "${OUT:-}" ]; then cp "$module" "$OUT/_native.x86_64.so"; fi
"$compiler" --version | head -1
echo "The kernels compile for x86-64 without a warning: SSE2, AVX2 and AVX-512."
