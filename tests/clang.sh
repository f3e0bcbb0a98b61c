#!/usr/bin/env bash
# Compiles the kernels with clang, every warning an error, and asks the result for an answer. Nothing is kept.
set -euo pipefail
command -v clang++ >/dev/null || { echo "clang is not here (apt-get install clang)." >&2; exit 1; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cmake -S "$here" -B "$room" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-Werror \
  -DPython_EXECUTABLE="$(command -v python)" -Dnanobind_DIR="$(python -m nanobind --cmake_dir)" >"$room/configure.log" || { cat "$room/configure.log"; exit 1; }
cmake --build "$room" -j "${JOBS:-2}"
clang++ --version | head -1
echo "clang compiles the kernels without a warning."
