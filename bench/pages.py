"""The layout of a page of results: title, table, then how it was measured."""

from __future__ import annotations


def lay_out(head: str, told: str) -> str:
    """The page from a head (title and notes) and the results: the table comes first.

    Examples
    --------
    >>> print(lay_out("# Speed\\n\\nOne thread.\\n", "| a |"))
    # Speed
    <BLANKLINE>
    | a |
    <BLANKLINE>
    ## How it was measured
    <BLANKLINE>
    One thread.
    <BLANKLINE>
    """
    title, _, notes = head.strip().partition("\n\n")
    return f"{title}\n\n{told.strip()}\n\n## How it was measured\n\n{notes.strip()}\n"
