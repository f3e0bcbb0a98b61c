"""One table of two inputs by every learner: the probability of a malignant tumour over the plane."""

from matplotlib import pyplot
from sklearn.datasets import load_breast_cancer

from softwood import (
    BuddingTreeClassifier,
    C45Classifier,
    CARTClassifier,
    LinearDiscriminantTreeClassifier,
    MixtureOfExpertsClassifier,
    OmnivariateTreeClassifier,
    SoftTreeClassifier,
    plot_surface,
    soften,
)

data = load_breast_cancer(as_frame=True)
X, y = data.data[["worst texture", "worst concave points"]], data.target_names[data.target]
hard = CARTClassifier(random_state=0).fit(X, y)
models = {
    "cart": hard,
    "c45": C45Classifier().fit(X, y),
    "soft": SoftTreeClassifier(gate="linear", leaf="constant").fit(X, y),
    "budding": BuddingTreeClassifier(gate="linear", leaf="constant").fit(X, y),
    "softened": soften(hard, X, y),
    "discriminant": LinearDiscriminantTreeClassifier().fit(X, y),
    "omnivariate": OmnivariateTreeClassifier().fit(X, y),
    "mixture": MixtureOfExpertsClassifier(depth=1).fit(X, y),
}
for name, model in models.items():
    figure, ax = pyplot.subplots(figsize=(5, 3.4), layout="constrained")
    plot_surface(model, X, y, answer="malignant", ax=ax)
    ax.set_title(f"{type(model).__name__}: {model.get_n_leaves()} leaves")
    figure.savefig(f"learner_{name}.png", dpi=64)
    pyplot.close(figure)
