#!/usr/bin/env bash
# Without a C++ compiler softwood still installs, runs its NumPy kernels, and says so loudly, once.
set -euo pipefail

python=${PYTHON:-python3}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

git -C "$here" ls-files -z --cached --others --exclude-standard >"$room/files"  # thousands: too many for one command line
tar cf - -C "$here" --null --ignore-failed-read -T "$room/files" | tar xf - -C "$room"
"$python" -m venv "$room/.venv"
mkdir "$room/empty"
# A path that holds Python and nothing else, and compilers that fail should anybody name them outright.
env PATH="$room/.venv/bin:$room/empty" CC=/bin/false CXX=/bin/false \
  "$room/.venv/bin/python" -m pip install --quiet --disable-pip-version-check "$room"

cd "$room/empty"
said=$("$room/.venv/bin/softwood" --version 2>warnings)
cat warnings
echo "$said"
grep -qx 'kernels: reference' <<<"$said" || { echo "want kernels: reference" >&2; exit 1; }
[ "$(grep -c 'RuntimeWarning: softwood runs on its slow NumPy kernels' warnings)" = 1 ] || {
  echo "want one RuntimeWarning about the NumPy kernels" >&2; exit 1; }
env SOFTWOOD_KERNELS=reference "$room/.venv/bin/python" -W error -c 'import softwood'
# From rows to rules: growing, pruning, surrogates and prediction, all on the reference.
"$room/.venv/bin/softwood" demo 2>/dev/null | grep 'Test accuracy'
echo "softwood installs and runs without a compiler."
