"""A tree as text or bytes, and back. Formats know the tree, never how it was learned."""

from softwood.formats.overview import summary
from softwood.formats.text import to_text

__all__ = ["summary", "to_text"]
