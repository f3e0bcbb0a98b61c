#!/usr/bin/env bash
# Golden trees on the other processor, ARM for x86-64 and the reverse, by qemu: are their hashes those of this machine?
# Debian's Python of the other architecture is unpacked beside the wheels of NumPy, SciPy and scikit-learn, and native/
# is compiled for it. Needs qemu-user, the cross compiler (g++-x86-64-linux-gnu or g++-aarch64-linux-gnu), apt-get and pip.
# What is fetched stays in build/emulated. A word chooses trees: `emulate.sh SoftTree`. About an hour for all of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=${PYTHON:-python3}
case $(uname -m) in
  x86_64) arch=arm64 cpu=aarch64 loader=lib/ld-linux-aarch64.so.1 ;;
  *) arch=amd64 cpu=x86_64 loader=lib64/ld-linux-x86-64.so.2 ;;
esac
missing=()
command -v "qemu-$cpu" >/dev/null || missing+=(qemu-user)
command -v "$cpu-linux-gnu-g++" >/dev/null || missing+=("g++-${cpu/_/-}-linux-gnu")
[ ${#missing[@]} = 0 ] || { echo "The other processor needs ${missing[*]}: apt-get install ${missing[*]}" >&2; exit 1; }
here=$PWD/build/emulated/$arch
root=$here/root site=$here/site
mkdir -p "$here"

if [ ! -e "$here/has-python" ]; then
  mkdir -p "$here"/apt/{state/lists/partial,cache/archives/partial} "$here/debs" "$root"
  : >"$here/apt/status"
  options=(-qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User=root
    -o Dir::State="$here/apt/state" -o Dir::State::status="$here/apt/status" -o Dir::Cache="$here/apt/cache")
  apt-get "${options[@]}" update
  (cd "$here/debs" && apt-get "${options[@]}" download python3.11-minimal libpython3.11-minimal libpython3.11-stdlib \
    libpython3.11-dev libc6 libgcc-s1 libstdc++6 zlib1g libexpat1 libssl3 libffi8 libbz2-1.0 liblzma5 libsqlite3-0 \
    libuuid1 libcrypt1)
  for package in "$here"/debs/*.deb; do dpkg-deb -x "$package" "$root"; done
  # a link to /lib would lead out of the unpacked system
  [ ! -L "$root/$loader" ] || ln -sfn "../lib/$cpu-linux-gnu/$(basename "$loader")" "$root/$loader"
  touch "$here/has-python"
fi
if [ ! -e "$here/has-wheels" ]; then
  platforms=()
  for glibc in 2_17 2_27 2_28; do platforms+=(--platform "manylinux_${glibc}_$cpu"); done
  "$python" -m pip download --quiet "${platforms[@]}" --platform "manylinux2014_$cpu" --python-version 3.11 \
    --only-binary=:all: --dest "$here/wheels" numpy scipy scikit-learn narwhals typer rich
  for wheel in "$here"/wheels/*.whl; do "$python" -m zipfile -e "$wheel" "$site"; done
  touch "$here/has-wheels"
fi

nanobind=$(dirname "$("$python" -m nanobind --include_dir)")
options=(-std=c++20 -O2 -fPIC -fvisibility=hidden -fno-math-errno -fno-trapping-math -ffp-contract=off -Wno-psabi -DNDEBUG
  -pthread -I"$root/usr/include/python3.11" -I"$root/usr/include" -idirafter "$root/usr/include/$cpu-linux-gnu" -Inative
  -I"$nanobind/include" -I"$nanobind/ext/robin_map/include")
objects=$here/objects package=$here/package
mkdir -p "$objects"
compile() { "$cpu-linux-gnu-g++" "${options[@]}" "$@"; }
for room in native/*/; do  # each folder as one source, as CMakeLists.txt has it
  for source in "$room"*.cpp; do
    case $source in *float64*) ;; *) echo "#include \"$PWD/$source\"" ;; esac
  done >"$objects/$(basename "$room").cpp"
done
compile -DSOFTWOOD_CALLS -c native/budding/online_update_float64.cpp -o "$objects/float64.o"
compile -c "$nanobind/src/nb_combined.cpp" -o "$objects/nanobind.o"
for source in "$objects"/*.cpp; do compile -c "$source" -o "${source%.cpp}.o"; done
rm -rf "$package"
mkdir -p "$package"
cp -r src/softwood "$package/"
rm -f "$package"/softwood/kernels/*.so
compile -shared "$objects"/*.o -o "$package/softwood/kernels/_native.cpython-311-$cpu-linux-gnu.so"

run() {  # arguments of Python on the other processor
  "qemu-$cpu" -cpu max -L "$root" -E PYTHONPATH="$package:$site:$PWD" -E OPENBLAS_NUM_THREADS=1 \
    -E SOFTWOOD_SIMD="${SOFTWOOD_SIMD:-}" "$root/usr/bin/python3.11" -W ignore "$@"
}
run -m tests.machines.trees "${1:-}" >"$here/hashes.json"
"$python" - "$here/hashes.json" tests/machines/golden_trees.json "$cpu" <<'EOS'
import json, sys
found, golden = (json.load(open(name)) for name in sys.argv[1:3])
differ = sorted(name for name in found if found[name] != golden.get(name))
print(f"{sys.argv[3]} by emulation: {len(found)} golden trees, {len(differ)} differ", *differ, sep="\n  ")
sys.exit(1 if differ or not found else 0)
EOS
