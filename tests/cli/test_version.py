"""`softwood --version` shows versions and kernels, also with `python -m`."""

from __future__ import annotations

import sys

from typer.testing import CliRunner

import softwood
from softwood.cli import app
from softwood.kernels.dispatch import kernels, simd
from tests import warm_process


def test_version_names_the_package_and_its_kernels() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    first, second, third = result.output.splitlines()
    assert first == f"softwood {softwood.__version__}"
    assert second == (f"kernels: {kernels} ({simd})" if simd else f"kernels: {kernels}")
    assert third.startswith("Python ")
    assert "numpy" in third
    assert "scikit-learn" in third


def test_the_module_is_the_command() -> None:
    run = warm_process.run([sys.executable, "-m", "softwood", "--version"], check=True)
    assert run.stdout == CliRunner().invoke(app, ["--version"]).output


def test_the_version_is_the_one_of_the_installed_package() -> None:
    from importlib.metadata import version

    assert softwood.__version__ == version("softwood")
