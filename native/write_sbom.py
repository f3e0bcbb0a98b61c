"""What is compiled into the wheel, as a CycloneDX list in its metadata (PEP 770: .dist-info/sboms).

    python native/write_sbom.py <nanobind's folder> <compiler and its version> <file to write>

The module of kernels has our own sources, nanobind and the hash map that comes with it, read from their headers; what
is installed beside the wheel (NumPy, ...) stands in its METADATA. The same sources give the same file.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def read_version(header: Path, macro: str) -> str:
    """Major, minor and patch of a header's macros `<macro>_MAJOR` and so on."""
    text = header.read_text(encoding="utf-8")
    found = dict(re.findall(rf"#define {macro}_(MAJOR|MINOR|PATCH)\s+(\d+)", text))
    if len(found) != 3:
        raise SystemExit(f"{header} does not tell its version by {macro}_MAJOR, _MINOR and _PATCH.")
    return ".".join(found[part] for part in ("MAJOR", "MINOR", "PATCH"))


def component(name: str, version: str, purl: str, licence: str) -> dict[str, object]:
    """One entry of the list."""
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "licenses": [{"license": {"id": licence}}],
    }


def make_sbom(nanobind: Path, compiler: str) -> dict[str, object]:
    """The list: softwood, and what its module was linked with."""
    own = re.search(r'__version__ = "(.+)"', (ROOT / "src" / "softwood" / "release.py").read_text(encoding="utf-8"))
    if own is None:
        raise SystemExit("src/softwood/release.py has no __version__.")
    binding = read_version(nanobind / "include" / "nanobind" / "nanobind.h", "NB_VERSION")
    table = read_version(nanobind / "ext/robin_map/include/tsl/robin_growth_policy.h", "TSL_RH_VERSION")
    softwood = component("softwood", own[1], f"pkg:pypi/softwood@{own[1]}", "BSD-3-Clause")
    inside = [
        component("nanobind", binding, f"pkg:pypi/nanobind@{binding}", "BSD-3-Clause"),
        component("robin-map", table, f"pkg:github/Tessil/robin-map@v{table}", "MIT"),
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": softwood, "properties": [{"name": "softwood:compiler", "value": compiler}]},
        "components": inside,
        "dependencies": [
            {"ref": softwood["bom-ref"], "dependsOn": [each["bom-ref"] for each in inside]},
            *({"ref": each["bom-ref"]} for each in inside),
        ],
    }


if __name__ == "__main__":
    folder, compiler, file = sys.argv[1:]
    Path(file).write_text(json.dumps(make_sbom(Path(folder), compiler), indent=2) + "\n", encoding="utf-8")
