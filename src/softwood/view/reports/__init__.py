"""A model on one page to send or print: description, tree, errors, and errors by group."""

from softwood.view.reports.card import report

__all__ = ["report"]
