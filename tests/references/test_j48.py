"""The same trees as Weka's J48, line by line.

What J48 prints lies in j48/<set>.txt, a section for every set of options. It was made by Weka 3.9.7 on the sets below,
written as ARFF (numbers by repr, categories sorted, `?` for a missing value):

    java -cp weka.jar weka.classifiers.trees.J48 -t <set>.arff -no-cv <options>

C5.0 (R's C50) is another method: global pruning, its own way with ties. What it prints for iris is compared by rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from softwood import C45Classifier, Tree
from softwood.kernels.kinds import Score
from softwood.tree.wording import Wording

from .test_c45 import fitted, golf, lenses, weather

PRINTED = Path(__file__).parent / "j48"
OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    "-U": {"confidence": None},
    "-C 0.1": {"confidence": 0.1},
    "-S": {"subtree_raising": False},
    "-M 5": {"min_cases": 5},
    "-doNotMakeSplitPointActualValue": {"thresholds": "middle"},
}


def numbers(load: Any, gaps: bool = False) -> pd.DataFrame:
    """A set of scikit-learn; with gaps every seventh value is missing."""
    data = load()
    values = data.data.astype(float)
    if gaps:
        values = np.where(np.arange(values.size).reshape(values.shape) % 7 == 3, np.nan, values)
    names = [str(name).replace(" (cm)", "").replace(" ", "").replace("/", "_") for name in data.feature_names]
    return pd.DataFrame(values, columns=names).assign(kind=data.target_names.astype(str)[data.target])


def mixed() -> pd.DataFrame:
    """Categories and numbers with gaps, by arithmetic alone."""
    i = np.arange(120)
    kind = np.array(["a", "b", "c", "d"], object)[(i * i + i // 7) % 4]
    size, rank = (i * 37 % 101) / 4, (i * 53 % 29).astype(float)
    label = np.where((kind == "b") | ((size > 12) & (rank < 20)) | (i % 17 == 0), "yes", "no")
    kind[i % 9 == 4], size[i % 8 == 1], rank[i % 13 == 6] = None, np.nan, np.nan
    return pd.DataFrame({"kind": kind, "size": size, "rank": rank, "label": label})


SETS = {
    "weather": weather,
    "golf": golf,
    "lenses": lenses,
    "iris": lambda: numbers(load_iris),
    "iris_gaps": lambda: numbers(load_iris, gaps=True),
    "wine": lambda: numbers(load_wine),
    "wine_gaps": lambda: numbers(load_wine, gaps=True),
    "cancer": lambda: numbers(load_breast_cancer),
    "mixed": mixed,
}


def as_j48(tree: Tree) -> list[str]:
    """The tree as J48 prints it."""
    words = Wording(tree)
    lines = [f": {leaf(tree, 0)}"] if tree.n_nodes == 1 else []
    for node in list(tree.walk())[1:]:
        gate = int(tree.parent[node])
        rule = words.rule(node)
        if tree.score[gate] == Score.THRESHOLD:
            sign = "<=" if node == tree.first_child[gate] else ">"
            rule = f"{tree.schema.features[tree.feature[gate]]} {sign} {spell(tree.threshold[gate], 6)}"
        end = "" if tree.n_children[node] else f": {leaf(tree, node)}"
        lines.append("|   " * (int(tree.node_depth[node]) - 1) + rule + end)
    return lines


def leaf(tree: Tree, node: int) -> str:
    n, share = float(tree.count[node]), tree.response[node]
    wrong = n * (1.0 - float(share.max()))
    errors = f"/{spell(wrong, 2, 1)}" if wrong > 1e-9 else ""
    return f"{tree.schema.answers[share.argmax()]} ({spell(n, 2, 1)}{errors})"


def spell(number: float, digits: int, least: int = 0) -> str:
    """At most `digits` decimals, at least `least`, without needless zeros."""
    whole, _, decimals = f"{number:.{digits}f}".partition(".")
    decimals = decimals.rstrip("0").ljust(least, "0")
    return f"{whole}.{decimals}" if decimals else whole


def printed_by_j48(name: str) -> dict[str, list[str]]:
    """Options and lines."""
    sections = (PRINTED / f"{name}.txt").read_text(encoding="utf-8").split("== J48")[1:]
    parts = (section.rstrip("\n").split("\n") for section in sections)
    return {head.strip(): lines for head, *lines in parts}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", SETS)
def test_same_tree_as_j48(name: str, options: str) -> None:
    assert as_j48(fitted(SETS[name](), **OPTIONS[options]).tree_) == printed_by_j48(name)[options]


def c50(rows: pd.DataFrame, tree: list[tuple[str, str]]) -> list[str]:
    """What a C5.0 tree, as a list of leaves (query, class), says about rows."""
    answer = pd.Series("", index=rows.index)
    for query, kind in tree:
        answer[rows.query(query).index] = kind
    return answer.tolist()


def test_c50_without_global_pruning_answers_the_same_on_iris() -> None:
    """What C5.0 2.07 prints, by R's C5.0Control(noGlobalPruning = TRUE, minCases = 1).

        Petal.Length <= 1.9: setosa (50)
        Petal.Length > 1.9:
        :...Petal.Width > 1.7: virginica (46/1)
            Petal.Width <= 1.7:
            :...Petal.Length <= 4.9: versicolor (48/1)
                Petal.Length > 4.9:
                :...Petal.Width <= 1.5: virginica (3)
                    Petal.Width > 1.5:
                    :...Petal.Length <= 5.4: versicolor (2)
                        Petal.Length > 5.4: virginica (1)

    Two of its tests are others that divide the rows alike: petal length for petal width at the root (which pays more
    for being chosen among 43 values than petal width among 22), petal for sepal length below.
    """
    rows = numbers(load_iris)
    said = c50(
        rows,
        [
            ("petallength <= 1.9", "setosa"),
            ("petallength > 1.9 and petalwidth > 1.7", "virginica"),
            ("petallength > 1.9 and petallength <= 4.9 and petalwidth <= 1.7", "versicolor"),
            ("petallength > 4.9 and petalwidth <= 1.5", "virginica"),
            ("petallength > 4.9 and petallength <= 5.4 and petalwidth > 1.5 and petalwidth <= 1.7", "versicolor"),
            ("petallength > 5.4 and petalwidth > 1.5 and petalwidth <= 1.7", "virginica"),
        ],
    )
    model = C45Classifier(min_cases=1).fit(rows.iloc[:, :-1], rows["kind"])
    assert model.predict(rows.iloc[:, :-1]).tolist() == said
    leaf_sizes = sorted(model.tree_.count[model.tree_.n_children == 0].tolist())
    assert leaf_sizes == [1, 2, 3, 46, 48, 50]


def test_c50_prunes_iris_further() -> None:
    """By default C5.0 2.07 also prunes by the error of the whole tree: its last gate is gone.

        Petal.Length > 4.9: virginica (6/2)

    C4.5 keeps it: two leaves of 3 cases, of which one errs. The six rows are the only ones that the two trees divide
    otherwise, and on the three with a petal width above 1.5 they disagree.
    """
    rows = numbers(load_iris)
    said = c50(
        rows,
        [
            ("petallength <= 1.9", "setosa"),
            ("petallength > 1.9 and petalwidth > 1.7", "virginica"),
            ("petallength > 1.9 and petallength <= 4.9 and petalwidth <= 1.7", "versicolor"),
            ("petallength > 4.9 and petalwidth <= 1.7", "virginica"),
        ],
    )
    model = fitted(rows)
    differ = model.predict(rows.iloc[:, :-1]) != np.array(said)
    inside = (rows.petallength > 4.9) & (rows.petalwidth <= 1.7)
    assert inside.sum() == 6
    assert differ.sum() == (inside & (rows.petalwidth > 1.5)).sum() == 3
    assert differ[inside].sum() == differ.sum()
