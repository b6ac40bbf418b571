"""Pair counts against a recount by numpy."""

import numpy as np
import pytest

from skyjoin import stats

BINS = np.array([0, 0.5, 1, 2.25])


def separations(x, y, box):
    d = np.abs(x[:, None, :] - y[None, :, :])
    return d if box is None else np.minimum(d, box - d)


@pytest.mark.parametrize("box", [None, 10.0])
@pytest.mark.parametrize("auto", [1, 0])
def test_counts_are_those_of_a_recount(auto, box):
    rng = np.random.default_rng(4)
    x, y = rng.random((200, 3)) * 10, rng.random((150, 3)) * 10
    w, v = rng.random(200), rng.random(150)
    other = {} if auto else dict(zip(("X2", "Y2", "Z2"), y.T), weights2=v)
    common = dict(periodic=box is not None, boxsize=box, weights1=w, weight_type="pair_product", **other)
    d = separations(x, x if auto else y, box)
    r, products = np.sqrt((d ** 2).sum(axis=2)), np.outer(w, w if auto else v)
    got = stats.DD(auto, 2, BINS, *x.T, output_ravg=True, **common)
    within = [(r >= lo) & (r < hi) for lo, hi in zip(BINS, BINS[1:])]
    assert list(got["npairs"]) == [m.sum() for m in within]
    assert np.allclose(got["weightavg"], [products[m].mean() for m in within])
    assert np.allclose(got["ravg"], [r[m].mean() for m in within])
    rp, pi = np.hypot(d[..., 0], d[..., 1]), d[..., 2]
    got = stats.DDrppi(auto, 2, 4.0, BINS[1:], *x.T, **common)
    want = [((rp >= lo) & (rp < hi) & (pi >= k) & (pi < k + 1)).sum() for lo, hi in zip(BINS[1:], BINS[2:]) for k in range(4)]
    assert list(got["npairs"]) == want and list(got["pimax"][:4]) == [1, 2, 3, 4]
    with np.errstate(invalid="ignore"):
        mu = np.abs(pi) / r
    got = stats.DDsmu(auto, 2, BINS[1:], 1.0, 3, *x.T, **common)
    want = [((r >= lo) & (r < hi) & (mu >= a) & (mu < b)).sum() for lo, hi in zip(BINS[1:], BINS[2:])
            for a, b in zip((0, 1 / 3, 2 / 3), (1 / 3, 2 / 3, 2))]
    assert list(got["npairs"]) == want


def test_angles():
    rng = np.random.default_rng(5)
    ra, dec = rng.uniform(0, 20, 300), rng.uniform(-10, 10, 300)
    v = np.stack([np.cos(np.radians(dec)) * np.cos(np.radians(ra)), np.cos(np.radians(dec)) * np.sin(np.radians(ra)), np.sin(np.radians(dec))], axis=1)
    theta = np.degrees(np.arccos(np.clip(v @ v.T, -1, 1)))[np.triu_indices(300, 1)]
    edges = np.geomspace(0.5, 10, 6)
    want, _ = np.histogram(theta, edges)
    got = stats.DDtheta(1, None, edges, ra, dec, output_thetaavg=True)
    assert list(got["npairs"]) == list(2 * want)
    assert np.allclose(got["thetaavg"], [theta[(theta >= a) & (theta < b)].mean() for a, b in zip(edges, edges[1:])])
    data, randoms = (stats.Catalog(ra=a, dec=dec, ra_units="deg", dec_units="deg") for a in (ra, rng.uniform(0, 20, 300)))
    kind = dict(min_sep=0.5, max_sep=10, nbins=5, sep_units="deg")
    dd, rr, dr = (stats.NNCorrelation(**kind).process(*c) for c in ((data,), (randoms,), (data, randoms)))
    assert np.array_equal(dd.npairs, want) and dd.tot == 300 * 299 / 2 and dr.tot == 300 * 300
    xi, varxi = dd.calculateXi(rr=rr, dr=dr)
    assert np.allclose(xi, (dd.npairs / dd.tot - 2 * dr.npairs / dr.tot) / (rr.npairs / rr.tot) + 1)
    assert (varxi > 0).all() and np.array_equal(np.diag(dd.cov), varxi)


def test_rdf_of_even_points_is_one():
    x = np.random.default_rng(6).random((4000, 3)) * 10
    r, g = stats.rdf(x, np.linspace(0.5, 5, 10), 10.0)
    assert np.allclose(g, 1, atol=0.05) and np.allclose(r, np.linspace(0.75, 4.75, 9))


def test_requests_that_cannot_be():
    x = np.zeros((3, 5))
    with pytest.raises(ValueError, match="needs boxsize"):
        stats.DD(1, None, BINS, *x)
    with pytest.raises(ValueError, match="columns of the second"):
        stats.DD(0, None, BINS, *x, periodic=False)
    with pytest.raises(ValueError):
        stats.DD(1, None, [2, 1], *x, periodic=False)
    with pytest.raises(ValueError, match="over half"):
        stats.DD(1, None, [1, 6], *x, boxsize=10.0)
