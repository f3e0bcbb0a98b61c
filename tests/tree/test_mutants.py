"""Trees of every kind with one field broken: each is refused in words, or answers with finite numbers.

    python -m tests.tree.test_mutants --cases 100000 --seed 4     many more trees, and several fields broken at once

The mutants run in a child process, so that one that passes the checks and crashes is a finding, not the end.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

TESTS = Path(__file__).resolve().parents[1]
SEEDS = range(4)  # a tree of all kinds of gates, a hard one, a smooth one, one that native code checks alone
LARGE, SMALL = 2**31 - 1, -(2**31)
AT_ONCE = 600  # mutants of a tree with two or three fields broken


def linear_tree() -> Any:
    """A linear sigmoid of two numbers and a threshold below it."""
    from softwood import Basis, Schema, Tree
    from softwood.kernels.kinds import Score, Squash

    return Tree(
        response=np.arange(5.0)[:, None], schema=Schema.plain(2, 1), first_child=[1, 3, -1, -1, -1],
        n_children=[2, 2, 0, 0, 0], score=[Score.LINEAR, Score.THRESHOLD, 0, 0, 0], squash=[Squash.SIGMOID, 0, 0, 0, 0],
        feature=[-1, 1, -1, -1, -1], threshold=[np.nan, 0.5, np.nan, np.nan, np.nan], basis=Basis.identity(2),
        weight_begin=[0, 2, 2, 2, 2, 2], weight_column=[0, 1], weight=[1.0, -2.0],
    )  # fmt: skip


def mutants_of(array: np.ndarray, rng: np.random.Generator) -> Iterator[Any]:
    """The array with one number, its dtype, its size or its shape changed; or something else in its place."""
    n = len(array)
    numbers = [np.nan, np.inf, -np.inf, -1.0, 1e300, 0.5] if array.dtype.kind == "f" else [-1, -2, 1, 3, 200]
    if array.dtype.kind != "f":
        numbers += [n, LARGE, SMALL, 2**40, -(2**63)]
    for number in numbers if array.size else ():
        for at in ((0,) * array.ndim, tuple(int(rng.integers(size)) for size in array.shape)):
            changed = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
            changed[at] = number
            yield changed
    with np.errstate(invalid="ignore"):
        yield from [array.astype(kind) for kind in (np.float32, np.complex128, object, "U8", np.bool_)]
    yield from (array[None], array[..., None], np.zeros((n, 0)), np.zeros((n + 1, 0)), np.zeros((2, 0)), array[:-1])
    yield from (np.concatenate([array, array]), np.zeros(0), np.zeros(100_000), array.ravel(), array[::-1])
    yield from (None, "text", 1.0, [[1.0], 2.0], [2**70], {"a": 1}, object())
    if array.ndim == 1 and n > 4 and array.dtype.kind == "i":  # rises, if differences wrap
        yield np.array([0, LARGE, -2, *array[3:]], np.int64)
        yield np.arange(n)  # cycles and shared children


def mutate(state: dict[str, Any], rng: np.random.Generator) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every field of a struct, broken in turn."""
    for name, value in state.items():
        if isinstance(value, np.ndarray):
            yield from ((name, state | {name: mutant}) for mutant in mutants_of(value, rng))
        else:
            strange = (None, 7, "text", (), (1,), [3], -1, 2**70, np.zeros(3), object())
            yield from ((name, state | {name: mutant}) for mutant in strange)
        yield f"no {name}", {key: kept for key, kept in state.items() if key != name}
    yield "strange", state | {"strange": 1}


def ways_in(struct: Any, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """Mutants of a struct, each as a call that builds it: by its class, and as a file is read."""
    kind, state = type(struct), dict(vars(struct))
    state = {name: state[name] for name in kind.__dataclass_fields__}
    for name, broken in mutate(state, rng):

        def read(kind: Any = kind, broken: Any = broken) -> Any:
            made = kind.__new__(kind)
            made.__setstate__(broken)
            return made

        yield f"{kind.__name__}({name})", lambda kind=kind, broken=broken: kind(**broken)
        yield f"{kind.__name__} file ({name})", read


def shuffled(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The array with entries exchanged, repeated or drawn anew, of the right shape and dtype."""
    changed, how = array.copy(), int(rng.integers(4))
    if not changed.size:
        return changed
    flat = changed.reshape(-1)
    at = rng.integers(flat.size, size=2)
    if how == 0:
        flat[at] = flat[at[::-1]]
    elif how == 1:
        flat[at[0]] = flat[at[1]]
    elif how == 2 and flat.dtype.kind == "i":
        flat[at[0]] = rng.integers(-2, len(array) + 3)
    elif how == 2 and flat.dtype.kind == "f":
        flat[at[0]] = rng.choice([0.0, -1.0, 2.0, 1e-300, 1e300, np.nan, np.inf, -np.inf])
    else:
        rng.shuffle(flat)
    return changed


def broken_at_once(tree: Any, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """Mutants of which two or three fields are broken, each in a way that may hide the other."""
    state = {name: vars(tree)[name] for name in type(tree).__dataclass_fields__}
    arrays = [name for name, value in state.items() if isinstance(value, np.ndarray)]
    for _ in range(AT_ONCE):
        names = rng.choice(arrays, int(rng.integers(2, 4)), replace=False)
        broken = state | {name: shuffled(state[name], rng) for name in names}
        yield f"Tree({' and '.join(names)})", lambda broken=broken: type(tree)(**broken)


def mutant_trees(tree: Any, rng: np.random.Generator) -> Iterator[tuple[str, Any]]:
    """Mutants of the tree and of the structs in it."""
    yield from ways_in(tree, rng)
    for name in ("basis", "surrogates", "schema"):
        for told, make in ways_in(getattr(tree, name), rng):
            yield told, lambda name=name, make=make: tree.replace(**{name: make()})


def judge(told: str, make: Any, X: np.ndarray, found: list[str]) -> None:
    """A finding is a mutant that is neither refused in words nor answers, or that only native checks let pass."""
    from softwood import kernels

    try:
        tree = make()
    except (ValueError, TypeError):
        return
    except BaseException as problem:
        found.append(f"{told}: {problem!r}")
        return
    try:
        rows = X[:, : tree.n_features] if tree.n_features <= X.shape[1] else np.zeros((3, tree.n_features))
        good = np.isfinite(tree.predict(rows)).all() and np.isfinite(tree.reach(rows)).all()
        good &= bool(((tree.apply(rows) >= 0) & (tree.apply(rows) < tree.n_nodes)).all())
        is_valid, kernels.is_valid = kernels.is_valid, lambda tree: False
        pickle.loads(pickle.dumps(tree))
        kernels.is_valid = is_valid
        if not good:
            found.append(f"{told}: answers that are no numbers")
    except BaseException as problem:
        found.append(f"{told}: {problem!r}")


def judge_trees(seeds: range, every: int) -> None:
    """Judge mutants of these trees, all or every so many, and print what was found."""
    sys.path.insert(0, str(TESTS.parent))
    from tests.strategies import N_LEVELS, quarters, random_tree

    warnings.simplefilter("error")
    found: list[str] = []
    count = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        kind = seed % 4
        size = 5 + seed if seed < 4 else int(rng.integers(13))
        tree = linear_tree() if seed == 3 else random_tree(seed, size, hard=kind == 1, smooth=kind == 2)
        X = quarters(rng, (40, len(N_LEVELS)))
        X[rng.random(X.shape) < 0.2] = np.nan
        mutants = chain(mutant_trees(tree, rng), broken_at_once(tree, rng))
        for told, make in islice(mutants, 0, None, every):
            print(f"{seed}: {told}", file=sys.stderr, flush=True)  # the last one is who ended the process
            judge(f"{seed}: {told}", make, X, found)
            count += 1
    print(json.dumps({"count": count, "found": found}))


def judge_apart(seeds: range, every: int = 1) -> dict[str, Any]:
    """The same in a child: how many there were, and what was found; a child that is harmed is a finding, too."""
    line = [sys.executable, __file__, "--seeds", str(seeds.start), str(seeds.stop), "--every", str(every)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode:
        return {"count": 0, "found": [f"ended with {done.returncode}: {done.stderr[-500:]}"]}
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def main() -> None:
    """Trees, one after the other, until there were as many mutants as asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=SEEDS.stop)
    parser.add_argument("--seeds", type=int, nargs=2, help="in this process: the trees of these seeds")
    parser.add_argument("--every", type=int, default=1, help="with --seeds: judge every so many of the mutants")
    given = parser.parse_args()
    if given.seeds:
        judge_trees(range(*given.seeds), given.every)
        return
    seed, count, found = given.seed, 0, list[str]()
    while count < given.cases and len(found) < 20:
        told = judge_apart(range(seed, seed + 1))
        seed, count, found = seed + 1, count + told["count"], found + told["found"]
        print(f"{count:,} mutants, trees {given.seed} to {seed - 1}, {len(found)} findings", flush=True)
    print("\n".join(found))
    sys.exit(bool(found))


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
def test_a_broken_tree_is_refused_or_answers(every: int) -> None:
    """Every third mutant of four kinds of trees, or all."""
    told = judge_apart(SEEDS, every)
    assert told["found"] == []
    assert told["count"] > 5000 / every


if __name__ == "__main__":
    main()
