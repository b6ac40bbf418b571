"""ξ(r) of halos in a periodic box, from exact pair counts."""

import numpy as np

from skyjoin.stats import DD, rdf

rng = np.random.default_rng(5)
box, n = 100.0, 20000
centres = rng.random((n // 10, 3)) * box
halos = (np.repeat(centres, 10, axis=0) + rng.normal(0, 0.7, (n, 3))) % box

edges = np.geomspace(0.3, 20, 9)
counts = DD(1, None, edges, *halos.T, boxsize=box, output_ravg=True)
even = n * (n - 1) * 4 / 3 * np.pi * np.diff(edges ** 3) / box ** 3  # ordered pairs, as Corrfunc counts them
for row, expected in zip(counts, even):
    print(f"{row['ravg']:7.3f}  {row['npairs']:9d} pairs  ξ = {row['npairs'] / expected - 1:8.3f}")
r, g = rdf(halos, edges, box)
assert np.allclose(g, counts["npairs"] / even)
