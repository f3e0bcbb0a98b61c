"""Output of C4.5 and Weka's J48 on the data of their books.

J48: Witten, Frank, Hall, Pal: Data Mining (weather, contact lenses, iris; default options). C4.5: Quinlan 1993, section
3.3 (golf with a missing outlook).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from softwood import C45Classifier, Tree
from softwood.kernels import reference
from softwood.kernels.contracts.c45 import C45Growth
from softwood.kernels.reference.c45 import GrowOptions
from softwood.parts.pessimism import pessimistic_errors
from softwood.tree.wording import Wording

WEATHER = """sunny 85 85 false no, sunny 80 90 true no, overcast 83 86 false yes, rainy 70 96 false yes,
rainy 68 80 false yes, rainy 65 70 true no, overcast 64 65 true yes, sunny 72 95 false no, sunny 69 70 false yes,
rainy 75 80 false yes, sunny 75 70 true yes, overcast 72 90 true yes, overcast 81 75 false yes, rainy 71 91 true no"""
AGES, EYES = ("young", "pre-presbyopic", "presbyopic"), ("myope", "hypermetrope")
LENSES = """none soft none hard none soft none hard none soft none hard none soft none none
none none none hard none soft none none"""


def weather() -> pd.DataFrame:
    table = pd.DataFrame(
        [row.split() for row in WEATHER.split(",")], columns=["outlook", "temperature", "humidity", "windy", "play"]
    )
    return table.astype({"temperature": float, "humidity": float})


def golf() -> pd.DataFrame:
    """Quinlan's golf data are the weather data; here the twelfth outlook is not known."""
    table = weather()
    table.loc[11, "outlook"] = None
    return table


def lenses() -> pd.DataFrame:
    rows = [(a, e, s, t) for a in AGES for e in EYES for s in ("no", "yes") for t in ("reduced", "normal")]
    return pd.DataFrame(rows, columns=["age", "prescription", "astigmatism", "tears"]).assign(lens=LENSES.split())


def printed(tree: Tree) -> list[str]:
    """The tree as J48 prints it: a line a branch, leaves with their class and (cases / errors)."""
    words, lines = Wording(tree), []
    for node in list(tree.walk())[1:]:
        line = "|   " * (int(tree.node_depth[node]) - 1) + words.rule(node)
        if not tree.n_children[node]:
            n, share = tree.count[node], tree.response[node]
            wrong = n * (1 - share.max())
            line += f": {tree.schema.answers[share.argmax()]} ({n:.1f}" + (f"/{wrong:.1f})" if wrong > 1e-9 else ")")
        lines.append(line)
    return lines


def fitted(table: pd.DataFrame, **options: Any) -> C45Classifier:
    return C45Classifier(**options).fit(table.iloc[:, :-1], table.iloc[:, -1])


def test_weather() -> None:
    assert printed(fitted(weather()).tree_) == [
        "outlook = overcast: yes (4.0)",
        "outlook = rainy",
        "|   windy = false: yes (3.0)",
        "|   windy = true: no (2.0)",
        "outlook = sunny",
        "|   humidity ≤ 75: yes (2.0)",
        "|   humidity > 75: no (3.0)",
    ]


def test_contact_lenses() -> None:
    assert printed(fitted(lenses()).tree_) == [
        "tears = normal",
        "|   astigmatism = no: soft (6.0/1.0)",
        "|   astigmatism = yes",
        "|   |   prescription = hypermetrope: none (3.0/1.0)",
        "|   |   prescription = myope: hard (3.0)",
        "tears = reduced: none (12.0)",
    ]


def test_iris() -> None:
    data = load_iris()
    table = pd.DataFrame(data.data, columns=["sepallength", "sepalwidth", "petallength", "petalwidth"])
    assert printed(fitted(table.assign(kind=data.target_names[data.target])).tree_) == [
        "petalwidth ≤ 0.6: setosa (50.0)",
        "petalwidth > 0.6",
        "|   petalwidth ≤ 1.7",
        "|   |   petallength ≤ 4.9: versicolor (48.0/1.0)",
        "|   |   petallength > 4.9",
        "|   |   |   petalwidth ≤ 1.5: virginica (3.0)",
        "|   |   |   petalwidth > 1.5: versicolor (3.0/1.0)",
        "|   petalwidth > 1.7: virginica (46.0/1.0)",
    ]


def test_golf_with_a_missing_outlook() -> None:
    """Quinlan's tree: the fractional case shows as 3.4/0.4 and 2.4/0.4."""
    model = fitted(golf())
    assert printed(model.tree_) == [
        "outlook = overcast: yes (3.2)",
        "outlook = rainy",
        "|   windy = false: yes (3.0)",
        "|   windy = true: no (2.4/0.4)",
        "outlook = sunny",
        "|   humidity ≤ 75: yes (2.0)",
        "|   humidity > 75: no (3.4/0.4)",
    ]
    asked = pd.DataFrame([["sunny", 70.0, np.nan, "false"]], columns=["outlook", "temperature", "humidity", "windy"])
    np.testing.assert_allclose(model.predict_proba(asked), [[0.56, 0.44]], atol=0.005)


def test_gain_and_ratio_of_golf_with_a_missing_outlook() -> None:
    """Section 3.3: gain 0.199 bits, split information 1.809 bits, ratio 0.110."""
    outlook = golf()["outlook"].map({"overcast": 0.0, "rainy": 1.0, "sunny": 2.0}).to_numpy()[:, None]
    code = (golf()["play"] == "yes").to_numpy().astype(np.int32)
    growing = GrowOptions(outlook, np.array([3], np.int32), code, np.ones(14), 2, C45Growth())
    test = growing.category(0, np.arange(14), np.ones(14))
    assert test is not None
    assert (round(test.gain, 3), round(test.info, 3), round(test.ratio, 3)) == (0.199, 1.809, 0.11)


def test_pessimistic_errors_of_the_book() -> None:
    """Section 4.2: leaves of 6, 9 and 1 cases without errors; U25%(0, 6) = 0.206, (0, 9) = 0.143, (0, 1) = 0.750."""
    rates = [pessimistic_errors(n, 0, 0.25) / n for n in (6, 9, 1)]
    np.testing.assert_allclose(rates, [0.206, 0.143, 0.750], atol=5e-4)
    assert 16 * round(pessimistic_errors(16, 1, 0.25) / 16, 3) == pytest.approx(16 * 0.157, abs=0.2)


def test_the_reference_grows_the_same_iris() -> None:
    data = load_iris()
    grown = reference.grow_c45(
        data.data, np.zeros(4, np.int32), data.target.astype(np.int32), np.ones(150), 3, C45Growth()
    )
    assert grown.feature[0] == 3
