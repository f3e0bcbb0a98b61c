"""The benchmark of large tables: the error of the true function, what is run, what is skipped, and the page."""

import json
from functools import partial

import numpy as np
import pytest

from bench import large


@pytest.mark.parametrize("classes", [False, True])
def test_best_error_is_that_of_the_rule_on_these_very_test_rows(classes):
    f = large.rule(np.random.default_rng(0).random((1_000_000, large.INPUTS)))
    expected = (
        np.mean(1.0 / (1.0 + np.exp(2.0 * np.abs(f)))) if classes else large.NOISE**2 / (large.NOISE**2 + f.var())
    )
    found = [large.best_error(classes, n, 0) for n in (1_000, 4_000)]
    assert found == pytest.approx([expected] * 2, rel=0.03)
    assert found[0] != found[1]
    assert found[0] == large.best_error(classes, 1_000, 0)


def test_more_rows_are_other_rows_and_a_seed_is_repeatable():
    one, again, other = (large.made(False, 100, seed) for seed in (0, 0, 1))
    assert np.array_equal(one.train.X, again.train.X)
    assert not np.array_equal(one.train.X, other.train.X)


def test_a_public_table_is_read_with_its_categories(tmp_path):
    folder = tmp_path / "large"
    folder.mkdir()
    (folder / "MANIFEST.csv").write_text("name,task,rows,categorical_columns\ntown,binary,9,kind\n")
    lines = "\n".join(f"{'ab'[i % 2]},{i},{'yes' if i % 3 else 'no'}" for i in range(9))
    (folder / "town.csv.gz").write_bytes(__import__("gzip").compress(f"kind,size,target\n{lines}\n".encode()))
    case = large.tables(tmp_path)["town"]
    assert case.sizes == (6,)
    part = case.draw(4, 0)
    assert part.classes
    assert len(part.train.y) == 4
    assert len(part.test.y) == 3
    assert part.train.X["kind"].dtype == "category"


def test_a_run_goes_on_where_it_was_and_writes_a_page(tmp_path):
    file = tmp_path / "runs.json"
    cases = {"pieces": large.LargeTable(partial(large.made, False), (60, 120))}
    first = large.run(cases, ["CART"], 1, 60, file)
    assert set(first) == {"pieces/60/0/CART"}
    file.write_text(json.dumps({"pieces/60/0/CART": first["pieces/60/0/CART"] | {"error": 0.5}}))
    both = large.run(cases, ["CART"], 1, 120, file)
    assert both["pieces/60/0/CART"]["error"] == 0.5
    page = large.to_markdown(both, {"pieces": lambda n, seed: 0.05})
    assert "| pieces, 60 | 0.0500 | – | – | – | 0.5000 |" in page
    assert "pieces, 120" in page


def test_the_page_has_tables_in_their_order_and_rows_rising():
    one = {"error": 0.1, "nodes": 1, "seconds": 1.0}
    page = large.to_markdown(dict.fromkeys(("b/400/0/CART", "a/20/0/CART", "b/1000/0/CART", "b/60/0/CART"), one), {})
    places = [page.index(line) for line in ("| b, 60 |", "| b, 400 |", "| b, 1,000 |", "| a, 20 |")]
    assert places == sorted(places)


def test_what_would_not_end_is_left_out():
    known = {"pieces/1000/0/EBM": {"error": 0.1, "nodes": 10, "seconds": 100.0}}
    assert large.would_end(known, "pieces", 5_000, "EBM")
    assert not large.would_end(known, "pieces", 7_000, "EBM")
    assert large.would_end(known, "pieces", 7_000, "CART")
