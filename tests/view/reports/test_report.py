"""A report holds what it promises, measured as others measure it, and no name in it is markup."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softwood import CARTClassifier, CARTRegressor, SoftTreeClassifier, report
from softwood.tree import Schema
from softwood.view.reports.groups import read_groups
from softwood.view.reports.measures import Answers, measure
from tests.view.plots import scenes

HEADINGS = [
    "Model details", "Intended use", "Factors", "Metrics", "Evaluation data", "Quantitative analyses", "The tree",
    "Largest errors", "Ethical considerations", "Caveats and recommendations", "Settings and versions",
]  # fmt: skip
VOID = {"meta", "br", "img", "path", "use"}


@pytest.fixture(autouse=True)
def no_screen() -> None:
    mpl.use("Agg")


@pytest.fixture(scope="module")
def cancer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    mpl.use("Agg")
    data = load_breast_cancer(as_frame=True)
    X, X_test, y, y_test = train_test_split(data.data, data.target_names[data.target], random_state=0)
    model = SoftTreeClassifier(gate="linear", leaf="constant", max_gate_features=2, random_state=0).fit(X, y)
    path = tmp_path_factory.mktemp("report") / "cancer.html"
    notes = {"Intended use": "Teaching <b>only</b>.\n\nNot for patients."}
    page = report(model, X_test, y_test, group="mean texture", notes=notes, path=path)
    return {"model": model, "X": X_test, "y": y_test, "page": page}


class Walk(HTMLParser):
    """Collects elements and ids, and sees whether every element is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        told = dict(attrs)
        self.ids += [told["id"] or ""] if "id" in told else []
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def walk(text: str) -> Walk:
    parser = Walk()
    parser.feed(text)
    assert parser.open == []
    return parser


def test_the_page_is_whole_and_asks_for_nothing_from_outside(cancer: dict[str, Any]) -> None:
    text = cancer["page"].html
    assert cancer["page"].path.read_text(encoding="utf-8") == text
    seen = walk(text)
    assert len(seen.ids) == len(set(seen.ids))
    assert all(link.startswith("#") and link[1:] in seen.ids for link in seen.links)
    assert "script" not in seen.seen
    used = set(re.findall(r"url\(#([^)]+)\)", text))
    assert used <= set(seen.ids)
    assert len(text) < 500_000


def test_every_heading_of_a_model_card_is_there(cancer: dict[str, Any]) -> None:
    heads = re.findall(r"<h2>(.*?)</h2>", cancer["page"].html)
    assert [html.unescape(head) for head in heads] == HEADINGS
    assert cancer["page"].html.count('<svg role="img"') == 5  # ROC curve, calibration, importances, tree, curves


def test_two_classes_have_a_curve_a_lift_table_and_cutoffs(cancer: dict[str, Any]) -> None:
    text = html.unescape(cancer["page"].html)
    assert "<h3>Lift</h3>" in text
    assert "<h3>Cut-offs</h3>" in text
    codes = np.searchsorted(cancer["model"].classes_, cancer["y"])
    area = roc_auc_score(codes, cancer["model"].predict_proba(cancer["X"])[:, 1])
    assert f"ROC curve for malignant: area {area:.3f}, 95 % interval" in text


@pytest.mark.usefixtures("without_pictures")
def test_three_classes_have_neither_curve_nor_lift(tmp_path: Path) -> None:
    X, y = scenes.iris_rows()
    text = report(scenes.hard_iris(), X, y, path=tmp_path / "r.html").html
    assert "ROC" not in text
    assert "Lift" not in text


@pytest.mark.usefixtures("without_pictures")
def test_rates_of_groups_are_counted_by_hand(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.arange(200) % 2, "group": np.repeat(["f", "m"], 100)})
    y = np.where(frame["x"] == 1, "yes", "no")
    model = CARTClassifier(max_leaves=2, prune=None).fit(frame[["x"]], y)
    frame.loc[:24, "x"] = 0  # of the first 25 rows of f, 12 are yes and no longer predicted
    text = report(model, frame[["x"]], y, group=frame["group"], path=tmp_path / "r.html").html
    cells = {
        name: re.findall(r">([^<]*)</td>", line)[3:]
        for name, line in re.findall(r"<tr><td>(f|m)</td>(.*?)</tr>", text[text.index("By group") :])
    }
    assert cells["f"] == ["38.0%", "24.0%", "0.0%", "0.120", "0.76"]
    assert cells["m"] == ["50.0%", "0.0%", "0.0%", "0.000", "1.00"]
    assert "The selection rate of group f is 0.76 of the highest one, below four fifths: yes is predicted" in text


def test_notes_are_words(cancer: dict[str, Any]) -> None:
    assert "<p>Teaching &lt;b&gt;only&lt;/b&gt;.</p><p>Not for patients.</p>" in cancer["page"].html


def test_the_same_report_twice_is_the_same_to_the_byte(cancer: dict[str, Any], tmp_path: Path) -> None:
    notes = {"Intended use": "Teaching <b>only</b>.\n\nNot for patients."}
    with mpl.rc_context({"figure.facecolor": "black", "font.size": 30.0}):  # a style of the user's own changes nothing
        again = report(
            cancer["model"], cancer["X"], cancer["y"], group="mean texture", notes=notes, path=tmp_path / "r"
        )
    assert again.html == cancer["page"].html


def test_the_worst_rows_are_those_of_the_largest_loss(cancer: dict[str, Any]) -> None:
    chance = cancer["model"].predict_proba(cancer["X"])
    at = np.searchsorted(cancer["model"].classes_, cancer["y"])
    worst = np.argsort(chance[np.arange(len(at)), at])[:10]
    body = re.search(r'<table class="worst.*?</table>', cancer["page"].html, re.DOTALL)
    assert body is not None
    rows = re.findall(r"<tr><td>(\d+)</td>", body[0])
    assert list(map(int, rows)) == worst.tolist()


def test_measures_are_scikit_learns(cancer: dict[str, Any]) -> None:
    model, X, y = (cancer[name] for name in ("model", "X", "y"))
    chance = model.predict_proba(X)
    codes = np.searchsorted(model.classes_, y)
    answers = Answers(codes, chance, np.searchsorted(model.classes_, model.predict(X)), model.tree_.schema)
    told = {each.name: each for each in measure(answers)}
    assert told["error rate"].value == pytest.approx(1 - model.score(X, y))
    assert told["log loss"].value == pytest.approx(log_loss(codes, chance))
    assert told["Brier score"].value == pytest.approx(brier_score_loss(codes, chance[:, 1]))
    assert told["ROC AUC"].value == pytest.approx(roc_auc_score(codes, chance[:, 1]))
    assert told["Gini"].value == pytest.approx(2 * roc_auc_score(codes, chance[:, 1]) - 1)
    assert told["KS"].value == pytest.approx(ks_2samp(*(chance[codes == k, 1] for k in (0, 1))).statistic)
    assert all(each.low <= each.value <= each.high for name, each in told.items() if name != "KS")
    base = codes.mean()
    assert told["Brier score"].baseline == pytest.approx(base * (1 - base))
    assert told["log loss"].baseline == pytest.approx(log_loss(codes, np.full(len(codes), base)))


def test_measures_of_numbers() -> None:
    known, given = np.array([1.0, 2.0, 3.0, 6.0]), np.array([1.0, 2.5, 2.0, 4.0])
    told = {each.name: each.value for each in measure(Answers(known, given, given, Schema.plain(1, 1)))}
    assert told["RMSE"] == pytest.approx(np.sqrt((0.25 + 1 + 4) / 4))
    assert told["MAE"] == pytest.approx(3.5 / 4)
    assert told["R²"] == pytest.approx(1 - 5.25 / 14)
    assert told["mean residual"] == pytest.approx(2.5 / 4)


def test_an_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(300):
        chance = rng.random(200)
        known = (rng.random(200) < 0.7).astype(int)
        given = np.column_stack([1 - chance, chance])
        error = measure(Answers(known, given, np.ones(200, int), Schema.plain(1, 2, "classification")))[0]
        hits += error.low <= 0.3 <= error.high
    assert 0.91 <= hits / 300 <= 0.985


@pytest.mark.usefixtures("without_pictures")
def test_groups_add_up_to_all_rows(tmp_path: Path) -> None:
    frame = pd.DataFrame({"size": np.arange(90.0), "sex": ["f", "m", "f"] * 30})
    y = np.where((frame["size"] > 40) ^ (np.arange(90) % 9 == 0), "yes", "no")
    model = CARTClassifier(random_state=0).fit(frame, y)
    text = report(model, frame, y, group="sex", path=tmp_path / "r.html").html
    part = text[text.index("By group") :]
    rows = dict(re.findall(r"<tr><td>(f|m|all)</td><td class=\"number\">(\d+)</td>", part))
    assert rows == {"f": "60", "m": "30", "all": "90"}


def test_numbers_are_grouped_in_quarters_in_their_order() -> None:
    found = read_groups(None, np.arange(100.0), 100)
    assert found.names == ["≤ 24.75", "24.75 … 49.5", "49.5 … 74.25", "> 74.25"]
    assert [found.member.count(name) for name in found.names] == [25, 25, 25, 25]


@pytest.mark.usefixtures("without_pictures")
def test_a_group_that_does_worse_is_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=600)})
    group = np.repeat(["left", "right"], 300)
    y = np.where(frame["x"] > 0, "yes", "no")
    wrong = (group == "left") & (rng.random(600) < 0.4)
    y = np.where(wrong, np.where(y == "yes", "no", "yes"), y)
    model = CARTClassifier(max_leaves=2, prune=None).fit(frame, np.where(frame["x"] > 0, "yes", "no"))
    text = report(model, frame, y, group=group, path=tmp_path / "r.html").html
    assert "The error rate of group left is higher than that of the other rows" in text


def test_numbers_and_pipelines_and_several_targets_have_reports(tmp_path: Path) -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), CARTRegressor(max_leaves=5, prune=None)).fit(X, y)
    text = report(model, X, y, path=tmp_path / "r.html").html
    assert "RMSE" in text
    assert "Residuals" in text
    two = CARTRegressor(max_leaves=4, prune=None).fit(X, np.column_stack([y, -y]))
    assert (
        "The model has 2 targets; the first is measured"
        in report(two, X, np.column_stack([y, -y]), path=tmp_path / "r.html").html
    )


def test_hostile_names_are_text(tmp_path: Path) -> None:
    tree, X, y = scenes.hostile()
    page = report(tree, X, y, group=["<img src=x onerror=alert(1)>"] * 20, title="<script>alert(2)</script>",
                  path=tmp_path / "r.html")  # fmt: skip
    seen = walk(page.html)
    assert "script" not in seen.seen
    assert "img" not in seen.seen
    assert page.html.count("</svg>") == page.html.count("<svg")


def test_of_a_large_tree_the_upper_part_is_drawn(tmp_path: Path) -> None:
    X, _ = load_iris(return_X_y=True, as_frame=True)
    model = CARTClassifier(prune=None, random_state=0).fit(X, np.arange(150) % 2)
    assert model.get_n_leaves() > 30
    assert "The upper" in report(model, X, np.arange(150) % 2, path=tmp_path / "r.html", n_worst=0).html


@pytest.mark.usefixtures("without_pictures")
def test_rows_may_be_left_out(tmp_path: Path) -> None:
    X, y = scenes.iris_rows()
    text = report(scenes.hard_iris(), X, y, n_worst=0, path=tmp_path / "r.html").html
    assert "No rows are shown (n_worst=0)." in text
    assert 'class="worst' not in text


def test_a_single_leaf_has_a_report(tmp_path: Path) -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    model = CARTClassifier().fit(X, ["a", "a", "b"])
    assert model.tree_.n_nodes == 1
    assert "The tree" in report(model, X, ["a", "a", "b"], path=tmp_path / "r.html").html


class TestErrors:
    X, y = scenes.iris_rows()

    def test_no_rows_or_answers(self) -> None:
        with pytest.raises(ValueError, match="report needs rows that the model was not trained on: pass X"):
            report(scenes.hard_iris(), None, self.y)
        with pytest.raises(ValueError, match="report needs actual values to measure errors: pass y"):
            report(scenes.hard_iris(), self.X, None)

    def test_an_unknown_heading(self) -> None:
        with pytest.raises(ValueError, match="the heading 'Purpose'; headings are 'Intended use'"):
            report(scenes.hard_iris(), self.X, self.y, notes={"Purpose": "none"})

    def test_an_unknown_group(self) -> None:
        with pytest.raises(ValueError, match="group: X has no column 'sex'; the columns are"):
            report(scenes.hard_iris(), self.X, self.y, group="sex")
        with pytest.raises(ValueError, match="group must have an entry for each of 150 rows, got 2"):
            report(scenes.hard_iris(), self.X, self.y, group=["a", "b"])
        with pytest.raises(ValueError, match="has more than 12 values; join some"):
            report(scenes.hard_iris(), self.X, self.y, group=[f"g{i}" for i in range(150)])

    def test_a_negative_number_of_rows(self) -> None:
        with pytest.raises(ValueError, match="n_worst must be a whole number of at least 0, got -1"):
            report(scenes.hard_iris(), self.X, self.y, n_worst=-1)

    def test_unfitted(self) -> None:
        with pytest.raises(TypeError, match="report needs a Tree or a fitted softwood estimator"):
            report(CARTClassifier(), self.X, self.y)


def many_classes(n: int) -> tuple[Any, Any, Any]:
    """A tree of n classes, each in 12 rows but the first few, and its rows; a column has levels."""
    rng = np.random.default_rng(0)
    y = np.concatenate([np.repeat(np.arange(n), 12), np.repeat(np.arange(3), 30)])
    X = pd.DataFrame({"a": y + 2.0 * rng.normal(size=len(y)), "b": y % 7 + rng.normal(size=len(y))})
    X["c"] = pd.Categorical(np.array(["red", "green", "blue"])[y % 3])
    return CARTClassifier(prune=None, max_leaves=30).fit(X, y), X, y


@pytest.mark.long
def test_a_report_of_many_classes_is_as_large_as_one_of_some() -> None:
    """Neither shapes nor cells grow with the classes: those beyond the most frequent are one group."""
    some, many = (report(*many_classes(n)).path.read_text() for n in (24, 240))
    for mark in ("<path", "<td"):
        assert many.count(mark) < 1.25 * some.count(mark), mark
    assert len(many) < 1.25 * len(some)


@pytest.mark.usefixtures("without_pictures")
def test_a_report_says_which_of_many_classes_it_shows() -> None:
    model, X, y = many_classes(60)
    page = report(model, X, y).path.read_text()
    assert "Of 60 classes the 20 most frequent ones are shown." in page
    assert page.count("Of 60 classes the 8 most frequent ones are shown.") >= 2  # calibration and curves
    assert "Pale: all classes but the 20 most frequent ones of a node." in page
    given = model.predict(X)
    counts = confusion_matrix(y, given)
    np.fill_diagonal(counts, 0)
    assert f"The 20 most frequent of {np.count_nonzero(counts)} pairs of classes that are confused" in page
    known, taken = np.unravel_index(counts.argmax(), counts.shape)
    part = 100 * counts.max() / np.sum(y == known)
    cells = [str(known), str(taken)], [str(counts.max()), f"{part:.1f}%"]
    words = "".join(f"<td>{cell}</td>" for cell in cells[0])
    numbers = "".join(f'<td class="number">{cell}</td>' for cell in cells[1])
    assert f"<tr>{words}{numbers}</tr>" in page


@pytest.mark.filterwarnings("error::UserWarning")  # axes that collapse beside a wide legend
def test_a_report_of_many_classes_without_a_mistake_says_so() -> None:
    y = np.repeat(np.arange(25), 4)
    page = report(CARTClassifier(prune=None).fit(y[:, None].astype(float), y), y[:, None].astype(float), y)
    assert "All rows are classified correctly; there are 25 classes." in page.path.read_text()
