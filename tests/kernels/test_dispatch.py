"""One way to choose a kernel: a native kernel has a reference of the same name and interface, or a learner's own."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from softwood import kernels
from softwood.kernels import arithmetic, reference
from softwood.kernels.arithmetic import reference as numpy_arithmetic
from softwood.kernels.dispatch import choose

NATIVE = pytest.mark.skipif(kernels.kernels != "native", reason="the native kernels are not built")
OF_LEARNERS = {"begin_fit", "end_fit", "gate_losses", "grow_discriminant", "make_split_features", "split_step"}


def signatures(kernel: Any) -> Iterator[tuple[str, Any]]:
    """Parameters and defaults of a function, or of all public methods; C++ functions take them by the same names."""
    if not inspect.isclass(kernel):
        if inspect.isfunction(kernel):  # others are bound in C++: some releases of nanobind give them a signature
            parameters = inspect.signature(kernel).parameters.values()
            yield "", [(each.name, each.default, each.annotation) for each in parameters]
        return
    for name, method in inspect.getmembers(kernel, inspect.isfunction):
        if name == "__init__" or not name.startswith("_"):
            yield from ((name, given) for _, given in signatures(method))


@pytest.mark.parametrize("name", reference.__all__)
def test_the_kernel_that_runs_is_the_reference_or_its_twin(name: str) -> None:
    mine = getattr(kernels, name)
    assert mine is choose(getattr(reference, name))
    assert (mine is getattr(reference, name)) == (kernels.kernels == "reference")
    assert name in kernels.__all__


@NATIVE
def test_a_native_kernel_without_a_reference_is_a_learner_s() -> None:
    from softwood.kernels import native

    assert set(native.__all__) == set(reference.__all__) | OF_LEARNERS
    assert all(getattr(kernels, name) is getattr(native, name) for name in OF_LEARNERS)


@NATIVE
@pytest.mark.parametrize("name", sorted(set(reference.__all__) - {"StoredPasses"}))  # its methods are bound in C++
def test_twins_have_one_interface(name: str) -> None:
    wanted, found = dict(signatures(getattr(reference, name))), dict(signatures(getattr(kernels, name)))
    assert all(found[method] == wanted[method] for method in found)
    assert found or not inspect.isclass(getattr(kernels, name))


def test_without_native_code_a_learner_s_own_kernel_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    from softwood.kernels import dispatch

    monkeypatch.setattr(dispatch, "native", None)
    assert dispatch.find_native("split_step") is None
    assert choose(reference.hash_rows) is reference.hash_rows


@NATIVE
def test_arithmetic_is_chosen_in_the_same_way() -> None:
    assert arithmetic.matmul is choose(numpy_arithmetic.matmul) is not numpy_arithmetic.matmul
