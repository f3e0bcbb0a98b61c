"""Pieces of a page. All text is escaped here, so names of columns and classes cannot be markup."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from softwood.tree.spelling import spell_name

SHORT = 14  # maximum rows of a table without a page break
LONGEST = 120  # characters of a name in a cell
ID = re.compile(r'\b(id=")|(url\(#)|(xlink:href="#)')
HEAD, COMMENT, METADATA = (
    re.compile(pattern, re.DOTALL) for pattern in (r"^.*?(?=<svg)", r"<!--.*?-->", r"<metadata>.*?</metadata>")
)
STYLE: dict[str, Any] = {"svg.fonttype": "path", "svg.hashsalt": "softwood", "font.size": 9.0}


def text(value: Any, longest: int = LONGEST) -> str:
    """A name or a number as HTML: escaped, on one line, truncated if very long."""
    told = spell_name(value).replace(" … ", "\u00a0…\u00a0")  # no line break inside a range
    return html.escape(told if len(told) <= longest else told[: longest - 1] + "…", quote=True)


def capitalized(words: str) -> str:
    """The text with a capital letter; RMSE stays RMSE."""
    return words[:1].upper() + words[1:]


def percent(part: float) -> str:
    """A proportion; a dash if undefined."""
    return "–" if part != part else f"{100 * part:.1f}%"


def paragraph(told: str, kind: str = "") -> str:
    """Escaped text; blank lines separate paragraphs."""
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", told)]
    mark = f' class="{kind}"' if kind else ""
    return "".join(f"<p{mark}>{html.escape(part)}</p>" for part in parts if part)


def items(told: Iterable[str]) -> str:
    """A list."""
    return "<ul>" + "".join(f"<li>{html.escape(each)}</li>" for each in told) + "</ul>"


def preformatted(told: str) -> str:
    """Text with aligned columns."""
    return f"<pre>{html.escape(told)}</pre>"


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], *, left: int = 1, caption: str = "",
          shade: Callable[[int, int], str] | None = None, longest: int = LONGEST, kind: str = "") -> str:  # fmt: skip
    """A table; the first `left` columns are text, the others numbers; cells are truncated to `longest` characters.

    shade : the background of a cell, by row and column; "" for none.
    """

    def cell(tag: str, value: Any, column: int, row: int = -1) -> str:
        align = ' class="number"' if column >= left else ""
        back = shade(row, column) if shade is not None and row >= 0 else ""
        style = f' style="background:{back}"' if back else ""
        return f"<{tag}{align}{style}>{text(value, longest)}</{tag}>"

    rows = list(rows)
    top = "".join(cell("th", value, i) for i, value in enumerate(head))
    body = "".join(
        "<tr>" + "".join(cell("td", value, i, r) for i, value in enumerate(row)) + "</tr>" for r, row in enumerate(rows)
    )
    said = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    kind = f"{kind} short" if len(rows) <= SHORT else kind
    mark = f' class="{kind.strip()}"' if kind else ""
    return f'<div class="wide"><table{mark}>{said}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


class Pictures:
    """Pictures as SVG inside the page, with unique ids."""

    def __init__(self) -> None:
        self.drawn = 0

    def figure(self, draw: Callable[..., Any], told: str, natural: bool = False, **size: float) -> str:
        """The drawing of `draw(ax)`; with `width` and `height` in inches on axes of this size, else on new axes.

        natural : whether it keeps its size and can be scrolled; in print it fits the paper.
        """
        from matplotlib import pyplot

        self.drawn += 1
        with pyplot.style.context(["default", STYLE]), pyplot.ioff():  # independent of the user's style
            given = None
            if size:
                given = pyplot.figure(figsize=(size["width"], size["height"]), layout="constrained").subplots()
            ax = draw(ax=given)
            file, figure = io.StringIO(), ax.get_figure()
            figure.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None})
            pyplot.close(figure)
        mark = f'<svg role="img" aria-label="{html.escape(told, quote=True)}" '
        drawing = self._own_ids(clean(file.getvalue())).replace("<svg ", mark, 1)
        kind = ' class="natural"' if natural else ""
        return f"<figure{kind}>{drawing}<figcaption>{html.escape(told)}</figcaption></figure>"

    def _own_ids(self, drawing: str) -> str:
        return ID.sub(lambda found: f"{found[0]}f{self.drawn}-", drawing)


def clean(drawing: str) -> str:
    """An SVG file as an element: no head, no comments (they hold names), no metadata."""
    return METADATA.sub("", COMMENT.sub("", HEAD.sub("", drawing)))
