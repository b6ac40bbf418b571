"""Correlations of positions, as TreeCorr has them, and their covariance by patches."""

import copy
import warnings

import numpy as np

from . import _engine as e
from . import _library as c
from ._checks import finite, one_of, real, weights_of, whole
from ._pairs import count
from ._process import carried_out

_ANGLES = {"deg": 1.0, "degrees": 1.0, "arcmin": 1 / 60, "arcsec": 1 / 3600, "rad": 180 / np.pi, "radians": 180 / np.pi, "hour": 15.0, "hours": 15.0}


class Catalog:
    """Positions, weights and patches, as ``treecorr.Catalog``.

    Parameters
    ----------
    x, y, z : array, optional
    ra, dec : array, optional
    ra_units, dec_units : {"deg", "arcmin", "arcsec", "rad", "hours"}
    w : array, optional
    npatch : int, optional
        Patches for covariances, by k-means.
    patch : array of int, optional
        The patch of each row, from 0.
    patch_centers : array, optional
        Rows belong to the nearest of these centres, ``patch_centers`` of another
        catalog.

    Attributes
    ----------
    patch : ndarray of int, or None
    npatch : int
        1 without patches.
    patch_centers : ndarray
        On the sky unit vectors; None of patches that were given as numbers.
    """

    def __init__(self, *, x=None, y=None, z=None, ra=None, dec=None, ra_units=None, dec_units=None, w=None, npatch=None, patch=None,
                 patch_centers=None):
        flat, sky = [v is not None for v in (x, y)], [v is not None for v in (ra, dec)]
        if any(flat) == any(sky) or not (all(flat) or all(sky)) or any(sky) and z is not None:
            raise ValueError("a catalog needs x and y, or ra and dec, or x, y and z")
        if ra is not None:
            one_of("ra_units", ra_units, _ANGLES)
            one_of("dec_units", dec_units, _ANGLES)
            given = {"ra": ra, "dec": dec}
        else:
            given = {name: v for name, v in (("x", x), ("y", y), ("z", z)) if v is not None}
        self.coords = "spherical" if ra is not None else "3d" if z is not None else "flat"
        self._columns = [e.as_float(v).astype(np.float64) for v in given.values()]
        self.ntot = e.same_rows(self._columns)
        for name, v in zip(given, self._columns):
            finite(v, name)
        if ra is not None:
            for v, unit in zip(self._columns, (ra_units, dec_units)):
                v *= _ANGLES[unit]
        self.w = weights_of(w, self.ntot, "w")
        self.sumw = float(self.ntot if self.w is None else self.w.sum())
        self.patch, self.npatch, self.patch_centers = None, 1, None
        self._divide(npatch, patch, patch_centers)

    def _divide(self, npatch, patch, centers):
        if sum(v is not None for v in (npatch, patch, centers)) > 1:
            raise ValueError("give one of npatch, patch and patch_centers")
        if patch is not None:
            numbers = np.asarray(patch)
            if numbers.shape != (self.ntot,) or numbers.dtype.kind not in "iu" or numbers.min(initial=0) < 0:
                raise ValueError(f"patch of shape {numbers.shape} and type {numbers.dtype}, it must be a whole number from 0 for each of {self.ntot} rows")
            self.patch, self.npatch = np.ascontiguousarray(numbers, dtype=np.int32), int(numbers.max(initial=0)) + 1
        elif npatch is not None or centers is not None:
            dim = 3 if self.coords == "spherical" else len(self._columns)
            if centers is not None:
                centers = np.ascontiguousarray(centers, dtype=np.float64)
                if centers.ndim != 2 or centers.shape[1] != dim or len(centers) == 0:
                    raise ValueError(f"patch_centers of shape {centers.shape}, they must have {dim} columns")
                npatch = len(centers)
            patch, centers = _patches(self._columns, self.coords, whole("npatch", npatch, 1), centers)
            self.patch, self.npatch, self.patch_centers = patch.astype(np.int32), npatch, centers.reshape(npatch, -1)


@carried_out
def _patches(columns, coords, npatch, centers):
    """Return the patch of each row and the centres of patches."""
    what = c.Patches(patches=npatch, centres=e.pointer(centers))
    return e.run("patches", e.Points(columns), _metric(coords), what, keep=centers).take(c.LABELS, c.CENTRES)


@carried_out
def _pairs(columns, others, coords, edges, options, **more):
    """Return the fields of a count with means by weight."""
    opts = e.options(*options)
    one, two = (v and e.Points(v, opts.threads) for v in (columns, others))
    return count(one, two, _metric(coords), edges, means="weights", opts=opts, **more)


def _metric(coords):
    return e.Metric(c.SKY if coords == "spherical" else c.EUCLIDEAN)


class NNCorrelation:
    """Two-point correlation of positions in bins of log separation, as ``treecorr.NNCorrelation`` with ``bin_slop=0``.

    Parameters
    ----------
    min_sep, max_sep : float
        In ``sep_units``.
    nbins : int, optional
    bin_size : float, optional
        In log r, instead of nbins.
    sep_units : str, optional
        For positions on the sky: deg, arcmin, arcsec or rad (the default).
    var_method : {"shot", "jackknife", "sample", "bootstrap", "marked_bootstrap"}
        What ``varxi`` and ``cov`` are of. All but "shot" need catalogs with patches.
    num_bootstrap : int
    cross_patch_weight : {None, "simple", "mean", "geom", "match"}
        How pairs across patches count, see :meth:`estimate_cov`.
    rng : numpy.random.Generator, optional
        Of the bootstraps; without it draws are the same every time.
    n_jobs, device, memory
        As in :class:`skyjoin.cluster.DBSCAN`.

    Attributes
    ----------
    rnom : ndarray
        The geometric middle of each bin.
    meanr, meanlogr : ndarray
        Means of r and ln r by the weights of the pairs; where these add up to 0,
        ``rnom`` and its logarithm.
    npairs, weight : ndarray
        Each pair of one catalog once.
    xi, varxi : ndarray
        After :meth:`calculateXi`.
    cov : ndarray
        The covariance of ``xi``; of "shot" diagonal.
    """

    def __init__(self, *, min_sep, max_sep, nbins=None, bin_size=None, sep_units=None, var_method="shot", num_bootstrap=500,
                 cross_patch_weight=None, rng=None, n_jobs=None, device="auto", memory=None):
        if (nbins is None) == (bin_size is None):
            raise ValueError("give nbins or bin_size, one of them")
        min_sep = real("min_sep", min_sep, above=0)
        max_sep = real("max_sep", max_sep, above=min_sep)
        if nbins is None:
            nbins = int(np.ceil(np.log(max_sep / min_sep) / real("bin_size", bin_size, above=0)))
            max_sep = min_sep * np.exp(nbins * bin_size)
        nbins = whole("nbins", nbins, 1)
        one_of("sep_units", sep_units, (None, *_ANGLES))
        one_of("cross_patch_weight", cross_patch_weight, (None, "simple", "mean", "geom", "match"))
        if rng is not None and not isinstance(rng, np.random.Generator):
            raise ValueError(f"rng={rng!r}, it must be a numpy.random.Generator or None")
        self.min_sep, self.max_sep, self.nbins, self.sep_units = min_sep, max_sep, nbins, sep_units
        self.var_method, self.cross_patch_weight = one_of("var_method", var_method, ("shot", *_CROSS)), cross_patch_weight
        self.num_bootstrap, self.rng = whole("num_bootstrap", num_bootstrap, 2), rng
        self.edges = np.geomspace(min_sep, max_sep, nbins + 1)
        self.rnom = np.sqrt(self.edges[:-1] * self.edges[1:])
        self._options = n_jobs, device, memory
        e.options(*self._options)  # refuses what cannot be
        self._randoms = None

    def process(self, cat1, cat2=None):
        """Count the pairs of one catalog or of two, and return self."""
        if cat1.coords != "spherical" and self.sep_units is not None:
            raise ValueError(f"sep_units={self.sep_units!r} is for positions on the sky, these are {cat1.coords}")
        unit = np.radians(_ANGLES[self.sep_units or "rad"]) if cat1.coords == "spherical" else 1.0
        if cat2 is not None and cat2.coords != cat1.coords:
            raise ValueError(f"catalogs of {cat1.coords} and {cat2.coords} positions cannot be joined")
        sizes = cat1.npatch, (cat2 or cat1).npatch
        if sizes[0] != sizes[1] and min(sizes) > 1:
            raise ValueError(f"catalogs of {sizes[0]} and {sizes[1]} patches, they must be of the same ones (patch_centers)")
        patches = None
        if max(sizes) > 1:
            numbers = [np.zeros(cat.ntot, dtype=np.int32) if cat.patch is None else cat.patch for cat in filter(None, (cat1, cat2))]
            patches = max(sizes), numbers[0], numbers[1] if cat2 else None
        edges = np.ascontiguousarray(self.edges * unit)
        got = _pairs(cat1._columns, cat2 and cat2._columns, cat1.coords, edges, self._options, w1=cat1.w, w2=cat2 and cat2.w, patches=patches)
        self.npairs = got[c.PAIRS].astype(np.float64)
        self.weight = got.get(c.WEIGHTS, self.npairs)
        self.tot = float(got[c.TOTAL_WEIGHT][0])
        weighed = self.weight != 0
        self.meanr = np.where(weighed, got[c.WEIGHTED_SEPARATIONS] / unit, self.rnom)
        self.meanlogr = np.where(weighed, got[c.LOG_SEPARATIONS] - np.log(unit), np.log(self.rnom))
        self._patches = None
        if patches:
            n = patches[0]
            weights = got.get(c.PATCH_WEIGHTS, got.get(c.PATCH_PAIRS)).astype(np.float64)
            self._patches = weights.reshape(n, n, -1)[:sizes[0], :sizes[1]], got[c.PATCH_TOTALS].reshape(n, n)[:sizes[0], :sizes[1]]
        return self

    def calculateXi(self, *, rr, dr=None, rd=None):
        """Return xi and varxi: Landy & Szalay (1993) with dr, else DD/RR - 1; NaN in bins without pairs of rr, with a warning."""
        for name, n in (("self", self), ("rr", rr), ("dr", dr), ("rd", rd)):
            if n is not None and not hasattr(n, "weight"):
                raise ValueError(f"{name} has no pairs: call its process first")
            if n is not None and not np.array_equal(n.edges, self.edges):
                raise ValueError(f"{name} has bins other than these, they must be the same")
        self._randoms = rr, (dr or rd), (rd or dr)
        self.xi, expected = self._xi()
        if none := np.count_nonzero(np.asarray(rr.weight) == 0):
            warnings.warn(f"{none} of {len(self.xi)} bins have no pairs of randoms: xi is NaN there; take more randoms or wider bins",
                          RuntimeWarning, stacklevel=2)
        self._shot = np.divide(1 + self.xi, expected, out=np.full_like(expected, np.nan), where=expected > 0)
        self.cov = self.estimate_cov(self.var_method)
        self.varxi = np.diag(self.cov).copy()
        return self.xi, self.varxi

    def _xi(self, share=None):
        """Return the correlation, and the pairs expected without one; share(n) may give weights and totals of a part of all pairs."""
        share = share or (lambda n: (n.weight, n.tot))
        rr, dr, rd = self._randoms
        weight, tot = share(self)
        with np.errstate(invalid="ignore", divide="ignore"):
            part = {n: np.divide(*share(n)) for n in (rr, dr, rd) if n is not None}
            xi = weight / tot / part[rr] - 1
            if dr is not None:
                xi += 2 - (part[dr] + part[rd]) / part[rr]
        return np.where(part[rr] != 0, xi, np.nan), part[rr] * tot

    def estimate_cov(self, method, *, func=None, cross_patch_weight=None):
        """Return the covariance of ``xi``, or of ``func(correlation)``.

        Parameters
        ----------
        method : {"shot", "jackknife", "sample", "bootstrap", "marked_bootstrap"}
            By the variance of pair counts; by leaving out one patch at a time; by the
            correlations that have a point in one patch; by drawing patches with
            repetition, and all pairs or those with one point in them.
        func : callable, optional
        cross_patch_weight : {None, "simple", "mean", "geom", "match"}
            Pairs across patches count by the product of how often both were drawn
            ("simple"), by the mean ("mean") or the geometric mean ("geom", of
            bootstrap), or as Mohammad & Percival (2022) advise ("match", of jackknife).
            None is "simple", and "mean" of sample and marked_bootstrap, where a pair
            across patches counts half for either.
        """
        return estimate_multi_cov([self], method, func=func and (lambda corrs: func(corrs[0])), cross_patch_weight=cross_patch_weight)

    def _drawn(self, times, how):
        """Return a copy with the xi of patches drawn a number of times, and the pairs expected there."""

        def share(n):
            if n._patches is None:
                return n.weight, n.tot
            weights, totals = n._patches
            m = _pair_weights(times, how, totals.shape)
            return np.tensordot(m, weights, 2), (m * totals).sum()

        drawn = copy.copy(self)
        drawn.xi, expected = self._xi(share)
        return drawn, expected.sum()


# How pairs across patches can count, the default first.
_CROSS = {"jackknife": ("simple", "mean", "match"), "sample": ("mean",), "bootstrap": ("simple", "mean", "geom"), "marked_bootstrap": ("mean",)}


def _pair_weights(times, how, shape):
    """Return how much the pairs of two patches count."""
    if 1 in shape:
        return times.reshape(shape)
    a, b = times[:, None], times[None, :]
    if how == "mean":
        m = (a + b) / 2
    elif how == "geom":
        m = np.sqrt(a * b)
    else:
        m = a * b
    if how == "match":
        m[(a == 0) != (b == 0)] = 1 - len(times) / (2 + np.sqrt(2) * (len(times) - 1))
    np.fill_diagonal(m, times)
    return m


def build_cov_design_matrix(corrs, method, *, func=None, cross_patch_weight=None):
    """Return the realisations of a method, one a row, and their weights, as ``treecorr.build_cov_design_matrix``.

    Parameters are those of :func:`estimate_multi_cov`.
    """
    one_of("method", method, tuple(_CROSS))
    how = one_of("cross_patch_weight", cross_patch_weight or corrs[0].cross_patch_weight or _CROSS[method][0], _CROSS[method])
    sizes = {max(n._patches[1].shape) if n._patches else 1 for n in corrs}
    if len(sizes) > 1 or 1 in sizes:
        raise ValueError(f"method={method!r} needs catalogs with the same patches, two or more; there are {' and '.join(map(str, sorted(sizes)))}")
    if any(n._randoms is None for n in corrs):
        raise ValueError("the covariance is that of xi: call calculateXi first")
    n = sizes.pop()
    if method == "jackknife":
        draws = 1.0 - np.eye(n)
    elif method == "sample":
        draws = np.eye(n)
    else:
        rng = corrs[0].rng or np.random.default_rng(0)
        draws = [np.bincount(rng.integers(n, size=n), minlength=n).astype(np.float64) for _ in range(max(x.num_bootstrap for x in corrs))]
    func = func or (lambda corrs: np.concatenate([x.xi for x in corrs]))
    rows, weights = [], []
    for times in draws:
        drawn = [x._drawn(times, how) for x in corrs]
        rows.append(np.asarray(func([x for x, _ in drawn]), dtype=np.float64))
        weights.append(sum(w for _, w in drawn))
    return np.array(rows), np.array(weights)


def estimate_multi_cov(corrs, method, *, func=None, cross_patch_weight=None):
    """Return the covariance of several correlations of the same patches, as ``treecorr.estimate_multi_cov``.

    Parameters
    ----------
    corrs : list of NNCorrelation
    method, cross_patch_weight
        As in :meth:`NNCorrelation.estimate_cov`.
    func : callable, optional
        ``func(corrs)`` gives the values; without it they are all ``xi``.
    """
    if method == "shot" and func is None:
        return np.diag(np.concatenate([x._shot for x in corrs]))
    rows, weights = build_cov_design_matrix(corrs, method, func=func, cross_patch_weight=cross_patch_weight)
    n, rows = len(rows), rows - rows.mean(axis=0)
    if method == "jackknife":
        return (1 - 1 / n) * rows.T @ rows
    if method == "sample":
        rows *= np.sqrt(weights / weights.sum())[:, None]
    return rows.T @ rows / (n - 1)
