"""What each step of the soft learner's search is worth: `make ablation`; docs/design/ablation.md has the rule."""
