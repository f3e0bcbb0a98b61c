"""A small folder of data sets, made for the test."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest

PUBLISHED = """test,rep1,rep2,rep3,rep4,rep5
1,,,,,
0,1,1,1,2,2
0,1,2,2,1,2
0,2,1,2,2,1
0,2,2,1,1,1
1,,,,,
"""
BOSTON = "a,b,target\n1,2,10\n2,,20\n3,4,30\n4,5,40\n5,6,50\n6,7,60\n"


def pack(path: Path, text: str) -> str:
    """Write a packed file; its checksum."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = gzip.compress(text.encode())
    path.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Boston with published folds, glass without, and a manifest."""
    boston = pack(tmp_path / "boston.csv.gz", BOSTON)
    pack(tmp_path / "splits" / "boston.csv.gz", PUBLISHED)
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{c}" for (a, b), c in zip(rng.normal(size=(90, 2)), "123" * 30, strict=True)]
    glass = pack(tmp_path / "glass.csv.gz", "\n".join(["RI,Na,target", *lines]) + "\n")
    (tmp_path / "MANIFEST.csv").write_text(f"name,sha256\nboston,{boston}\nglass,{glass}\n")
    return tmp_path
