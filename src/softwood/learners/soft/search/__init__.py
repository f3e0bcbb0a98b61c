"""The search among kinds of trees and penalties, by the loss on held-out rows.

    screen             every kind (columns of gates, slopes of leaves) at one penalty          screening.py
    tune the penalty   of the kinds near the best: heavier and lighter while the loss falls    penalty_tuning.py
    select features    without the least useful inputs, if clearly better; screen and tune     feature_selection.py
                       in a sparse table: without all columns not needed                       stored_columns.py
    try axis gates     unpenalized gates of one input; if these are best, either kind          screening.py
    race               the best eight on the other folds; clearly worse ones drop out          race.py
    reweight features  the best one again, inputs weighted by relevance                        reweighting.py

For large tables the first four steps run on a sample. The best few trees then grow on more rows, beside a tree with
many leaves (many_leaves.py), and the penalty of the best one is tuned there.
Threads change only the time: kinds are independent, and results are added in order.
Reasons and measurements for each step: docs/design/soft_learner.md.
"""

from softwood.learners.soft.search.breadth import BREADTH, Effort
from softwood.learners.soft.search.feature_selection import FeatureSelection
from softwood.learners.soft.search.penalty_tuning import FIRST_STRENGTH, STRENGTHS
from softwood.learners.soft.search.search import ModelSearch, SearchSteps
from softwood.learners.soft.search.stored_columns import StoredSelection
from softwood.learners.soft.search.trials import Trials

__all__ = [
    "BREADTH",
    "FIRST_STRENGTH",
    "STRENGTHS",
    "Effort",
    "FeatureSelection",
    "ModelSearch",
    "SearchSteps",
    "StoredSelection",
    "Trials",
]
