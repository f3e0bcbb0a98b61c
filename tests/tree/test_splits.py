"""The order of splits is computed only if the steps of growth are requested."""

from softwood import CARTRegressor
from softwood.tree import splits


def test_a_fit_without_a_callback_orders_no_splits(monkeypatch):
    """It took half of the time of a small fit."""
    asked = []
    monkeypatch.setattr(splits, "split_order", lambda tree: asked.append(tree) or [])
    model = CARTRegressor(prune=None).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0])
    assert not asked
    assert len(list(splits.growth_of(model.tree_))) == 1
    assert asked
