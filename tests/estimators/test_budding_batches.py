"""Budding trees from rows in batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softwood import Batches, BuddingTreeClassifier, BuddingTreeRegressor, C45Classifier
from tests.intake.batch_tables import INPUTS, SMALL, draw_samples_of, pieces, table_of

KINDS = [(BuddingTreeRegressor, "y"), (BuddingTreeClassifier, "two"), (BuddingTreeClassifier, "three")]
JOINT = {"gate": "linear", "leaf": "constant", "weight_penalty": 1e-3, "leafness_penalty": 1e-3, "max_nodes": 7}


@pytest.mark.parametrize(("kind", "target"), KINDS)
def test_one_pass_online_is_partial_fit_to_the_last_bit(kind: Any, target: str) -> None:
    table = table_of(1500)
    batched = kind(learner="online").fit(Batches(pieces(table), memory=SMALL, columns=INPUTS), target)
    known = {"classes": batched.classes_} if target != "y" else {}
    stream = kind(learner="online", categorical_features=["colour"])
    first = table.select(INPUTS).to_pandas().astype({"colour": "category"})
    for begin in range(0, len(table), 400):
        at = slice(begin, begin + 400)
        stream.partial_fit(first[at], table[target].to_pandas()[at], **known)
    np.testing.assert_array_equal(batched.tree_.response, stream.tree_.response)
    np.testing.assert_array_equal(batched.tree_.weight, stream.tree_.weight)
    assert batched.tree_.provenance.n_rows == 1500


@pytest.mark.parametrize(("kind", "target"), [pytest.param(*KINDS[0], marks=pytest.mark.long), KINDS[1]])
def test_the_joint_learner_finds_a_tree_as_good_as_in_memory(
    kind: Any, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, fresh = table_of(600), table_of(1500, seed=1)
    memory = kind(**JOINT).fit(table.select(INPUTS), table[target])
    assert memory.tree_.n_nodes > 1
    whole = kind(**JOINT).fit(Batches(pieces(table), memory=SMALL, columns=INPUTS), target)
    np.testing.assert_array_equal(whole.tree_.first_child, memory.tree_.first_child)
    encoded = memory.encode(fresh.select(INPUTS))
    np.testing.assert_array_equal(whole.tree_.predict(encoded), memory.tree_.predict(encoded))
    assert whole.tree_.count[0] == pytest.approx(memory.tree_.count[0])
    draw_samples_of(400, monkeypatch)  # of which the tree is searched; all rows refine it
    batched = kind(**JOINT).fit(Batches(pieces(table), memory=SMALL, columns=INPUTS), target)
    sampled = kind(**JOINT).fit(table.select(INPUTS), table[target])
    scores = [model.score(fresh.select(INPUTS), fresh[target].to_pylist()) for model in (batched, sampled)]
    assert scores[0] == pytest.approx(scores[1], abs=0.01)
    batched.partial_fit(fresh.select(INPUTS), fresh[target])  # and it goes on
    assert batched.tree_.provenance.n_rows == 2100


def test_what_one_pass_cannot_do_is_refused(tmp_path: Any) -> None:
    table = table_of(50)
    source = Batches(pieces(table), columns=INPUTS, checkpoint=tmp_path / "fit.journal")
    with pytest.raises(ValueError, match="takes one pass over batches, and a checkpoint records whole passes"):
        BuddingTreeRegressor(learner="online").fit(source, "y")
    with pytest.raises(ValueError, match="drop X_val, y_val"):
        BuddingTreeRegressor(learner="online").fit(source, "y", X_val=table.select(INPUTS), y_val=table["y"])
    with pytest.raises(TypeError, match=r"C45Classifier needs rows in memory, but X is Batches.*sample\(100_000\)"):
        C45Classifier().fit(source, "two")
