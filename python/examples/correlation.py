"""w(θ) of clustered positions by Landy & Szalay (1993)."""

import numpy as np

from skyjoin.stats import Catalog, NNCorrelation

rng = np.random.default_rng(3)


def sky(ra, dec):
    inside = (ra > 0) & (ra < 20) & (abs(dec) < 10)
    return Catalog(ra=ra[inside], dec=dec[inside], ra_units="deg", dec_units="deg")


def even(n):
    return rng.uniform(0, 20, n), np.degrees(np.arcsin(rng.uniform(np.sin(np.radians(-10)), np.sin(np.radians(10)), n)))


parents = even(2000)
children = [np.repeat(p, 5) + rng.normal(0, 0.1, 10000) for p in parents]
data, randoms = sky(*children), sky(*even(50000))

bins = dict(min_sep=0.02, max_sep=5, nbins=8, sep_units="deg")
dd, rr, dr = (NNCorrelation(**bins).process(*c) for c in ((data,), (randoms,), (data, randoms)))
xi, varxi = dd.calculateXi(rr=rr, dr=dr)
for r, w, v in zip(dd.meanr, xi, varxi):
    print(f"{r:6.3f}°  w = {w:7.3f} ± {np.sqrt(v):.3f}")
