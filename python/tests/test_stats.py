"""Pair counts against a recount by numpy."""

import os

import numpy as np
import pytest

from skyjoin import sky, stats

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


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["flat", "sky"])
def test_mean_separations_are_weighted(weighted, kind):
    """meanr is Σwr/Σw and meanlogr Σw ln r/Σw, in the unit of separations, as TreeCorr has them."""
    rng = np.random.default_rng(14)
    x, y = rng.uniform(0, 20, 300), rng.uniform(-10, 10, 300)
    w = rng.uniform(0.1, 3, 300) if weighted else None
    if kind == "flat":
        one = stats.Catalog(x=x, y=y, w=w)
        r = np.hypot(x[:, None] - x, y[:, None] - y)
    else:
        one = stats.Catalog(ra=x, dec=y, ra_units="deg", dec_units="deg", w=w)
        p = np.radians([x, y])
        v = np.stack([np.cos(p[1]) * np.cos(p[0]), np.cos(p[1]) * np.sin(p[0]), np.sin(p[1])], axis=1)
        r = np.degrees(2 * np.arcsin(np.sqrt(((v[:, None] - v) ** 2).sum(axis=2)) / 2)) * 60
    units = {} if kind == "flat" else {"sep_units": "arcmin"}
    scale = 1 if kind == "flat" else 60
    nn = stats.NNCorrelation(min_sep=0.5 * scale, max_sep=8 * scale, nbins=5, **units).process(one)
    i = np.triu_indices(300, 1)
    r, ww = r[i], (np.outer(w, w) if weighted else np.ones((300, 300)))[i]
    for k, (lo, hi) in enumerate(zip(nn.edges, nn.edges[1:])):
        m = (r >= lo) & (r < hi)
        assert np.isclose(nn.meanr[k], (ww * r)[m].sum() / ww[m].sum(), rtol=1e-12)
        assert np.isclose(nn.meanlogr[k], (ww * np.log(r))[m].sum() / ww[m].sum(), rtol=1e-12)
    empty = stats.NNCorrelation(min_sep=100, max_sep=300, nbins=2).process(stats.Catalog(x=x[:9], y=y[:9]))
    assert np.array_equal(empty.meanr, empty.rnom) and np.array_equal(empty.meanlogr, np.log(empty.rnom))


def test_arguments_of_corrfunc_are_taken():
    """Those that say how it computes have no effect, and those of a place are where Corrfunc has them."""
    rng = np.random.default_rng(15)
    x, w = rng.random((3, 200)) * 10, rng.random(200)
    how = dict(verbose=True, isa="avx512f", xbin_refine_factor=1, ybin_refine_factor=1, zbin_refine_factor=2, max_cells_per_dim=10, copy_particles=False,
               enable_min_sep_opt=False, fast_divide_and_NR_steps=1)
    for f, first, more in ((stats.DD, (), {}), (stats.DDrppi, (4.0,), {}), (stats.DDsmu, (), {})):
        places = (1.0, 5) if f is stats.DDsmu else ()
        want = f(1, 2, *first, BINS, *places, *x, periodic=False)
        assert np.array_equal(f(1, 2, *first, BINS, *places, *x, periodic=False, **how), want)
        found, seconds = f(1, 2, *first, BINS, *places, *x, None, False, None, None, None, None, None, False, True, c_api_timer=True)
        assert np.array_equal(found["npairs"], want["npairs"]) and seconds > 0 and found[found.dtype.names[2]].any()
    want = stats.DDtheta(1, 2, BINS, x[0], x[1])
    found = stats.DDtheta(1, 2, BINS, x[0], x[1], None, None, None, None, False, True, False, True, fast_acos=True, ra_refine_factor=1, dec_refine_factor=1)
    assert np.array_equal(found["npairs"], want["npairs"]) and found["thetaavg"].any() and list(found["thetamax"]) == list(BINS[1:])
    one = stats.DD(1, 2, BINS, *x, weights1=w, periodic=False, weight_type="pair_product")
    assert np.array_equal(stats.DD(1, 2, BINS, *x, weights1=[w], periodic=False, weight_type="pair_product"), one)
    with pytest.raises(ValueError, match="weights1"):
        stats.DD(1, 2, BINS, *x, weights1=[w, w], periodic=False, weight_type="pair_product")


def survey(rng, weighted, flat=False):
    """A clumpy catalog and random points, and how they are read."""
    n, m = 300, 500
    ra, dec = rng.uniform(0, 12, m + n), rng.uniform(-6, 6, m + n)
    ra[m + 100:], dec[m + 100:] = ra[m:m + 100].repeat(2) + rng.normal(0, 0.3, 200), dec[m:m + 100].repeat(2) + rng.normal(0, 0.3, 200)
    w = rng.uniform(0.5, 2, m + n)
    patch = (ra % 360 // 4 % 3).astype(int) * 2 + (dec > 0)

    def catalog(keep, divided=True):
        names = dict(x=ra, y=dec) if flat else dict(ra=ra, dec=dec)
        columns = {k: v[keep] for k, v in names.items()}
        units = {} if flat else dict(ra_units="deg", dec_units="deg")
        return stats.Catalog(**columns, **units, w=w[keep] if weighted else None, patch=patch[keep] if divided else None)

    data = np.arange(m + n) >= m
    return catalog, data, patch, np.stack([ra, dec, w], axis=1)


KIND = dict(min_sep=0.3, max_sep=6, nbins=4)


def correlate(catalog, data, randoms, divided=True, **kind):
    one, other = catalog(data), catalog(randoms, divided)
    dd, dr, rr = (stats.NNCorrelation(**{**KIND, **kind}).process(*v) for v in ((one,), (one, other), (other,)))
    dd.calculateXi(rr=rr, dr=dr)
    return dd


@pytest.mark.parametrize("weighted", [False, True])
def test_jackknife_leaves_out_one_patch_at_a_time(weighted):
    """Counting again without the rows of a patch gives the same covariance."""
    catalog, data, patch, _ = survey(np.random.default_rng(8), weighted)
    dd = correlate(catalog, data, ~data, sep_units="deg", var_method="jackknife")
    rows = np.array([correlate(catalog, data & (patch != k), ~data & (patch != k), sep_units="deg").xi for k in range(6)])
    want = 5 / 6 * (rows - rows.mean(axis=0)).T @ (rows - rows.mean(axis=0))
    assert np.allclose(dd.cov, want, rtol=1e-9, atol=1e-12) and np.array_equal(dd.varxi, np.diag(dd.cov))
    assert np.allclose(stats.build_cov_design_matrix([dd], "jackknife")[0], rows)
    assert np.allclose(dd.estimate_cov("jackknife", func=lambda n: 2 * n.xi[:2]), 4 * want[:2, :2])
    assert np.allclose(np.diag(dd.estimate_cov("shot")), correlate(catalog, data, ~data, sep_units="deg").varxi)
    twice = stats.estimate_multi_cov([dd, dd], "jackknife")
    assert twice.shape == (8, 8) and np.allclose(twice[:4, 4:], want)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("method, how", [("jackknife", "mean"), ("jackknife", "match"), ("sample", None), ("bootstrap", None), ("bootstrap", "mean"),
                                         ("bootstrap", "geom"), ("marked_bootstrap", None)])
def test_covariances_are_those_of_a_recount(weighted, method, how):
    """All pairs in one matrix, each counted by the patches of its rows."""
    catalog, data, patch, rows = survey(np.random.default_rng(9), weighted, flat=True)
    randoms = ~data
    dd = correlate(catalog, data, ~data, num_bootstrap=20)
    x, w = rows[:, :2], rows[:, 2] if weighted else np.ones(len(rows))
    near = np.searchsorted(dd.edges, np.hypot(*(x[:, None] - x[None, :]).transpose(2, 0, 1)), side="right") - 1
    rng = np.random.default_rng(0)
    draws = {"jackknife": 1 - np.eye(6), "sample": np.eye(6)}.get(method)
    if draws is None:
        draws = [np.bincount(rng.integers(6, size=6), minlength=6) for _ in range(20)]
    found, expected = [], []
    for times in draws:
        t = np.asarray(times, dtype=float)[patch]
        a, b = t[:, None], t[None, :]
        mean = method in ("sample", "marked_bootstrap") or how == "mean"
        m = (a + b) / 2 if mean else np.sqrt(a * b) if how == "geom" else a * b
        if how == "match":
            m = np.where((a > 0) != (b > 0), 1 - 6 / (2 + np.sqrt(2) * 5), m)
        m = np.where(patch[:, None] == patch[None, :], a, m) * w[:, None] * w[None, :]

        def share(one, other):
            pairs = np.triu(m, 1) if one is other else m
            pairs, bins = pairs[np.ix_(one, other)], near[np.ix_(one, other)]
            return np.array([pairs[bins == k].sum() for k in range(4)]) / pairs.sum(), pairs.sum()

        (d, tot), (c, _), (r, _) = share(data, data), share(data, randoms), share(randoms, randoms)
        found.append((d - 2 * c) / r + 1)
        expected.append((r * tot).sum())
    found = np.array(found) - np.mean(found, axis=0)
    if method == "sample":
        found *= np.sqrt(np.array(expected) / np.sum(expected))[:, None]
    want = found.T @ found * (5 / 6 if method == "jackknife" else 1 / (len(found) - 1))
    assert np.allclose(dd.estimate_cov(method, cross_patch_weight=how), want, rtol=1e-9, atol=1e-12)


def test_randoms_need_no_patches():
    catalog, data, patch, _ = survey(np.random.default_rng(10), False)
    dd = correlate(catalog, data, ~data, divided=False, sep_units="deg", var_method="jackknife")
    rows = []
    for k in range(6):
        kept, randoms = catalog(data & (patch != k), False), catalog(~data, False)
        dd_k, dr_k, rr = (stats.NNCorrelation(**KIND, sep_units="deg").process(*v) for v in ((kept,), (kept, randoms), (randoms,)))
        rows.append(dd_k.calculateXi(rr=rr, dr=dr_k)[0])
    rows = np.array(rows) - np.mean(rows, axis=0)
    assert np.allclose(dd.cov, 5 / 6 * rows.T @ rows)


def test_covariances_are_those_of_the_command(tmp_path, monkeypatch):
    import skyjoin

    if not os.environ.get("SKYJOIN_COMMAND"):
        pytest.skip("SKYJOIN_COMMAND is not set: the command is not tried")
    monkeypatch.chdir(tmp_path)
    catalog, data, patch, rows = survey(np.random.default_rng(11), False)
    for name, keep in (("data.csv", data), ("random.csv", ~data)):
        np.savetxt(name, np.column_stack([rows[keep, :2], patch[keep]]), delimiter=",", header="ra,dec,patch", comments="", fmt=["%.17g", "%.17g", "%d"])
    found = skyjoin.run("corr", "data.csv", random="random.csv", bins="log:0.3deg:6deg:4", patches="column:patch", output="w.csv")["result"]["bins"]
    dd = correlate(catalog, data, ~data, sep_units="deg", var_method="jackknife")
    assert np.allclose([b["xi"] for b in found], dd.xi)
    assert np.allclose([b["error"] for b in found], np.sqrt(dd.varxi))
    table = np.genfromtxt("w.csv", delimiter=",", names=True)
    assert np.allclose(np.stack([table[f"cov_{i}"] for i in range(4)]), dd.cov)


def test_patches():
    rng = np.random.default_rng(12)
    x, y = rng.normal(size=(2, 1000))
    one = stats.Catalog(x=x, y=y, npatch=7)
    assert one.npatch == 7 and one.patch_centers.shape == (7, 2) and len(np.unique(one.patch)) == 7
    two = stats.Catalog(x=y, y=x, patch_centers=one.patch_centers)
    squares = ((np.stack([y, x], axis=1)[:, None] - one.patch_centers) ** 2).sum(axis=2)
    assert np.array_equal(two.patch, squares.argmin(axis=1)) and np.array_equal(two.patch_centers, one.patch_centers)
    sky = stats.Catalog(ra=x * 5, dec=y * 5, ra_units="deg", dec_units="deg", npatch=4)
    assert sky.patch_centers.shape == (4, 3) and np.allclose((sky.patch_centers ** 2).sum(axis=1), 1)
    nn = stats.NNCorrelation(**KIND, var_method="jackknife")
    for bad, text in ((dict(npatch=0), "npatch=0"), (dict(npatch=2000), "2000 patches of 1000 rows"), (dict(patch=[1, 2]), "1000 rows"),
                      (dict(npatch=2, patch=x), "one of"), (dict(patch_centers=np.zeros((3, 3))), "2 columns")):
        with pytest.raises(ValueError, match=text):
            stats.Catalog(x=x, y=y, **bad)
    with pytest.raises(ValueError, match="3 and 7 patches"):
        nn.process(stats.Catalog(x=x, y=y, npatch=3), one)
    with pytest.raises(ValueError, match="same patches"):
        plain = stats.Catalog(x=x, y=y)
        nn.process(plain).calculateXi(rr=nn)
    with pytest.raises(ValueError, match="cross_patch_weight='geom'"):
        nn.process(one).estimate_cov("jackknife", cross_patch_weight="geom")


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


def test_columns_must_have_equally_many_rows():
    """Columns of other lengths are refused: the library would read past their ends."""
    x = np.arange(600.0)
    for call in (lambda: stats.DD(1, 2, [0.1, 0.2], x, x[:5], x, periodic=False),
                 lambda: stats.DDtheta(1, 2, [0.1, 5], x[:300], x[:5]),
                 lambda: stats.stat("r", {"x": [1.0, 2], "y": [1.0]}, columns=["x", "y"]),
                 lambda: stats.stat("a.m+b.m", {"x": [1.0, 2, 3, 4], "m": [1.0, 1]}, columns=["x"])):
        with pytest.raises(ValueError, match="equally many"):
            call()
    with pytest.raises(ValueError, match="one dimension"):
        stats.DD(1, 1, [1, 2], 1.0, 2.0, 3.0, periodic=False)


def test_masked_values_are_no_values():
    """What is below a mask is not counted or matched."""
    masked = np.ma.array([1.0, 2, 3], mask=[1, 0, 0])
    with pytest.raises(ValueError, match="row 0"):
        stats.DD(1, 1, [0.1, 2], masked, masked, masked, periodic=False)
    with pytest.raises(ValueError, match="row 0"):
        sky.crossmatch((masked, [1.0, 2, 3]), ([1.0], [1.0]), "1 arcsec")


def test_bins_without_randoms_are_nan():
    def cat(n, seed):
        rng = np.random.default_rng(seed)
        return stats.Catalog(x=rng.uniform(size=n), y=rng.uniform(size=n))

    bins = dict(min_sep=1e-4, max_sep=1, nbins=3)
    data, randoms = stats.NNCorrelation(**bins).process(cat(300, 1)), stats.NNCorrelation(**bins).process(cat(20, 2))
    none = randoms.weight == 0
    assert none.any() and not none.all()
    with pytest.warns(RuntimeWarning, match=f"{none.sum()} of 3 bins have no pairs of randoms"):
        xi, varxi = data.calculateXi(rr=randoms)
    assert np.array_equal(np.isnan(xi), none) and np.array_equal(np.isnan(varxi), none)
