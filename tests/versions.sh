#!/usr/bin/env bash
# The tests with the oldest or the newest versions that softwood supports: bash tests/versions.sh oldest|newest.
#
# PYTHON chooses the interpreter (oldest: 3.11), SUITE the tests, WHEEL a wheel that is there instead of a build.
set -euo pipefail

which=${1:?oldest or newest}
python=${PYTHON:-python3}
tests=${SUITE:-tests/golden tests/intake tests/estimators tests/persistence tests/laws}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

"$python" -m venv "$room/.venv"
pip() { "$room/.venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
pip install --upgrade 'pip>=25.1'
# The lower bounds of pyproject.toml as they stand there, those of pictures and tables too: numpy>=1.26 becomes numpy==1.26.*.
"$room/.venv/bin/python" - "$here/pyproject.toml" >"$room/bounds" <<'P'
import re, sys, tomllib
project = tomllib.load(open(sys.argv[1], "rb"))["project"]
extras = project["optional-dependencies"]
for bound in [*project["dependencies"], *extras["tables"], *extras["view"]]:
    print(re.sub(r">=(\d+(?:\.\d+)*)", r"==\1.*", bound))
print("pandas==2.2.*", "polars==1.*", sep="\n")  # of that time: newer ones want a newer NumPy
P
if [ "$which" = newest ]; then : >"$room/bounds"; fi
CCACHE_BASEDIR=$here pip install --constraint "$room/bounds" "${WHEEL:-$here}"
if [ "$which" = newest ]; then pip install --upgrade --upgrade-strategy eager "${WHEEL:-$here}"; fi
pip install --constraint "$room/bounds" pytest pytest-xdist 'hypothesis>=6.100' pandas polars pyarrow 'safetensors>=0.4' skops cloudpickle matplotlib
"$room/.venv/bin/python" -m pip list --disable-pip-version-check | grep -iE '^(numpy|scipy|scikit-learn|narwhals|typer|rich|pandas|polars|pyarrow|matplotlib) '
cd "$here"
"$room/.venv/bin/python" --version
env -u PYTHONPATH PATH="$room/.venv/bin:$PATH" SCIPY_ARRAY_API=1 "$room/.venv/bin/python" -m pytest -q -n "${JOBS:-auto}" -p no:cacheprovider $tests
echo "softwood passes with the $which versions."
