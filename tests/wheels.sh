#!/usr/bin/env bash
# Builds the sdist, the wheel from the sdist, mends and checks it, installs it without a compiler and tests it there.
#
#   PYTHON=python3.12 bash tests/wheels.sh        the wheel of another Python
#   SUITE=tests bash tests/wheels.sh              all tests instead of a selection
set -euo pipefail

python=${PYTHON:-python3}
tests=${SUITE:-tests/golden tests/test_budget.py tests/kernels tests/estimators/test_cart_laws.py}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$here/build/wheels
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
rm -rf "$out"
mkdir -p "$out"

# The sdist is made from what git knows, so that what lies about is not in it; the wheel is built from the sdist.
git -C "$here" ls-files -z --cached --others --exclude-standard >"$room/files"
mkdir "$room/source"
tar cf - -C "$here" --null --ignore-failed-read -T "$room/files" | tar xf - -C "$room/source"
# Built by the tools of .ci/build.txt and no others: each has its version and its hash there.
"$python" -m venv "$room/tools"
"$room/tools/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --requirement "$here/.ci/build.txt"
env PATH="$room/tools/bin:$PATH" CCACHE_BASEDIR="$room" \
  "$room/tools/bin/python" -m build --no-isolation --outdir "$room/made" "$room/source"

wheel=$(ls "$room"/made/*.whl)
"$python" -m zipfile -l "$wheel" | grep -q 'softwood/kernels/_native' || { echo "the wheel has no compiled kernels" >&2; exit 1; }
"$python" -m zipfile -l "$wheel" | grep -q 'dist-info/sboms/softwood.cdx.json' || { echo "the wheel does not list what is compiled in" >&2; exit 1; }
if [ "$(uname)" = Linux ]; then
  "$python" -m auditwheel repair --wheel-dir "$out" "$wheel"
else
  cp "$wheel" "$out"
fi
cp "$room"/made/*.tar.gz "$out"
wheel=$(ls "$out"/*.whl)
case $wheel in *abi3*) "$python" -m abi3audit --strict "$wheel" ;; esac
"$python" -m twine check --strict "$out"/*

# An empty environment whose path holds Python and nothing else: nothing can be compiled there.
"$python" -m venv "$room/.venv"
mkdir "$room/empty"
env PATH="$room/.venv/bin:$room/empty" CC=/bin/false CXX=/bin/false \
  "$room/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
env PATH="$room/.venv/bin:$room/empty" CC=/bin/false CXX=/bin/false \
  "$room/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "$wheel"
(cd "$room/empty" && "$room/.venv/bin/softwood" --version | tee version && grep -qx 'kernels: native' version)
"$room/.venv/bin/python" -m pip install --quiet --disable-pip-version-check pytest pytest-xdist hypothesis pandas polars pyarrow safetensors skops cloudpickle
cp -r "$here/tests" "$here/docs" "$here/native" "$here/pyproject.toml" "$here/conftest.py" "$here"/*.md "$here/bench" "$room/empty/"
(cd "$room/empty" && "$room/.venv/bin/python" -m pytest -q -p no:cacheprovider $tests)
ls -l "$out"
echo "The wheel installs without a compiler and passes the tests there."
