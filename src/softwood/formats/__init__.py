"""A tree as text or bytes, and back. Formats depend on the tree alone, not on how it was learned."""

from softwood.formats.c import to_c
from softwood.formats.drawings import to_dot, to_mermaid
from softwood.formats.failure import FileError
from softwood.formats.java import to_java
from softwood.formats.javascript import to_javascript
from softwood.formats.json import from_json, to_json
from softwood.formats.languages import export
from softwood.formats.lightgbm import from_lightgbm
from softwood.formats.onnx import to_onnx
from softwood.formats.overview import summary
from softwood.formats.points import scorecard
from softwood.formats.python import to_python
from softwood.formats.sklearn import from_sklearn, to_sklearn
from softwood.formats.sql import to_sql
from softwood.formats.text import to_text

__all__ = [
    "FileError",
    "export",
    "from_json",
    "from_lightgbm",
    "from_sklearn",
    "scorecard",
    "summary",
    "to_c",
    "to_dot",
    "to_java",
    "to_javascript",
    "to_json",
    "to_mermaid",
    "to_onnx",
    "to_python",
    "to_sklearn",
    "to_sql",
    "to_text",
]
