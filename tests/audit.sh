#!/usr/bin/env bash
# Known vulnerabilities of what is installed (PyPI's advisories, by pip-audit), and of the tools that build wheels.
# Where the advisories cannot be reached nothing was checked: it says so and ends with 3.
set -uo pipefail
python=${PYTHON:-python3}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
said=$(mktemp)
trap 'rm -f "$said"' EXIT
failed=0
audit() { # what, options of pip-audit …
  local what=$1
  shift
  "$python" -m pip_audit --progress-spinner off --timeout 10 "$@" >"$said" 2>&1
  local code=$?
  cat "$said"
  if grep -q "No known vulnerabilities found" "$said" && ! grep -q "could not be audited: \(numpy\|nanobind\) " "$said"; then
    echo "$what: nothing is known."
  elif grep -qiE "could not be audited: (numpy|nanobind) |ConnectionError|Max retries|resolve|timed out" "$said"; then
    echo "$what: NOT CHECKED, the database of advisories cannot be reached from here." >&2
    [ $failed = 1 ] || failed=3
  elif [ $code != 0 ]; then
    failed=1
  fi
}
audit "what is installed" --local --skip-editable
audit "the tools that build wheels" --requirement "$here/.ci/build.txt" --require-hashes --no-deps
exit $failed
