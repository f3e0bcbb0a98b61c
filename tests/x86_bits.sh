#!/usr/bin/env bash
# Do the kernels give the same bits on x86-64 (AVX2, plain) as on this machine? Compiles tests/kernels/bits.cpp for both and
# runs the other one by qemu, which has AVX2 from 7.2 on and no AVX-512. Needs qemu-user and g++-x86-64-linux-gnu. On x86-64
# itself no qemu: all paths of the machine are compared.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
options=(-std=c++20 -O2 -fno-math-errno -fno-trapping-math -ffp-contract=off -Wno-psabi -Inative -pthread)
sources=(tests/kernels/bits.cpp native/simd/*.cpp native/core/{simd_path,parallel,interrupt}.cpp
  native/soft/{gradient,forward_pass,lbfgs,expansion}.cpp)
"${CXX:-g++}" "${options[@]}" "${sources[@]}" -o "$room/here"
"$room/here" plain >"$room/plain"
differ=0
compare() {  # what the lines of a path say beside those of `plain` on this machine
  local other
  other=$(diff "$room/plain" "$2" | grep -c '^>' || true)
  echo "$1: $(wc -l <"$2") lines, $other differ"
  case $1 in *sse2*) ;; *) differ=$((differ + other)) ;; esac
}
for path in $("$room/here"); do "$room/here" "$path" >"$room/out" && compare "here, $path" "$room/out"; done
if [ "$(uname -m)" != x86_64 ]; then
  x86_64-linux-gnu-g++ "${options[@]}" "${sources[@]}" -o "$room/x86"
  run=(qemu-x86_64 -cpu max -L /usr/x86_64-linux-gnu "$room/x86")
  for path in $("${run[@]}"); do "${run[@]}" "$path" >"$room/out" && compare "x86-64, $path" "$room/out"; done
fi
[ "$differ" = 0 ] || { echo "paths differ" >&2; exit 1; }
