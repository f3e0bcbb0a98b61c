"""`softwood demo` runs from rows to rules, with a hard and a soft tree."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from softwood.cli import app


def test_the_demo_shows_table_rules_and_a_good_accuracy() -> None:
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0, result.output
    assert "CARTClassifier: 379 rows" in result.output
    assert re.search(r"(mean|worst) (radius|perimeter|area|concave points) [≤>]", result.output)
    hard, soft = (float(found) for found in re.findall(r"Test accuracy (0\.\d+) with \d+ nodes", result.output))
    # Always answering "benign" gets 0.626 on these rows; scikit-learn's tree, full or pruned, gets 0.874.
    assert hard > 0.85
    assert soft > 0.92
    page = Path(re.search(r"an interactive page: (\S+\.html)", result.output).group(1))  # type: ignore[union-attr]
    assert "worst radius" in page.read_text(encoding="utf-8")
    page.unlink()
    written = Path(re.search(r"A report on the test rows: (\S+\.html)", result.output).group(1))  # type: ignore[union-attr]
    assert written.parent == page.parent
    assert "Breast cancer: a soft tree" in written.read_text(encoding="utf-8")
    written.unlink()
