"""Ablation of the steps of the soft learner's search: `make ablation`; docs/design/ablation.md has the rule."""
