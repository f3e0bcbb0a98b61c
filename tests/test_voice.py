"""Phrases that keep readers out stay out: docs/design/voice.md has the rules, this file the worst, each with a better
one.

To add one: put the phrase right everywhere, then add a line. Text is compared in lower case, its lines joined.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = ("*.md", "docs/**/*.md", "docs/**/*.py", "src/**/*.py", "src/**/*.js", "native/**/*.[ch]pp", "bench/**/*.py")
EXEMPT = {"docs/design/voice.md"}  # it quotes them
MARK = re.compile(r"^\s*(?:#|//)\s?")  # of a comment that goes on
BETTER = {
    r"came true by": "observed against predicted",
    r"is no softwood (file|tree)": "is not a softwood file",
    r"which (is|are) no (?!longer|more)\w+": "which is not a …",
    r"its first bytes say": "the format is detected from the first bytes",
    r"mostly nothing": "many ties at one value",
    r"divide none of them": "no group is split across folds",
    r"sums of rows alone": "not supported for batched input",
    r"is no function of sums": "criterion not supported for sparse X",
    r"(asks?|asking) the surrogates": "follows surrogate splits",
    r"towards yes": "yes (soft)",
    r"never (rises|falls) as": "never increases (decreases) with",
    r"made by an enemy|by an enemy": "crafted maliciously",
    r"where memory ends|memory that ends": "out of memory",
    r"when somebody (wants|asks)|nobody wanted": "on first access",
    r"at most so many": "maximum number of",
    r"\berrs (by|alike)\b": "has an error of (the same error)",
    r"on the mean\b": "on average",
    r"\bheeds?\b": "uses, respects",
    r"\bmended\b": "fixed",
    r"without end\b": "indefinitely; infinite; soak test",
    r"\bdata bases?\b": "database",
    r"said aloud|, aloud,": "reported",
    r"\btells? of\b": "shows, records",
    r"where rows are many": "for large tables",
    r"by the hundred thousand": "hundreds of thousands of",
    r"refused in words": "refused, with an error",
    r"answered right": "accuracy; predicted correctly",
    r"(turns|turned) round\b": "is reversed",
    r"made by rule": "generated, synthetic",
    r"\bgone on with": "resumed",
    r"as soon as it is there": "at once",
    r"\bgoes? on where it (was|stopped)": "is resumed",
    r"(not there|were there) at fit": "unseen at fit",
    r"(first|lowest|largest) of equals": "on ties, the first",
    r"but for rounding": "up to rounding",
    r"\bis told by\b": "is determined by",
    r"\b(is|are) held to\b": "is compared with; the reference for",
    r"\b(a|one) (row|line|column|curve) an? (case|class|fit|gate|input|leaf|node|output|set|table)\b": "one … per …",
}
ANY = re.compile("|".join(BETTER))


def files() -> list[Path]:
    found = {path for place in PLACES for path in ROOT.glob(place)}
    return sorted(path for path in found if str(path.relative_to(ROOT)) not in EXEMPT)


def findings(text: str) -> list[tuple[int, str, str]]:
    """Line, what stands there and the better phrase."""
    lines = [MARK.sub("", line) for line in text.lower().split("\n")]
    prose = " ".join(" ".join(line.split()) for line in lines)
    if not ANY.search(prose):
        return []
    ends = list(accumulate(len(" ".join(line.split())) + 1 for line in lines))
    return [
        (bisect_right(ends, match.start()) + 1, match[0], better)
        for pattern, better in BETTER.items()
        for match in re.finditer(pattern, prose)
    ]


def test_no_phrase_of_the_list_comes_back() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {phrase!r}: write {better!r}"
        for path in files()
        for line, phrase, better in findings(path.read_text(encoding="utf-8"))
    ]
    assert not found, "Plain English (docs/design/voice.md):\n" + "\n".join(found)


def test_the_list_finds_what_it_names() -> None:
    assert findings("A file\n# made by\n# an enemy") == [(2, "made by an enemy", "crafted maliciously")]
    assert len(files()) > 300
