"""Figures that README and docs quote are those of the committed runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import facts, quotes

PAGES = list(dict.fromkeys(page for page, _ in quotes.QUOTES))
LINK = re.compile(r"\]\((docs/)?results/\w+\.md")


@pytest.fixture(scope="module")
def told() -> facts.Facts:
    return facts.compute()


@pytest.mark.parametrize(("page", "sentence"), quotes.QUOTES)
def test_a_page_quotes_the_figures_of_the_runs(page: str, sentence: str, told: facts.Facts) -> None:
    match = quotes.find((quotes.ROOT / page).read_text(encoding="utf-8"), sentence)
    names = quotes.NAME.findall(sentence)
    given = {name: " ".join(figure.split()) for name, figure in zip(names, match.groups(), strict=True)}
    assert given == {name: told[name] for name in names}, f"{page} and the runs disagree: run make tables."


@pytest.mark.parametrize("page", ["README.md", "docs/limits.md", "docs/which.md", "docs/results/index.md"])
def test_no_figure_beside_a_link_to_the_results_is_written_by_hand(page: str) -> None:
    text = (quotes.ROOT / page).read_text(encoding="utf-8")
    for sentence in quotes.sentences_of(page):
        match = quotes.find(text, sentence)
        text = text[: match.start()] + re.sub(r"\d", "", match[0]) + text[match.end() :]
    is_index = page.endswith("index.md")
    by_hand = [line for line in text.splitlines() if is_index or LINK.search(line)]
    titles = "[ICPR 2012](icpr.md)"  # a name, no figure
    assert [line for line in by_hand if re.search(r"\d", line.replace(titles, ""))] == []


def test_figures_are_written_where_they_stand() -> None:
    page = "| LightGBM on 25 (24 at\nhalf), .171 to\n.192 |\n"
    sentence = "LightGBM on {better} ({half} at half), {span} |"
    new = quotes.fill(page, sentence, {"better": "26", "half": "24", "span": ".171 to .192"})
    assert new == "| LightGBM on 26 (24 at\nhalf), .171 to\n.192 |\n"
    assert (
        quotes.fill(new, sentence, {"better": "26", "half": "5", "span": ".2"})
        == "| LightGBM on 26 (5 at\nhalf), .2 |\n"
    )


@pytest.mark.parametrize("page", ["nothing of it", "on 3 sets, on 4 sets,", "on most sets,"])
def test_a_sentence_that_is_not_there_once_is_named(page: str) -> None:
    with pytest.raises(ValueError, match=r"must have this sentence of bench/quotes.py once.*on \{n\} sets,"):
        quotes.find(page, "on {n} sets,")


def test_a_table_is_read_by_row_and_column(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A\n\n## One, x\n\nText.\n\n| case | s |\n|---|---|\n| a | 1 |\n| b | 2 |\n\n## Two\n\n| case | s |\n"
    )
    assert facts.read_table(page, "One") == {"a": {"case": "a", "s": "1"}, "b": {"case": "b", "s": "2"}}
