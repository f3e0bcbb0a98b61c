"""A spiral: boxes of a hard tree, slanted cuts of a discriminant tree, curves of a soft one."""

from matplotlib import pyplot

from softwood import CARTClassifier, LinearDiscriminantTreeClassifier, SoftTreeClassifier, plot_surface
from softwood.datasets import make_spiral

X, y = make_spiral(400, turns=1.0, random_state=0)
X_test, y_test = make_spiral(2000, turns=1.0, random_state=1)
models = [
    CARTClassifier(random_state=0),
    LinearDiscriminantTreeClassifier(random_state=0),
    SoftTreeClassifier(random_state=0),
]

figure, axes = pyplot.subplots(1, 3, figsize=(13, 4), layout="constrained")
for model, ax in zip(models, axes, strict=True):
    plot_surface(model.fit(X, y), X, y, feature_names=["x", "y"], ax=ax)
    error = 1 - model.score(X_test, y_test)
    ax.set_title(f"{type(model).__name__}\n{model.get_n_leaves()} leaves, test error {error:.1%}")
figure.savefig("spiral.png", dpi=80)
