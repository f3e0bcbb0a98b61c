"""Hierarchical mixtures of experts (Jordan and Jacobs 1994): a soft tree of fixed shape, learned by EM."""
