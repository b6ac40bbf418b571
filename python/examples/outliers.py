"""Stars that do not belong: local outlier factors and the order of OPTICS."""

import numpy as np

from skyjoin.cluster import OPTICS
from skyjoin.neighbors import LocalOutlierFactor

rng = np.random.default_rng(13)
dense, loose = rng.normal((0, 0), 0.2, (300, 2)), rng.normal((4, 4), 1, (300, 2))
strays = np.array([[1.2, 1.2], [-1, 1], [8.5, 0]])
stars = np.concatenate([dense, loose, strays])

lof = LocalOutlierFactor(20).fit(stars)
worst = np.argsort(lof.negative_outlier_factor_)[:3]
print("most outlying rows:", sorted(worst.tolist()), "of", len(stars))
order = OPTICS(min_samples=15, xi=0.1).fit(stars)
print("clusters:", order.labels_.max() + 1, "of", np.bincount(order.labels_[order.labels_ >= 0]).tolist())
