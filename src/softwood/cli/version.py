"""`softwood --version`: version and environment, for bug reports."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Annotated

import typer

from softwood import __version__
from softwood.kernels.dispatch import kernels, simd


def describe() -> str:
    """Version, kernels, and the versions of dependencies."""
    below = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scikit-learn"))
    how = f"{kernels} ({simd})" if simd else kernels
    return f"softwood {__version__}\nkernels: {how}\nPython {platform.python_version()}, {below}"


def _show(wanted: bool) -> None:
    if wanted:
        typer.echo(describe())
        raise typer.Exit


def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show, is_eager=True, help="Show versions and kernels, and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show Python's traceback on errors.")] = False,
) -> None:
    """Decision trees with hard or soft gates."""
