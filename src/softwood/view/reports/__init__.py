"""A model on one page to send or to print: what it is, what it does, how well, and for whom not so well."""

from softwood.view.reports.card import report

__all__ = ["report"]
