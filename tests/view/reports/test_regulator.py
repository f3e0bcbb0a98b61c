"""What a regulator asks of a report: proofs, stability, points, hashes, a PDF; each measured a second way."""

from __future__ import annotations

import hashlib
import html
import json
import re
import shutil
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pyarrow
import pytest

from softwood import CARTClassifier, CARTRegressor, SoftTreeClassifier, report, scorecard, summary
from softwood.stats import population_stability_index
from softwood.tree.proofs import recorded_certificate
from softwood.view.plots.scene import look_at
from softwood.view.reports import card, pdf
from softwood.view.reports.digest import rows_digest
from softwood.view.reports.groups import _below_four_fifths
from softwood.view.reports.stability import find_shifts, notes_on_training
from tests.conftest import CHROMIUM


@pytest.fixture(autouse=True)
def no_screen() -> None:
    mpl.use("Agg")


def loans(n: int, seed: int) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"debt": rng.gamma(2, 0.2, n).round(3), "months": rng.choice([12.0, 24.0, 60.0], n)})
    frame["home"] = rng.choice(["own", "rent"], n)
    frame.loc[::17, "months"] = np.nan
    score = 1.5 - 3 * frame["debt"] - 0.03 * frame["months"].fillna(30) + 0.8 * (frame["home"] == "own")
    return frame, np.where(rng.random(n) < 1 / (1 + np.exp(-score)), "paid", "late")


X, y = loans(400, 0)
X_TEST, Y_TEST = loans(150, 1)
DEBT = {"debt": -1}


@pytest.fixture(scope="module")
def cart() -> CARTClassifier:
    return CARTClassifier(monotonic_cst=DEBT, max_leaves=4, prune=None).fit(X, y)


@pytest.fixture(scope="module")
def additive() -> SoftTreeClassifier:
    return SoftTreeClassifier(max_leaves=1, leaf="linear", monotonic_cst=DEBT).fit(X, y)


def cells(page: str, heading: str) -> list[list[str]]:
    """The lines of the first table below a heading."""
    part = page[page.index(f"<h3>{heading}</h3>") :]
    rows = re.findall(r"<tr>(.*?)</tr>", part[: part.index("</table>")])
    return [[html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows[1:]]


@pytest.mark.usefixtures("without_pictures")
def test_proofs_points_and_hashes_are_in_the_report(cart: CARTClassifier, tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    X_TEST.to_csv(table)
    text = report(cart, X_TEST, Y_TEST, X_train=X, files=[table], n_worst=0, path=tmp_path / "r.html").html
    assert "proved: the prediction never increases with debt" in text
    assert ["debt", "never increases", "never increases"] in cells(text, "Monotone constraints")
    assert [line[-1] for line in cells(text, "Scorecard")] == [
        f"{each['points']:.0f}" for each in scorecard(cart, whole=True)
    ]
    assert ["rows.csv", f"{table.stat().st_size:,}", hashlib.sha256(table.read_bytes()).hexdigest()] == [
        html.unescape(cell) for cell in re.findall(r"<td>([^<]*)</td>", text[text.index(">rows.csv<") - 4 :])[:3]
    ]
    moved = cells(text, "Stability")
    index = population_stability_index(cart.predict_proba(X)[:, 1], cart.predict_proba(X_TEST)[:, 1])
    assert moved[0][0] == "probability of paid"
    assert moved[0][3] == f"{index:.3f}"


def test_the_certificate_of_the_tree_as_it_is(cart: CARTClassifier, additive: SoftTreeClassifier) -> None:
    for model in (cart, additive):
        assert recorded_certificate(model.tree_).holds  # type: ignore[union-attr]
        assert "monotone      proved: never increases with debt" in summary(model)
    assert recorded_certificate(CARTClassifier(prune=None).fit(X, y).tree_) is None
    by_place = CARTRegressor(monotonic_cst=[-1, 0], prune=None).fit(X[["debt", "months"]], y == "paid")
    assert recorded_certificate(by_place.tree_).signs == DEBT  # type: ignore[union-attr]
    turned = cart.tree_.replace(response=cart.tree_.response[:, ::-1].copy())
    assert "not proved" in summary(turned)


def test_stability_counts_missing_values_and_levels(cart: CARTClassifier) -> None:
    scene = look_at(cart, X_TEST, Y_TEST, wanted_by="report")
    training = look_at(cart, X, y, wanted_by="report").rows
    found = {one.name: one.psi for one in find_shifts(scene, training)}
    shares = [np.append(frame["home"].value_counts(normalize=True).sort_index(), []) for frame in (X, X_TEST)]
    assert found["home"] == pytest.approx(float(((shares[1] - shares[0]) * np.log(shares[1] / shares[0])).sum()))
    bins = [pd.cut(frame["months"], [-1, 12, 24, 99]).value_counts(dropna=False, sort=False) for frame in (X, X_TEST)]
    p, q = (np.array(each, float) / each.sum() for each in bins)
    assert found["months"] == pytest.approx(float(((q - p) * np.log(q / p)).sum()))
    same = find_shifts(look_at(cart, X, y, wanted_by="report"), training)
    assert max(one.psi for one in same) == pytest.approx(0, abs=1e-12)
    without = [one.name for one in find_shifts(scene, None)]
    assert without == ["share per leaf", "home"]


def test_training_rows_that_are_not_those_of_the_model_are_noted(cart: CARTClassifier) -> None:
    scene = look_at(cart, X[:50], y[:50], wanted_by="report")
    notes = notes_on_training(scene, scene.rows)
    assert notes[0] == "The model was learned from 400 rows; X_train has 50."
    assert "100.0% of these rows are also training rows" in notes[1]


@pytest.mark.usefixtures("without_pictures")
def test_the_card_of_an_additive_model_counts_by_the_training_rows(
    additive: SoftTreeClassifier, tmp_path: Path
) -> None:
    text = report(additive, X_TEST, Y_TEST, X_train=X, n_worst=0, path=tmp_path / "r.html").html
    lines, card = cells(text, "Scorecard"), scorecard(additive, X)
    assert [line[2] for line in lines] == [f"{each['rows']:.0f}" for each in card]
    assert [float(line[3].replace("−", "-")) for line in lines] == pytest.approx(
        [each["points"] for each in card], abs=0.005
    )


def test_the_digest_is_of_what_the_model_reads(cart: CARTClassifier) -> None:
    scenes = [look_at(cart, table, Y_TEST, wanted_by="report") for table in (X_TEST, pyarrow.Table.from_pandas(X_TEST))]
    first, second = (rows_digest(scene.tree.schema, scene.rows, scene.y) for scene in scenes)
    told = [list(X), ["number", "number", "category"], [None, None, ["own", "rent"]], ["late", "paid"]]
    values = np.column_stack([X_TEST["debt"], X_TEST["months"], X_TEST["home"] == "rent"]).astype(float)
    by_hand = json.dumps(told, separators=(",", ":")).encode() + values.tobytes()
    by_hand += (Y_TEST == "paid").astype(float).tobytes()
    assert first == second == hashlib.sha256(by_hand).hexdigest()


@pytest.mark.usefixtures("without_pictures")
def test_models_without_a_card_have_none(tmp_path: Path) -> None:
    numbers = CARTRegressor(max_leaves=3, prune=None).fit(X[["debt"]], X["debt"])
    text = report(numbers, X[["debt"]], X["debt"], n_worst=0, path=tmp_path / "r.html").html
    assert "<h3>Scorecard</h3>" not in text
    assert "The model was learned without constraints." in text


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: nothing prints.")
def test_a_report_as_pdf(cart: CARTClassifier, tmp_path: Path) -> None:
    page = report(cart, X_TEST, Y_TEST, n_worst=0, path=tmp_path / "r.html", to=tmp_path / "r.pdf")
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")
    assert page.path == tmp_path / "r.html"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.html", "r.pdf"]


def test_what_cannot_be_printed_is_said_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Any = object()  # looked at only after the printer was found
    with pytest.raises(ValueError, match=r"to must be a file that ends in \.pdf, got 'r\.html'"):
        report(nothing, X, y, to="r.html")
    with pytest.raises(ValueError, match=r"for a PDF pass to='r\.pdf'"):
        report(nothing, X, y, path="r.pdf")
    with pytest.raises(ValueError, match="which does not exist; name a file in a folder that exists"):
        report(nothing, X, y, to=tmp_path / "none" / "r.pdf")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(pdf, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"needs Chromium, Chrome or Edge on the PATH .* or WeasyPrint"):
        report(nothing, X, y, to=tmp_path / "r.pdf")


def test_a_browser_that_prints_nothing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "BROWSERS", ("true",))
    with pytest.raises(OSError, match=r"true printed no PDF \(exit code 0"):
        pdf.find_printer(tmp_path / "r.pdf")("<p>page</p>", tmp_path / "r.pdf")
    assert list(tmp_path.iterdir()) == []


def test_a_ratio_below_four_fifths_is_not_told_as_four_fifths() -> None:
    assert [_below_four_fifths(ratio) for ratio in (0.76, 0.797, 0.79996)] == ["0.76", "0.797", "0.79996"]


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"files": ["none.csv"]}, FileNotFoundError, "there is no 'none.csv'"),
        ({"n_worst": "a"}, ValueError, "n_worst must be a whole number of at least 0, got 'a'"),
        ({"notes": "short"}, TypeError, "notes must be a dict of headings and text, .*, got 'short'"),
        (
            {"path": "nowhere/r.html"},
            FileNotFoundError,
            "path='nowhere/r.html' is in a folder that does not exist; name",
        ),
    ],
)
def test_bad_options_are_told_before_the_work(
    cart: CARTClassifier, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], error: type[Exception], told: str
) -> None:
    monkeypatch.setattr(card, "_fill", lambda *_: pytest.fail("the page was filled"))
    with pytest.raises(error, match=told):
        report(cart, X_TEST, Y_TEST, **given)
