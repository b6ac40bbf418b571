"""Pair counts as Corrfunc returns them, correlations as TreeCorr does, radial distributions, and functions of all pairs.

Counts are exact. What differs from the peers is said in each docstring.
"""

import os

import numpy as np

from . import _engine as e
from . import _library as c
from ._estimator import check_weights, one_of
from ._expression import Histogram, stat
from ._process import carried_out

__all__ = ["Catalog", "DD", "DDrppi", "DDsmu", "DDtheta", "DR", "Histogram", "NNCorrelation", "rdf", "stat"]

_PLANES = {"r": 0, "rp_pi": 1, "s_mu": 2}


def _edges(bins):
    """Return the edges of bins: an array, or the name of a file with two columns, as Corrfunc has them."""
    if isinstance(bins, (str, os.PathLike)):
        lo, hi = np.loadtxt(bins, ndmin=2).T
        bins = np.append(lo, hi[-1])
    edges = np.ascontiguousarray(bins, dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2:
        raise ValueError(f"bins of shape {edges.shape}, edges are a list of at least two numbers")
    return edges


def _count(one, two, metric, edges, *, w1=None, w2=None, plane="r", across=None, axis=0, means=False, opts=None, progress=None):
    """Return pairs, sums of weights and mean separations of each bin, and the totals."""
    what = c.Count(flags=c.Count.WANT_SEPARATIONS * means, b=0 if two is None else two.handle, edges=edges.ctypes.data, nedges=len(edges),
                   weights_a=e.pointer(w1), weights_b=e.pointer(w2), plane=_PLANES[plane], axis=axis)
    if across is not None:
        what.across, what.nacross = across.ctypes.data, len(across)
    fields = [c.PAIRS, c.TOTALS, c.TOTAL_WEIGHT] + [c.WEIGHTS] * (w1 is not None or w2 is not None) + [c.SEPARATIONS] * means
    job = e.run("count", one, metric, what, keep=(two, edges, w1, w2, across), opts=opts, progress=progress)
    return dict(zip(fields, job.take(*fields)))


class _Side:
    """Columns and weights of one side of Corrfunc's functions."""

    def __init__(self, columns, weights, opts):
        self.points = e.Points([np.asarray(v, dtype=np.float64) if np.asarray(v).dtype.kind != "f" else v for v in columns], opts.threads)
        self.weights = check_weights(weights, self.points.rows)


def _corrfunc(autocorr, first, second, weights, weight_type, metric, edges, names, *, want_means, plane="r", across=None, axis=0, nthreads=None,
              device="auto", memory=None, progress=None):
    opts = e.options(nthreads, device, memory)
    one_of("weight_type", weight_type, (None, "pair_product"))
    if weight_type is None:
        weights = (None, None)
    if not autocorr and any(v is None for v in second):
        raise ValueError("autocorr=0 counts the pairs of two catalogs: give the columns of the second")
    one = _Side(first, weights[0], opts)
    two = None if autocorr else _Side(second, weights[1], opts)
    got = _count(one.points, two and two.points, metric, edges, w1=one.weights, w2=two and two.weights, plane=plane, across=across, axis=axis,
                 means=want_means, opts=opts, progress=progress)
    bins, layers = len(edges) - 1, 1 if across is None else len(across) - 1
    lo, hi, mean, upper = names
    dtype = [(lo, "f8"), (hi, "f8"), (mean, "f8")] + ([(upper, "f8")] if upper else []) + [("npairs", "u8"), ("weightavg", "f8")]
    out = np.zeros(bins * layers, dtype=dtype)
    out[lo], out[hi] = np.repeat(edges[:-1], layers), np.repeat(edges[1:], layers)
    if upper:
        out[upper] = np.tile(across[1:], bins)
    pairs = got[c.PAIRS]
    with np.errstate(invalid="ignore", divide="ignore"):
        if c.WEIGHTS in got:
            out["weightavg"] = np.where(pairs > 0, got[c.WEIGHTS] / pairs, 0)
        if want_means:
            out[mean] = np.where(pairs > 0, got[c.SEPARATIONS], 0)
    out["npairs"] = pairs * np.uint64(2 if autocorr else 1)
    if autocorr and edges[0] == 0:  # Corrfunc counts every row with itself there
        own = one.weights
        n = one.points.rows
        if own is not None:
            all_of_it = out["weightavg"][0] * out["npairs"][0] + (own * own).sum()
            out["weightavg"][0] = all_of_it / (out["npairs"][0] + np.uint64(n))
        if want_means:
            out[mean][0] *= out["npairs"][0] / (out["npairs"][0] + np.uint64(n))
        out["npairs"][0] += np.uint64(n)
    return out


def _box(periodic, boxsize):
    if not periodic:
        return e.Metric()
    if boxsize is None:
        raise ValueError("periodic=True needs boxsize: one side, or one for each axis; periodic=False counts without a box")
    return e.Metric(c.PERIODIC, sides=np.broadcast_to(np.asarray(boxsize, dtype=np.float64), (3,)))


@carried_out
def DD(autocorr, nthreads, binfile, X1, Y1, Z1, weights1=None, periodic=True, boxsize=None, X2=None, Y2=None, Z2=None, weights2=None,
       weight_type=None, output_ravg=False, **options):
    """Count pairs by distance, as ``Corrfunc.theory.DD``.

    Parameters
    ----------
    autocorr : bool
        Pairs of one catalog, each counted twice, and with a first edge of 0 every
        row with itself, as Corrfunc does.
    nthreads : int or None
    binfile : array or file name
        Edges of the bins, half open; or a file of two columns.
    X1, Y1, Z1, X2, Y2, Z2 : array
    weights1, weights2 : array, optional
    periodic : bool
    boxsize : float or three
        Needed with ``periodic`` (Corrfunc takes the extent of the data).
    weight_type : {None, "pair_product"}
    output_ravg : bool
    **options
        device, memory, progress.

    Returns
    -------
    structured ndarray
        rmin, rmax, ravg, npairs, weightavg.

    Examples
    --------
    >>> from skyjoin.stats import DD
    >>> DD(1, None, [0.5, 1.5], [0.0, 1, 5], [0.0, 0, 0], [0.0, 0, 0], periodic=False)["npairs"]
    array([2], dtype=uint64)
    """
    return _corrfunc(autocorr, (X1, Y1, Z1), (X2, Y2, Z2), (weights1, weights2), weight_type, _box(periodic, boxsize), _edges(binfile),
                     ("rmin", "rmax", "ravg", None), want_means=output_ravg, nthreads=nthreads, **options)


@carried_out
def DR(nthreads, binfile, X1, Y1, Z1, X2, Y2, Z2, **options):
    """Count the pairs of two catalogs by distance: :func:`DD` with ``autocorr=0``."""
    return DD(0, nthreads, binfile, X1, Y1, Z1, X2=X2, Y2=Y2, Z2=Z2, **options)


def _axis(los):
    return {"x": 1, "y": 2, "z": 3, "midpoint": 0}[one_of("los", los, ("x", "y", "z", "midpoint"))]


@carried_out
def DDrppi(autocorr, nthreads, pimax, binfile, X1, Y1, Z1, weights1=None, periodic=True, boxsize=None, X2=None, Y2=None, Z2=None, weights2=None,
           weight_type=None, output_rpavg=False, npibins=None, los="z", **options):
    """Count pairs by separation across (rp) and along (π) the line of sight, as ``Corrfunc.theory.DDrppi``.

    Parameters are those of :func:`DD`, and

    pimax : float
    npibins : int, optional
        Bins of π from 0 to pimax; None: one a unit.
    los : {"z", "x", "y", "midpoint"}
        The axis that is the line of sight, or the direction from the origin to the
        middle of each pair.

    Returns
    -------
    structured ndarray
        rmin, rmax, rpavg, pimax (of the layer), npairs, weightavg.
    """
    layers = int(pimax) if npibins is None else int(npibins)
    return _corrfunc(autocorr, (X1, Y1, Z1), (X2, Y2, Z2), (weights1, weights2), weight_type, _box(periodic, boxsize), _edges(binfile),
                     ("rmin", "rmax", "rpavg", "pimax"), want_means=output_rpavg, plane="rp_pi", across=np.linspace(0, pimax, layers + 1),
                     axis=_axis(los), nthreads=nthreads, **options)


@carried_out
def DDsmu(autocorr, nthreads, binfile, mu_max, nmu_bins, X1, Y1, Z1, weights1=None, periodic=True, boxsize=None, X2=None, Y2=None, Z2=None,
          weights2=None, weight_type=None, output_savg=False, los="z", **options):
    """Count pairs by distance s and cosine μ to the line of sight, as ``Corrfunc.theory.DDsmu``.

    Returns
    -------
    structured ndarray
        smin, smax, savg, mu_max (of the layer), npairs, weightavg.
    """
    return _corrfunc(autocorr, (X1, Y1, Z1), (X2, Y2, Z2), (weights1, weights2), weight_type, _box(periodic, boxsize), _edges(binfile),
                     ("smin", "smax", "savg", "mu_max"), want_means=output_savg, plane="s_mu", across=np.linspace(0, mu_max, int(nmu_bins) + 1),
                     axis=_axis(los), nthreads=nthreads, **options)


@carried_out
def DDtheta(autocorr, nthreads, binfile, RA1, DEC1, weights1=None, RA2=None, DEC2=None, weights2=None, weight_type=None, output_thetaavg=False,
            **options):
    """Count pairs by angle in degrees, as ``Corrfunc.mocks.DDtheta_mocks``.

    Returns
    -------
    structured ndarray
        thetamin, thetamax, thetaavg, npairs, weightavg; angles in degrees.
    """
    degrees = _edges(binfile)
    out = _corrfunc(autocorr, (RA1, DEC1), (RA2, DEC2), (weights1, weights2), weight_type, e.Metric(c.SKY), np.radians(degrees),
                    ("thetamin", "thetamax", "thetaavg", None), want_means=output_thetaavg, nthreads=nthreads, **options)
    out["thetamin"], out["thetamax"], out["thetaavg"] = degrees[:-1], degrees[1:], np.degrees(out["thetaavg"])
    return out


_ANGLES = {"deg": 1.0, "degrees": 1.0, "arcmin": 1 / 60, "arcsec": 1 / 3600, "rad": 180 / np.pi, "radians": 180 / np.pi, "hour": 15.0, "hours": 15.0}


class Catalog:
    """Positions and weights, as ``treecorr.Catalog``.

    Parameters
    ----------
    x, y, z : array, optional
    ra, dec : array, optional
        In ``ra_units`` and ``dec_units``: deg, arcmin, arcsec, rad or hours.
    w : array, optional
    """

    def __init__(self, *, x=None, y=None, z=None, ra=None, dec=None, ra_units=None, dec_units=None, w=None):
        if (ra is None) == (x is None):
            raise ValueError("a catalog needs x and y, or ra and dec")
        if ra is not None:
            if ra_units not in _ANGLES or dec_units not in _ANGLES:
                raise ValueError(f"ra_units={ra_units!r}, dec_units={dec_units!r}, they must be one of {', '.join(map(repr, _ANGLES))}")
            columns = [np.asarray(ra, dtype=np.float64) * _ANGLES[ra_units], np.asarray(dec, dtype=np.float64) * _ANGLES[dec_units]]
        else:
            columns = [np.asarray(v, dtype=np.float64) for v in (x, y, z) if v is not None]
        self.coords = "spherical" if ra is not None else "3d" if z is not None else "flat"
        self.points = e.Points(columns)
        self.ntot = self.points.rows
        self.w = check_weights(w, self.ntot)
        self.sumw = float(self.ntot if self.w is None else self.w.sum())


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

    Attributes
    ----------
    rnom, meanr, meanlogr : ndarray
    npairs, weight : ndarray
        Each pair of one catalog once.
    xi, varxi : ndarray
        After :meth:`calculateXi`.
    cov : ndarray
        Diagonal, of varxi.
    """

    def __init__(self, *, min_sep, max_sep, nbins=None, bin_size=None, sep_units=None, n_jobs=None, device="auto", memory=None):
        if (nbins is None) == (bin_size is None):
            raise ValueError("give nbins or bin_size, one of them")
        if nbins is None:
            nbins = int(np.ceil(np.log(max_sep / min_sep) / bin_size))
            max_sep = min_sep * np.exp(nbins * bin_size)
        if sep_units is not None and sep_units not in _ANGLES:
            raise ValueError(f"sep_units={sep_units!r}, it must be one of {', '.join(map(repr, _ANGLES))}")
        self.min_sep, self.max_sep, self.nbins, self.sep_units = float(min_sep), float(max_sep), int(nbins), sep_units
        self.edges = np.geomspace(min_sep, max_sep, nbins + 1)
        self.rnom = np.sqrt(self.edges[:-1] * self.edges[1:])
        self.opts = e.options(n_jobs, device, memory)

    def process(self, cat1, cat2=None):
        """Count the pairs of one catalog or of two, and return self."""
        unit = np.radians(_ANGLES[self.sep_units or "rad"]) if cat1.coords == "spherical" else 1.0
        metric = e.Metric(c.SKY) if cat1.coords == "spherical" else e.Metric()
        if cat2 is not None and cat2.coords != cat1.coords:
            raise ValueError(f"catalogs of {cat1.coords} and {cat2.coords} positions cannot be joined")
        edges = np.ascontiguousarray(self.edges * unit)
        got = _count(cat1.points, cat2 and cat2.points, metric, edges, w1=cat1.w, w2=cat2 and cat2.w, means=True, opts=self.opts)
        self.npairs = got[c.PAIRS].astype(np.float64)
        self.weight = got.get(c.WEIGHTS, self.npairs)
        self.tot = float(got[c.TOTAL_WEIGHT][0])
        self.meanr = np.where(self.npairs > 0, got[c.SEPARATIONS] / unit, self.rnom)
        self.meanlogr = np.log(self.meanr)
        return self

    def calculateXi(self, *, rr, dr=None, rd=None):
        """Return xi and varxi: Landy & Szalay (1993) with dr, else DD/RR - 1."""
        def share(n):
            return n.weight / n.tot

        with np.errstate(invalid="ignore", divide="ignore"):
            if dr is None and rd is None:
                self.xi = share(self) / share(rr) - 1
            else:
                dr, rd = (dr or rd), (rd or dr)
                self.xi = (share(self) - share(dr) - share(rd)) / share(rr) + 1
            expected = rr.weight * self.tot / rr.tot
            self.varxi = np.where(expected > 0, (1 + self.xi) / expected, 0.0)
        self.cov = np.diag(self.varxi)
        return self.xi, self.varxi


@carried_out
def rdf(X, bins, box, *, n_jobs=None, device="auto", memory=None, progress=None):
    """Return the radial distribution function of rows in a periodic box.

    Parameters
    ----------
    X : array (n, d)
    bins : array
        Edges, up to half of the shortest side.
    box : float or array
        Sides.

    Returns
    -------
    r : ndarray
        Middles of the bins.
    g : ndarray
        Pairs over those of as many points without correlation.
    """
    from math import gamma, pi

    X = e.as_float(X)
    edges, d = _edges(bins), X.shape[1]
    sides = np.broadcast_to(np.asarray(box, dtype=np.float64), (d,))
    opts = e.options(n_jobs, device, memory)
    pairs = _count(e.Points.of(X, opts.threads), None, e.Metric(c.PERIODIC, sides=sides), edges, opts=opts, progress=progress)[c.PAIRS]
    n = len(X)
    shells = pi ** (d / 2) / gamma(d / 2 + 1) * np.diff(edges ** d)
    return (edges[1:] + edges[:-1]) / 2, pairs / (n * (n - 1) / 2 * shells / np.prod(sides))
