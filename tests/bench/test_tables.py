"""Tables and figures: the page agrees with the results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bench.papers import compare, figure_scatter, figure_toy, page_document, page_family, page_soft, tables
from bench.papers.documents import DOCUMENTS
from bench.papers.methods import BY_NAME
from bench.papers.published import best_printed, read_published
from bench.papers.store import read_all
from bench.papers.summary import gather
from softwood.datasets.catalog import ENTRIES
from softwood.stats import five_by_two_f_test

Maker = Callable[..., None]
NOISE = [0.01, -0.01, 0.02, -0.02, 0.0, 0.01, -0.01, 0.0, 0.02, -0.02]


def around(middle: float, width: float = 1.0) -> list[float]:
    return [middle + width * noise for noise in NOISE]


def line_of(page: str, start: str) -> list[str]:
    """Cells of the first line of a table that starts so."""
    line = next(line for line in page.splitlines() if line.startswith(f"| {start} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_every_printed_figure_is_there_once() -> None:
    printed = read_published()
    keys = [(one.document, one.table, one.code, one.column) for one in printed]
    assert len(set(keys)) == len(keys) == 20 + 30 + 30 + 40 + 40 + 21 + 28
    for document in DOCUMENTS:
        for paper in document.tables:
            for code in paper.codes:
                for column, _ in paper.columns:
                    assert (document.name, paper.title, code, column) in keys


def test_printed_figures_agree_with_what_the_papers_say_of_them() -> None:
    by = {(one.document, one.table, one.code, one.column): one for one in read_published()}
    first = [one for one in by.values() if (one.document, one.table) == ("icpr", "Table 1")]
    # "On all data sets, the soft tree has significantly fewer nodes and except four ties ... smaller mean square error"
    assert sum(one.bold_nodes for one in first if one.column == "Soft") == 10
    assert sum(one.bold for one in first if one.column == "Soft") == 6
    for split in "1234567":  # printed ratios are those of the unrounded errors
        cart, soft = (by["magic", "Table 1", split, name] for name in ("CART", "CART softened"))
        assert by["magic", "Table 1", split, "ratio"].number == pytest.approx(soft.number / cart.number, abs=7e-4)
        c5 = by["magic", "Table 2", split, "C5.0 softened"]
        assert by["magic", "Table 2", split, "ratio"].number == pytest.approx(soft.number / c5.number, abs=7e-4)
        assert by["magic", "Table 2", split, "CART softened"].value == soft.value


def test_the_best_printed_figure_is_the_lowest_error_or_highest_accuracy() -> None:
    best = best_printed(read_published())
    assert set(best) == {entry.code for entry in ENTRIES}
    assert (best["ABA"].value, best["ABA"].column) == ("0.416", "Budding")
    assert (best["PIM"].value, best["PIM"].document) == ("76.89", "icpr")


def test_a_cell_tells_mean_sd_and_missing_folds(make: Maker, results: Path) -> None:
    make("soft-incremental", "boston", [0.2, 0.3])
    page = page_document.write_page(DOCUMENTS[0], read_published(), gather(read_all(results)))
    assert line_of(page, "BOS")[1:5] == ["0.271", "0.2500 ± 0.0707 (2)", "0.344", "–"]
    assert line_of(page, "our soft, incremental against the printed Soft") == [
        "our soft, incremental against the printed Soft",
        "1 of 1",
        "not run yet",
    ]


def test_bold_is_for_what_the_f_test_tells_from_all_others(make: Maker, results: Path) -> None:
    make("soft-incremental", "boston", around(0.2), nodes=7)
    make("cart", "boston", around(0.9, -1.0), nodes=30)
    make("soft-incremental", "concrete", around(0.3), nodes=7)
    make("cart", "concrete", [x + 0.001 * (-1) ** i for i, x in enumerate(around(0.3))], nodes=7)
    cells = gather(read_all(results))
    page = page_document.write_page(DOCUMENTS[0], read_published(), cells)
    assert line_of(page, "BOS")[2].startswith("**0.2000")
    assert not line_of(page, "CON")[2].startswith("**")
    sizes = page[page.index("| nodes |") :]
    assert line_of(sizes, "BOS")[1:5] == ["**11**", "**8**", "18", "30"]
    assert line_of(page, "Soft against Hard") == ["Soft against Hard", "6/4/0", "1/1/0", "1/1/0"]
    assert line_of(page, "our CART against the printed Hard")[1] == "0 of 2"
    assert "- our CART against the printed Hard: worse on BOS 0.900 against 0.344" in page


def test_marks_follow_the_f_test(make: Maker, results: Path) -> None:
    make("soft", "glass", around(60.0))
    make("forest", "glass", around(70.0, -1.0))
    cells = gather(read_all(results))
    one, other = cells["forest", "GLA"], cells["soft", "GLA"]
    p = five_by_two_f_test(one.error.reshape(5, 2), other.error.reshape(5, 2)).p_value
    assert (p < 0.05, compare.compare_errors(one, other), compare.compare_errors(other, one)) == (True, 1, -1)
    page = page_family.write_page(read_published(), cells, [])
    assert line_of(page, "GLA")[-1].endswith("▲")
    assert "- GLA, 60.00: 70.00 by random forest ▲." in page


def test_methods_are_held_against_our_tree_of_the_same_rows(make: Maker, results: Path) -> None:
    make("soft", "glass", around(60.0))
    make("soft-both", "glass", around(80.0))
    make("forest-both", "glass", around(70.0, -1.0))
    page = page_family.write_page(read_published(), gather(read_all(results)), [])
    assert line_of(page, "GLA")[-1].endswith("▼")
    assert "Better than *soft, joint, both halves*" in page
    assert page.count("- nowhere.") == 2


def test_our_tree_is_counted_against_both_rates_of_lightgbm(make: Maker, results: Path) -> None:
    make("soft", "glass", around(60.0), nodes=1)
    make("lightgbm", "glass", around(61.0))
    make("lightgbm-default", "glass", around(59.0))
    make("soft", "boston", around(0.3), nodes=40)
    make("lightgbm-default", "boston", around(0.2))
    cells = gather(read_all(results))
    page = page_soft.write_page(read_published(), cells)
    assert line_of(page, "GLA")[6:8] == ["59.00", "**61.00**"]
    assert line_of(page, "BOS")[6:8] == ["**0.2000**", "–"]
    assert "On 1 of 2 sets our tree is at least as good" in page
    assert "on 1 it has fewer nodes than the tree with that figure." in page
    assert "better than LightGBM (.1) on 1 (not on BOS) and better than LightGBM (.05) on 0" in page
    assert page_family.present(cells, ["GLA"]) == ["soft", "lightgbm"]  # a variant is not one of the family


def test_no_test_without_ten_folds(make: Maker, results: Path) -> None:
    make("soft", "glass", [60.0] * 9)
    make("forest", "glass", around(90.0))
    cells = gather(read_all(results))
    assert compare.compare_errors(cells["forest", "GLA"], cells["soft", "GLA"]) is None
    assert compare.compare_sizes(cells["forest", "GLA"], cells["soft", "GLA"]) is None
    assert str(compare.record(cells, "forest", "soft", ["GLA"])) == "–"


def test_ranks_are_mean_places_and_ties_share(make: Maker, results: Path) -> None:
    for name, scores in {"glass": (60, 70, 80), "ecoli": (70, 70, 90), "yeast": (50, 60, 40)}.items():
        for method, score in zip(("cart", "c45", "soft"), scores, strict=True):
            make(method, name, [score] * 2)
    make("forest", "glass", [99.0])  # not on every set: not ranked
    cells = gather(read_all(results))
    ranks = page_family.ranks_of(cells, "multiclass")
    assert ranks is not None
    assert ranks.methods == ("cart", "c45", "soft")
    np.testing.assert_allclose(ranks.mean, [(3 + 2.5 + 2) / 3, (2 + 2.5 + 1) / 3, (1 + 1 + 3) / 3])
    assert ranks.critical == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 3)), abs=1e-3)  # Demšar's table: q = 2.343
    assert ranks.cliques() == [(min(ranks.mean), max(ranks.mean))]


def test_a_clique_is_no_longer_than_the_critical_difference() -> None:
    ranks = compare.Ranks(("a", "b", "c", "d"), (1.0, 1.5, 3.0, 4.0), 30, 0.0, 1.2)
    assert ranks.cliques() == [(1.0, 1.5), (3.0, 4.0)]


def test_the_front_holds_what_nothing_beats_in_both() -> None:
    dots = [("a", 1.0, 3.0), ("b", 2.0, 2.0), ("c", 3.0, 2.5), ("d", 4.0, 1.0)]
    assert [dot[0] for dot in figure_scatter.front(dots)] == ["a", "b", "d"]


def test_relative_errors_are_one_for_who_is_always_best(make: Maker, results: Path) -> None:
    for name in ("boston", "concrete"):
        make("soft", name, [0.1, 0.1])
        make("cart", name, [0.4, 0.4])
    ratio = compare.relative_errors(gather(read_all(results)), ["soft", "cart"], ["BOS", "CON"])
    assert ratio == pytest.approx({"soft": 1.0, "cart": 4.0})


@pytest.mark.long
def test_one_command_writes_pages_and_figures_alike_each_time(make: Maker, results: Path, tmp_path: Path) -> None:
    for method, score in {"cart": 0.4, "soft": 0.2, "forest": 0.3}.items():
        for name in ("boston", "concrete", "abalone"):
            make(method, name, around(score), seconds=score)
    written = []
    for folder in ("one", "two"):
        pages = tmp_path / folder
        tables.main(["--results", str(results), "--pages", str(pages)])
        written.append({str(p.relative_to(pages)): p.read_bytes() for p in sorted(pages.rglob("*.*"))})
    assert written[0] == written[1]
    figures = {f"figures/{name}.svg" for name in ("toy", "ranks-regression", "pareto", "time")}
    assert figures | {"icpr.md", "budding.md", "family.md"} <= set(written[0])
    assert "](figures/pareto.svg)" in written[0]["family.md"].decode()


def test_with_no_results_the_pages_say_so(tmp_path: Path) -> None:
    page = page_family.write_page(read_published(), {}, [])
    assert page.count("Not run yet.") == 5  # three tasks, losses, runs
    assert "not run yet" in page_document.write_page(DOCUMENTS[1], read_published(), {})


def test_a_column_that_mixes_commits_is_marked(make: Maker, results: Path) -> None:
    make("soft", "boston", around(0.2), commit="aaaaaaa")
    make("soft", "concrete", around(0.2), commit="bbbbbbb+")
    make("soft", "glass", around(60.0), commit="aaaaaaa")
    make("cart", "boston", around(0.4), commit="ccccccc", processor="x86_64")
    make("cart", "concrete", around(0.4), commit="ccccccc", processor="x86_64")
    cells, printed = gather(read_all(results)), read_published()
    numbers = page_document.write_page(DOCUMENTS[0], printed, cells)
    assert line_of(numbers, "set")[1:] == [
        "Soft, printed",
        "Soft, ours",
        "Hard, printed",
        "Hard, ours",
        "soft, joint †",
    ]
    family = page_family.write_page(printed, cells, [])
    assert [line for line in family.splitlines() if line.startswith("| set |")] == [
        "| set | best printed (nodes) | CART | soft, joint † |",
        "| set | best printed (nodes) | soft, joint |",  # of the sets of more classes all are of one commit
    ]
    assert "| soft, joint | aaaaaaa: 20, bbbbbbb+: 10 | 0.1.0 | aarch64 |" in family
    assert "| CART | ccccccc: 20 | 0.1.0 | x86_64 |" in family
    soft = page_soft.write_page(printed, cells)
    assert line_of(soft, "set")[1] == "ours †"
    assert "† Commits of *soft, joint*: aaaaaaa: BOS, GLA; bbbbbbb+: CON." in soft


def test_the_committed_pages_are_made_of_the_committed_results() -> None:
    figures = [path.name for path in (tables.PAGES / "figures").glob("*.svg")]
    for name, text in tables.write_pages(gather(read_all()), figures).items():
        assert (tables.PAGES / name).read_text(encoding="utf-8") == text, f"docs/results/{name}: run make tables."


def test_the_toy_trees_have_the_papers_sizes() -> None:
    sizes = {name: model.tree_.n_nodes for name, model in figure_toy.fit_toy()}
    assert (sizes["hard"], sizes["soft, linear gates"]) == (37, 7)


def test_leaves_of_a_drawn_tree_stand_side_by_side() -> None:
    (_, model), *_ = figure_toy.fit_toy()
    place = figure_toy.layout(model.tree_)
    leaf = model.tree_.n_children == 0
    assert sorted(place[leaf, 0]) == list(range(19))
    assert place[0, 1] == 0 == place[:, 1].max()


def test_methods_of_the_documents_are_in_the_registry() -> None:
    for document in DOCUMENTS:
        for paper in document.tables:
            assert {method for _, method in paper.columns} | set(paper.beside) <= set(BY_NAME)
