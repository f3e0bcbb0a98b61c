"""The public interface: every name exists, and nothing is imported before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import softwood


def test_every_public_name_is_there() -> None:
    assert dir(softwood) == sorted(softwood.__all__)
    for name in softwood.__all__:
        assert getattr(softwood, name) is not None


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Forest'; it has Basis, Batches, Budding"):
        softwood.Forest  # noqa: B018  # reading it is the test


def test_importing_softwood_imports_no_estimator() -> None:
    program = "import sys, softwood; print(any(name.startswith('softwood.estimators') for name in sys.modules))"
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert said.strip() == "False"
