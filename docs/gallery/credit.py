"""Credit: a tree that may only fall with debts and rise with income, and the reasons for a refusal."""

import numpy as np
import pandas as pd

from softwood import CARTClassifier, explain, plot_reasons, plot_tree

rng = np.random.default_rng(0)
n = 1500
people = pd.DataFrame(
    {
        "income": rng.lognormal(10.3, 0.45, n).round(-2),
        "debts": rng.lognormal(8.5, 1.0, n).round(-2),
        "years employed": rng.integers(0, 30, n).astype(float),
        "housing": pd.Categorical(rng.choice(["rents", "owns", "family"], n, p=[0.5, 0.35, 0.15])),
    }
)
score = np.log(people.income) - 0.45 * np.log(people.debts) + 0.03 * people["years employed"] - 6.3
paid = np.where(score + 0.3 * (people.housing == "owns") + rng.logistic(0, 0.25, n) > 0, "paid", "failed")
people.loc[rng.random(n) < 0.1, "years employed"] = np.nan  # some did not say

model = CARTClassifier(
    monotonic_cst={"income": 1, "debts": -1},  # of the second class, "paid"
    costs={("failed", "paid"): 3.0},  # a loan that fails costs three times one not given
    min_samples_leaf=50,
    random_state=0,
).fit(people, paid)
plot_tree(model, people, paid).get_figure().savefig("credit_tree.png", dpi=80)

refused = int(np.flatnonzero(model.predict(people) == "failed")[0])
why = explain(model, people)
print(why.to_text(refused))
for reason in why.reasons(refused, "paid", side="against"):
    print(f"against: {reason.text}")
plot_reasons(why, refused).get_figure().savefig("credit_reasons.png", dpi=80)
