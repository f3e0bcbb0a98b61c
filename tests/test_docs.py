"""The documentation is complete: every parameter has its entry, every link is valid."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import softwood

ROOT = Path(__file__).parents[1]
CODE = r"```.*?```|`[^`\n]*`|^    [^\n]*$"  # fenced, inline, indented: what looks like a link there is none
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


@pytest.mark.parametrize("name", ["CARTClassifier", "CARTRegressor"])
def test_every_parameter_of_cart_is_documented(name: str) -> None:
    page = (ROOT / "docs" / "cart.md").read_text(encoding="utf-8")
    parameters = inspect.signature(getattr(softwood, name)).parameters
    assert [p for p in parameters if f"`{p}`" not in page] == []


@pytest.mark.parametrize("name", ["SoftTreeClassifier", "SoftTreeRegressor"])
def test_every_parameter_of_soft_trees_is_documented(name: str) -> None:
    page = (ROOT / "docs" / "soft.md").read_text(encoding="utf-8")
    parameters = inspect.signature(getattr(softwood, name)).parameters
    assert [p for p in parameters if f"`{p}`" not in page] == []


FAMILY = {"LinearDiscriminantTree": "discriminant", "OmnivariateTree": "omnivariate", "MixtureOfExperts": "mixture"}


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
@pytest.mark.parametrize("name", FAMILY)
def test_every_parameter_of_the_family_is_documented(name: str, kind: str) -> None:
    page = (ROOT / "docs" / f"{FAMILY[name]}.md").read_text(encoding="utf-8")
    parameters = inspect.signature(getattr(softwood, name + kind)).parameters
    assert [p for p in parameters if f"`{p}`" not in page] == []


@pytest.mark.parametrize("name", ["BuddingTreeClassifier", "BuddingTreeRegressor"])
def test_every_parameter_of_budding_trees_is_documented(name: str) -> None:
    page = (ROOT / "docs" / "budding.md").read_text(encoding="utf-8")
    parameters = inspect.signature(getattr(softwood, name)).parameters
    assert [p for p in parameters if f"`{p}`" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    prose = re.sub(CODE, "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", prose)
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_example_of_the_tree_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "tree.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(example, {})  # it is ours
    assert capsys.readouterr().out.startswith("2\nCARTClassifier 0.")


def test_the_changelog_knows_this_version() -> None:
    assert f"## {softwood.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_reference_has_every_public_name() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    told = {name.rsplit(".", 1)[1] for name in re.findall(r"^::: (\S+)$", pages, flags=re.MULTILINE)}
    assert [name for name in softwood.__all__ if name not in told and not name.startswith("__")] == []
