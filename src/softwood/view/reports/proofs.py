"""The part of a report on monotone constraints: the requested ones, and what is proved for the finished tree."""

from __future__ import annotations

from softwood.tree.proofs import WORDS, recorded_certificate, spell_direction
from softwood.view.plots.scene import Scene
from softwood.view.reports.markup import paragraph, preformatted, table

MOST_INPUTS = 60


def show_proofs(scene: Scene) -> str:
    """The certificate, and the proved direction of every input of the tree."""
    told = "<h3>Monotone constraints</h3>"
    tree, learned = scene.tree, getattr(scene.model, "tree_", scene.tree)
    proof = recorded_certificate(tree, learned.schema.features)
    told += paragraph("The model was learned without constraints.") if proof is None else preformatted(str(proof))
    if scene.classes and len(scene.labels) > 2:
        return told
    asked = {} if proof is None else proof.signs
    names = tree.schema.features
    lines = [
        [names[f], WORDS[asked[names[f]]] if names[f] in asked else "", spell_direction(tree, f, "")]
        for f in scene.used[:MOST_INPUTS]
    ]
    if not lines:
        return told
    what = f"the probability of {scene.labels[1]}" if scene.classes else "the prediction"
    said = f"How {what} changes as an input increases and the others stay. What is proved holds for all values; where "
    said += "nothing is, it may still be monotone."
    return told + table(["input", "constraint", "proved"], lines, left=3, caption=said)


def notes_on_proofs(scene: Scene) -> list[str]:
    """Notes: constraints that are not proved."""
    learned = getattr(scene.model, "tree_", scene.tree)
    proof = recorded_certificate(scene.tree, learned.schema.features)
    if proof is None or proof.holds:
        return []
    return [f"The monotone constraints are not proved: {proof.failures[0]}."]
