"""All commands of docs/cli.md run in order in one folder and print what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from softwood.cli import app

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
BLOCK = re.compile(r"^```(?P<kind>python|console)\n(?P<body>.*?)^```", re.DOTALL | re.MULTILINE)


def commands(body: str) -> list[tuple[list[str], str]]:
    """Words and output of each command in a block."""
    parts = re.split(r"^\$ softwood ", body, flags=re.MULTILINE)
    assert parts[0] == ""
    told = [part.partition("\n") for part in parts[1:]]
    return [(shlex.split(line), output) for line, _, output in told]


def pattern(output: str) -> str:
    """A regular expression of printed lines: … stands for anything."""
    return re.escape(output).replace("…", r"[\s\S]*?")


def test_the_commands_print_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        if block["kind"] == "python":
            exec(compile(block["body"], PAGE.name, "exec"), {})
            continue
        for words, output in commands(block["body"]):
            result = CliRunner().invoke(app, words)
            assert result.exit_code == 0, f"{words}: {result.output}"
            assert re.fullmatch(pattern(output), result.stdout), f"{words} printed\n{result.stdout}"
            ran += 1
    assert ran == PAGE.read_text(encoding="utf-8").count("\n$ softwood ")
