"""Soft trees of sparse tables: linear columns, in time and memory of what is stored (kernels/sparse/stored_rows.py).

    design.py       the columns: centred and scaled by what is stored
    rows.py         engines of them, and what new gates start from: whether a row stores something
    ablation.py     what a tree loses without an input
    compaction.py   fewer columns, where the tree is hardly worse without the others

All else is the joint learner's: growth, refinement, the search, the choice.
"""
