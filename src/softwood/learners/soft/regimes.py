"""All thresholds of the soft learner on the number of rows, with their reasons and figures.

Rows are distinct rows after equal ones were merged, unless noted otherwise. From few rows to many:

    up to 3,000      five folds, also with the caller's validation rows       SMALL_TABLE_MAX_ROWS
    from 3,400       more than 16 leaves (17 times ROWS_PER_LEAF), so that    ROWS_PER_LEAF
                     many classes may have mixed slopes
    up to 6,000      two folds                                                MEDIUM_TABLE_MAX_ROWS
    above 6,000      one part in four is held out; kinds and penalties        PARTS_OF_LARGE_TABLE
                     are screened on 6,000 rows; passes by tables
    above 20,000     trees grow on a sample; all rows refine the best one,    SAMPLE_ROWS
                     and columns are recomputed in every pass
    above 100,000    the last refinement has fewer iterations                 FULL_REFINEMENT_MAX_ROWS
    above 250,000    the last refinement begins with 250,000 rows             HEAD_ROWS

The experiments are described in docs/design/soft_learner.md.
"""

# Folds. Five hold out every row once. In larger tables one fold has enough rows, and a tree per fold takes time.
# With the caller's validation rows, folds confirm selections, and their trees start the last refinement.
SMALL_TABLE_MAX_ROWS = 3_000
MEDIUM_TABLE_MAX_ROWS = 6_000
MAX_ROWS_AND_FOLDS = ((SMALL_TABLE_MAX_ROWS, 5), (MEDIUM_TABLE_MAX_ROWS, 2))
PARTS_OF_LARGE_TABLE = 4  # one of them is held out

# Passes over medium tables multiply stored columns; those over larger ones look sums up in tables of segments. Time of
# the second kind over the first, with 100 to 200 columns of 8 to 14 inputs: 480 rows 3.1; 2,000 rows 1 to 2.1; 4,100
# rows 1.1 to 1.4; 12,000 rows .5 to .7.

# Curves. Above 256 inputs only tables of at most this many values (rows times inputs) have curves.
MAX_CURVED_VALUES = 1_000_000

# Leaves. On 15,000 rows of protein_casp the loss still fell at 64 leaves (.2392; .2414 at 58).
ROWS_PER_LEAF = 200
MAX_LEAVES_OF_LARGE_TABLE = 64

# The search. Screening 4,000 rows on 1,500 of them was worse on 8 of 12 tables, in a quarter more time. With fewer
# rows per input, gates on all inputs only overfit.
SCREENING_ROWS_PER_INPUT = 60
# Enough to grow trees and to select one of them. Of more rows neither columns nor an ordered copy is kept.
SAMPLE_ROWS = 20_000

# The last refinement. A pass over a million rows and 360 columns takes a second, and a tree grown on 20,000 rows has
# nearly converged. A million rows with HEAD_ROWS and without: pieces .1042 and .1050, chances .1556 and .1564, in 44
# and 54 s of processor time.
FULL_REFINEMENT_MAX_ROWS = 100_000  # by weight
HEAD_ROWS = 250_000

# Numbers of an intermediate table (64 MiB); what needs more is computed in parts, or from fewer rows.
MAX_NUMBERS_AT_ONCE = 2**23

# Rows that importances, gains and the sums of a tree by other columns are measured on, and those with effort="quick".
IMPORTANCE_ROWS = 5_000
QUICK_IMPORTANCE_ROWS = 250
