"""The results of the runs: every variant against the default, over tables and seeds.

ratio = exp(mean over tables of the mean over seeds of log(error / default's error)), its standard error over tables
spread = standard deviation over seeds of log(error), against the default's
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

DEFAULT = "default"
LEAST_ERROR = 1e-3  # minimum error: below, ratios are meaningless
CLEAR_SE = 2.0  # standard errors by which a step must change the error
SAVED_TIME = 0.97  # ratio of processor time below which a step's absence saves some


Table = Mapping[str, Mapping[str, Mapping[str, str]]]  # by table and seed


class Verdict(NamedTuple):
    """A variant against the default. Ratios below 1: the variant is lower."""

    variant: str
    tables: int
    ratio: float
    standard_error: float
    log_loss: float
    seconds: float
    spread: float
    default_spread: float

    @property
    def word(self) -> str:
        """The verdict by the rule in docs/design/ablation.md."""
        change, clear = np.log(self.ratio), CLEAR_SE * self.standard_error
        if change < -clear:
            return "better, but less steady" if self.spread > self.default_spread else "better"
        if change > clear:
            return "worse"
        return "the same, and saves time" if self.seconds < SAVED_TIME else "the same"


def judge(runs: Iterable[Mapping[str, str]], beside: str = DEFAULT) -> list[Verdict]:
    """Verdicts on every variant that shares a table and a seed with the reference."""
    by_variant: dict[str, dict[str, dict[str, Mapping[str, str]]]] = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        by_variant[run["variant"]][", ".join([run["table"], run["rows"], run.get("shaken") or ""])][run["seed"]] = run
    base = by_variant.pop(beside, {})
    found = [_verdict(name, base, mine) for name, mine in by_variant.items()]
    return [verdict for verdict in found if verdict is not None]


def _verdict(name: str, base: Table, mine: Table) -> Verdict | None:
    rows = []
    for table in sorted(set(base) & set(mine)):
        seeds = sorted(set(base[table]) & set(mine[table]))
        if not seeds:
            continue
        logs = {which: np.log([max(float(runs[table][s]["error"]), LEAST_ERROR) for s in seeds])
                for which, runs in (("base", base), ("mine", mine))}  # fmt: skip
        loss, time = (
            np.mean([float(mine[table][s][what]) - float(base[table][s][what]) for s in seeds])
            if what == "log_loss"
            else np.mean([np.log((float(mine[table][s][what]) + 0.01) / (float(base[table][s][what]) + 0.01))
                          for s in seeds])
            for what in ("log_loss", "seconds")
        )  # fmt: skip
        spreads = [logs[which].std(ddof=1) if len(seeds) > 1 else np.nan for which in ("mine", "base")]
        rows.append([(logs["mine"] - logs["base"]).mean(), loss, time, *spreads])
    if not rows:
        return None
    table_of = np.array(rows, np.float64)
    change = table_of[:, 0]
    error = change.std(ddof=1) / np.sqrt(len(change)) if len(change) > 1 else float("nan")
    loss = float(np.nanmean(table_of[:, 1])) if np.isfinite(table_of[:, 1]).any() else float("nan")
    spread = [float(np.nanmean(table_of[:, c])) if np.isfinite(table_of[:, c]).any() else float("nan") for c in (3, 4)]
    seconds = float(np.exp(table_of[:, 2].mean()))
    return Verdict(name, len(rows), float(np.exp(change.mean())), float(error), loss, seconds, *spread)


def to_text(runs: Iterable[Mapping[str, str]], beside: str = DEFAULT) -> str:
    """The verdicts as a table in Markdown."""
    head = f"| variant | tables | error ± se | log loss, difference | time, ratio | spread ({beside}'s) | verdict |"
    lines = [head, "|---|--:|--:|--:|--:|--:|---|"]
    for v in judge(runs, beside):
        lines.append(
            f"| {v.variant} | {v.tables} | {v.ratio:.3f} ± {v.standard_error:.3f} | {v.log_loss:+.4f} "
            f"| {v.seconds:.2f} | {v.spread:.3f} ({v.default_spread:.3f}) | {v.word} |"
        )
    return "\n".join(lines)
