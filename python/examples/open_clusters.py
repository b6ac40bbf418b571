"""Open clusters in a field of stars: HDBSCAN on positions, proper motions and parallaxes.

The clusters have different densities, so that no radius of DBSCAN finds all of them.
"""

import numpy as np

from skyjoin.cluster import HDBSCAN

rng = np.random.default_rng(7)
field = np.column_stack([rng.uniform(-2, 2, (20000, 2)), rng.normal(0, 5, (20000, 2)), rng.gamma(2, 0.5, 20000)])
members = [np.column_stack([rng.normal(c[:2], size, (n, 2)), rng.normal(c[2:4], 0.2, (n, 2)), rng.normal(c[4], 0.03, n)])
           for c, size, n in (((0.5, 0.5, 8, -6, 2.0), 0.1, 300), ((-1, 0.2, -7, 9, 1.2), 0.3, 150), ((1, -1.2, 10, 8, 0.8), 0.05, 80))]
stars = np.concatenate([field, *members])
truth = np.repeat([-1, 0, 1, 2], [len(field)] + [len(m) for m in members])

# Each coordinate in units of what a cluster measures in it, as Hunt & Reffert (2021) suggest to scale.
scaled = stars / [0.2, 0.2, 0.5, 0.5, 0.1]
found = HDBSCAN(min_cluster_size=40, min_samples=10, cluster_selection_method="leaf").fit(scaled)

for k in range(3):
    labels, counts = np.unique(found.labels_[truth == k], return_counts=True)
    best = labels[counts.argmax()]
    share = (truth[found.labels_ == best] == k).mean()
    print(f"cluster of {np.sum(truth == k)}: {counts.max()} found, {share:.0%} of what was found belongs to it")

# The catalog with its clusters, and a figure that any browser shows.
np.savetxt("clusters.csv", np.column_stack([stars, found.labels_]), delimiter=",", header="x,y,pmx,pmy,parallax,cluster", comments="", fmt=["%.6f"] * 5 + ["%d"])
colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
order = np.argsort(found.labels_, kind="stable")  # clusters above the field
dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{1 + (k >= 0)}" fill="{colours[k % len(colours)] if k >= 0 else "#ccc"}"/>'
        for x, y, k in zip(*(300 + 140 * stars[order, :2]).T, found.labels_[order])]
with open("clusters.svg", "w", encoding="utf-8") as figure:
    figure.write('<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600">' + "\n".join(dots) + "</svg>\n")
print("wrote clusters.csv and clusters.svg")
