"""Statistical tests: those used in the papers, and tests of two models on the same rows."""

from softwood.stats.pairs import delong_test, mcnemar_test, paired_t_test, population_stability_index
from softwood.stats.papers import Limits, PairedTest, binomial_limits, five_by_two_f_test, wilcoxon_sizes

__all__ = [
    "Limits",
    "PairedTest",
    "binomial_limits",
    "delong_test",
    "five_by_two_f_test",
    "mcnemar_test",
    "paired_t_test",
    "population_stability_index",
    "wilcoxon_sizes",
]
