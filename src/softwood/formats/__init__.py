"""A tree as text or bytes, and back. Formats know the tree, never how it was learned."""

from softwood.formats.failure import FileError
from softwood.formats.json import from_json, to_json
from softwood.formats.overview import summary
from softwood.formats.text import to_text

__all__ = ["FileError", "from_json", "summary", "to_json", "to_text"]
