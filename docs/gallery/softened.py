"""A hard tree, and the same tree with ramps for steps, on rows that look like those of a gamma-ray telescope."""

from matplotlib import pyplot
from sklearn.metrics import log_loss

from softwood import CARTClassifier, SoftTreeClassifier, plot_calibration, soften
from softwood.datasets import make_magic

X, y = make_magic(2000, random_state=0)
X_test, y_test = make_magic(4000, random_state=1)
hard = CARTClassifier(random_state=0).fit(X, y)
models = {
    "hard": hard,
    "softened by statistics": soften(hard, X, y),
    "softened by gradient": soften(hard, X, y, method="gradient"),
    "a soft tree of its own": SoftTreeClassifier(random_state=0).fit(X, y),
}

figure, axes = pyplot.subplots(1, 4, figsize=(16, 4.4), layout="constrained")
for (name, model), ax in zip(models.items(), axes, strict=True):
    plot_calibration(model, X_test, y_test, ax=ax)
    error = 1 - model.score(X_test, y_test)
    loss = log_loss(y_test, model.predict_proba(X_test))
    ax.set_title(f"{name}\nerror {error:.1%}, log loss {loss:.3f}")
figure.savefig("softened.png", dpi=70)
