"""Two surveys matched on the sky, with chance matches estimated by shifting one of them."""

import numpy as np

from skyjoin.sky import crossmatch, propagate

rng = np.random.default_rng(11)
n = 50000
ra, dec = rng.uniform(100, 110, n), rng.uniform(-5, 5, n)
pmra, pmdec = rng.normal(0, 20, n), rng.normal(0, 20, n)  # mas a year

# The other survey saw half of the stars 16 years earlier, to 0.1″, and others besides.
seen = rng.random(n) < 0.5
then = propagate(ra, dec, pmra, pmdec, -16.0)
other = (np.concatenate([then[0][seen], rng.uniform(100, 110, n // 4)]) + rng.normal(0, 0.1 / 3600, seen.sum() + n // 4),
         np.concatenate([then[1][seen], rng.uniform(-5, 5, n // 4)]) + rng.normal(0, 0.1 / 3600, seen.sum() + n // 4))

plain = crossmatch((ra, dec), other, "0.5 arcsec")
moved = crossmatch(then, other, "0.5 arcsec")
chance = crossmatch((then[0] + 30 / 3600, then[1]), other, "0.5 arcsec")
print(f"{seen.sum()} were seen twice: {len(plain.row1)} matches without proper motions, {len(moved.row1)} with, {len(chance.row1)} by chance")
