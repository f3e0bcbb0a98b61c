"""Which monotone proofs a finished tree carries: those that were asked for when it was learned, and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from softwood.tree.monotone import MonotonicCertificate, certify
from softwood.tree.schema import Kind
from softwood.tree.tree import Tree

WORDS = {1: "never decreases", -1: "never increases"}


def recorded_certificate(tree: Tree, names: Sequence[str] | None = None) -> MonotonicCertificate | None:
    """The proof for the `monotonic_cst` that the tree was learned with, made of the tree as it is now; None without.

    Parameters
    ----------
    names : of the inputs when it was learned, where the tree has other ones now.

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
    """One sign per input of a list, or a dict by name or place, as it stands in JSON; zeros for none."""
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
    """On one line: proved or not, and of which inputs."""
    told = (f"{WORDS[sign]} with {name}" for name, sign in proof.signs.items())
    return f"{'proved' if proof.holds else 'not proved'}: {', '.join(told)}"


def proved_direction(tree: Tree, feature: int) -> int:
    """1 where it is proved that the prediction never decreases with an input, -1 never increases, 0 neither.

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
