"""Stars and galaxies told apart by colour and size, with the probability of each."""

import numpy as np

from skyjoin.neighbors import KNeighborsClassifier

rng = np.random.default_rng(9)


def sample(n):
    kind = rng.choice(["star", "galaxy"], n, p=[0.3, 0.7])
    star = kind == "star"
    colour = np.where(star, rng.normal(0.5, 0.3, n), rng.normal(1.0, 0.4, n))
    size = np.where(star, rng.normal(1.0, 0.05, n), rng.gamma(4, 0.25, n) + 0.9)
    return np.column_stack([colour / 0.3, size / 0.1]), kind


train, kinds = sample(20000)
test, truth = sample(5000)
model = KNeighborsClassifier(25, weights="distance").fit(train, kinds)
share = model.predict_proba(test).max(axis=1)
right = model.predict(test) == truth
print(f"right: {right.mean():.3f}; of those with a share over 0.9 ({(share > 0.9).mean():.0%} of all): {right[share > 0.9].mean():.3f}")
