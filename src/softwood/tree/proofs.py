"""Monotone proofs of a finished tree: for the constraints of its fit, and for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from softwood.tree.monotone import MonotonicCertificate, certify
from softwood.tree.schema import Kind
from softwood.tree.tree import Tree

WORDS = {1: "never decreases", -1: "never increases"}


def recorded_certificate(tree: Tree, names: Sequence[str] | None = None) -> MonotonicCertificate | None:
    """The proof for the `monotonic_cst` of the fit, for the current tree; None without constraints.

    Parameters
    ----------
    names : of the inputs at fit, if the tree has other ones now.

    Examples
    --------
    >>> import numpy as np
    >>> from softwood import CARTRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> model = CARTRegressor(monotonic_cst=[1], cv=2).fit(X, X[:, 0] > 7)
    >>> spell_certificate(recorded_certificate(model.tree_))
    'proved: never decreases with x0'
    """
    given = None if tree.provenance is None else tree.provenance.parameters.get("monotonic_cst")
    signs = _signs(given, tree.schema.features if names is None else names)
    return certify(tree, signs) if any(signs) else None


def _signs(given: Any, names: Sequence[str]) -> list[int]:
    """One sign per input from a list, or a dict by name or index, as in JSON; zeros for none."""
    signs = [0] * len(names)
    if isinstance(given, Mapping):
        places = {str(place): place for place in range(len(names))} | {name: at for at, name in enumerate(names)}
        for key, sign in given.items():
            if str(key) in places:
                signs[places[str(key)]] = int(sign)
    elif isinstance(given, Sequence) and not isinstance(given, str) and len(given) == len(names):
        signs = [int(sign) for sign in given]
    return signs


def spell_certificate(proof: MonotonicCertificate) -> str:
    """The proof in one line: proved or not, and for which inputs."""
    told = (f"{WORDS[sign]} with {name}" for name, sign in proof.signs.items())
    return f"{'proved' if proof.holds else 'not proved'}: {', '.join(told)}"


def proved_direction(tree: Tree, feature: int) -> int:
    """1 if it is proved that the prediction never decreases with an input, -1 if it never increases, else 0.

    An unordered category has no direction: its codes follow the alphabet.
    """
    if tree.schema.kinds[feature] == Kind.CATEGORY:
        return 0
    for sign in (1, -1):
        if certify(tree, [sign * (f == feature) for f in range(tree.n_features)]).holds:
            return sign
    return 0


def spell_direction(tree: Tree, feature: int, none: str) -> str:
    """What is proved of an input, in words; `none` where nothing is."""
    if tree.schema.kinds[feature] == Kind.CATEGORY:
        return "has no order"
    return WORDS.get(proved_direction(tree, feature), none)
