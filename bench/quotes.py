"""Sentences of README and docs that quote figures: `python -m bench.quotes` updates them (`make tables`).

A name in braces is a figure of bench/facts.py; any white space matches any other, so a page may break its lines
anywhere. Every sentence occurs once on its page, and the text around the figures belongs to the page: to change it,
change it here too. tests/bench/test_quotes.py fails if a page and the runs disagree.
"""

from __future__ import annotations

import re
from pathlib import Path

from bench import facts

ROOT = Path(__file__).parents[1]
README, INDEX, LIMITS = "README.md", "docs/results/index.md", "docs/limits.md"
QUOTES: tuple[tuple[str, str], ...] = (
    (
        README,
        "| the papers' {papers_sets} sets, {papers_folds} folds ([table](docs/results/soft.md)) "
        "| {papers_nodes} nodes; at least as good as the best printed tree on {papers_as_good} "
        "| better than LightGBM on {papers_better} ({papers_better_half} at half its learning rate); "
        "**loses** to one of the two on {papers_lost} |",
    ),
    (
        README,
        "| {fresh_tables} fresh tables, picked before any fit ([table](docs/results/fresh.md)) "
        "| {fresh_nodes} nodes on average, lowest error on {fresh_first_SoftTree} "
        "| less error than LightGBM on {fresh_better_LightGBM}, a forest on {fresh_better_forest}, "
        "CART on {fresh_better_CART}; LightGBM **best** on {fresh_first_LightGBM} |",
    ),
    (
        README,
        "| 5 useful inputs of 300 ([table](docs/results/useless.md)) | error {friedman_SoftTree} "
        "| LightGBM {friedman_LightGBM}, a forest {friedman_forest}; "
        "on **steps** LightGBM {steps_LightGBM} against {steps_SoftTree} |",
    ),
    (
        README,
        "| {readable_good} of {readable_sets} sets become readable "
        "| {readable_mean} % more error on average, **{readable_worst} %** at worst |",
    ),
    (
        README,
        "| CART, 100,000 × 20, to full depth ([table](docs/results/speed.md)) | {cart_seconds} s "
        "| scikit-learn {cart_sklearn_seconds} s; **memory** of full-depth regression {cart_memory} times the input, "
        "scikit-learn's {cart_sklearn_memory} |",
    ),
    (
        INDEX,
        "best and LightGBM, {papers_sets} sets | at least as good as the best printed on {papers_as_good}, "
        "better than LightGBM on {papers_better} ({papers_better_half} at half its learning rate) |",
    ),
    (
        INDEX,
        "| {fresh_tables} tables of R packages, picked before the first fit | lowest error on {fresh_first_SoftTree}, "
        "LightGBM on {fresh_first_LightGBM}, a forest on {fresh_first_forest}, CART on {fresh_first_CART} |",
    ),
    (
        INDEX,
        "| up to 295 uninformative inputs | lowest error on {useless_first} of {useless_tables}; "
        "LightGBM on {steps_first_LightGBM} of {steps_tables} tables of steps |",
    ),
    (
        INDEX,
        "| {readable_good} of {readable_sets} sets become readable; {readable_mean} % more error on average, "
        "{readable_worst} % at worst |",
    ),
    (INDEX, "| CART {magic_cart}, softened {magic_softened}, a soft tree {magic_soft} |"),
    (INDEX, "| fit of CART {cart_times} times as fast;"),
    (
        LIMITS,
        "it is better on {papers_lost_count} of the [papers' {papers_sets} sets](results/soft.md), with its own "
        "learning rate or half of it: California housing {california_lightgbm} against {california_soft} of the "
        "variance, spambase {spambase_lightgbm} % against {spambase_soft} %; on {fresh_first_LightGBM} of "
        "[{fresh_tables} fresh tables](results/fresh.md) it has the lowest error of all (hotel rates "
        "{hotel_rates_LightGBM} against {hotel_rates_SoftTree}, computers {Computers_LightGBM} against "
        "{Computers_SoftTree}) |",
    ),
    (
        LIMITS,
        "| [made steps](results/useless.md): LightGBM {steps_LightGBM}, a soft tree {steps_SoftTree}, "
        "CART {steps_CART} |",
    ),
    (LIMITS, "a soft tree on [pen digits](results/soft.md) has {pendigits_soft} %, a small network more |"),
    (LIMITS, "| `CARTClassifier` ({cart_seconds} s for 100,000 × 20), not a soft tree |"),
    (
        LIMITS,
        "| a soft tree takes {fresh_seconds} s on the [{fresh_tables} tables](results/fresh.md); "
        "LightGBM is quicker on {fresh_quicker} |",
    ),
    (
        LIMITS,
        "C4.5: [{readable_good} of {readable_sets} sets](results/readable.md) become readable with `readable=True`, at "
        "{readable_mean} % more error on average and {readable_worst} % at worst ({readable_worst_set}, "
        "{readable_worst_plain} % to {readable_worst_readable} % of the rows).",
    ),
    (
        "docs/which.md",
        "less error than LightGBM on [{fresh_better_LightGBM} of {fresh_tables} fresh tables](results/fresh.md) and "
        "than a hard tree on {fresh_better_CART} |",
    ),
    (
        "docs/soft.md",
        "On the papers' {readable_sets} sets {readable_good} become readable, and the error rises by {readable_mean} % "
        "on average ({readable_median} % in the median;",
    ),
)
NAME = re.compile(r"\{(\w+)\}")
FIGURE = r"([A-Z\d.,]+(?:\s+(?:to\s+)?[A-Z\d.,]+)*?)"  # numbers and letters of data sets; prose is never overwritten


def main() -> None:
    """Write the figures into the pages and report which changed."""
    told = facts.compute()
    for page in dict.fromkeys(page for page, _ in QUOTES):
        path = ROOT / page
        text = path.read_text(encoding="utf-8")
        for sentence in sentences_of(page):
            text = fill(text, sentence, told)
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path}")


def sentences_of(page: str) -> list[str]:
    """The sentences that a page must have."""
    return [sentence for name, sentence in QUOTES if name == page]


def find(text: str, sentence: str) -> re.Match[str]:
    """The match of a sentence in a page; its groups are the figures."""
    literal = [r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in NAME.split(sentence)[::2]]
    found = list(re.finditer(FIGURE.join(literal), text))
    if len(found) != 1:
        raise ValueError(
            f"The page must have this sentence of bench/quotes.py once, not {len(found)} times: {sentence}"
        )
    return found[0]


def fill(text: str, sentence: str, told: facts.Facts) -> str:
    """The page with current figures in the sentence; an unchanged figure keeps its line break."""
    match = find(text, sentence)
    for at, name in reversed(list(enumerate(NAME.findall(sentence), 1))):
        if match[at].split() != told[name].split():
            text = text[: match.start(at)] + told[name] + text[match.end(at) :]
    return text


if __name__ == "__main__":
    main()
