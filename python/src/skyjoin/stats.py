"""Pair counts as Corrfunc returns them, correlations as TreeCorr does, radial distributions, and functions of all pairs.

Counts are exact. What differs from the peers is said in each docstring.
"""

import time

import numpy as np

from . import _engine as e
from . import _library as c
from ._correlation import Catalog, NNCorrelation, build_cov_design_matrix, estimate_multi_cov
from ._checks import boolean, one_of, real, sides_of, weights_of, whole
from ._expression import Histogram, stat
from ._pairs import count, edges_of
from ._process import carried_out

__all__ = ["Catalog", "DD", "DDrppi", "DDsmu", "DDtheta", "DR", "Histogram", "NNCorrelation", "build_cov_design_matrix", "estimate_multi_cov", "rdf",
           "stat"]

# Arguments of Corrfunc about how it computes, of whatever value: they have no effect here.
_IGNORED = ("verbose", "fast_divide_and_NR_steps", "fast_acos", "xbin_refine_factor", "ybin_refine_factor", "zbin_refine_factor", "ra_refine_factor",
            "dec_refine_factor", "max_cells_per_dim", "copy_particles", "enable_min_sep_opt", "link_in_dec", "link_in_ra", "isa")


class _Side:
    """Columns and weights of one side of Corrfunc's functions."""

    def __init__(self, columns, weights, name, opts):
        self.points = e.Points([np.asarray(v, dtype=np.float64) if np.asarray(v).dtype.kind != "f" else v for v in columns], opts.threads)
        if np.ndim(weights) == 2 and len(weights) == 1:  # a list of kinds of weights, of which pair_product takes one
            weights = weights[0]
        self.weights = weights_of(weights, self.points.rows, name)


def _corrfunc(autocorr, first, second, weights, metric, bins, names, *, want_means, plane="r", across=None, axis=0, nthreads=None, weight_type=None,
              c_api_timer=False, device="auto", memory=None, progress=None, **ignored):
    """Return what a function of Corrfunc does, with its time if that is asked for. Bins of angles are in degrees."""
    start, sky, edges = time.perf_counter(), metric.struct.kind == c.SKY, edges_of(bins)
    if sky and edges[-1] > 180:
        raise ValueError(f"edges up to {edges[-1]} degrees, on the sky they are at most 180")
    for name in set(ignored) - set(_IGNORED):
        raise TypeError(f"unexpected keyword argument {name!r}")
    opts = e.options(nthreads, device, memory, "nthreads")
    autocorr, want_means = boolean("autocorr", autocorr), boolean("output_" + names[2], want_means)
    if one_of("weight_type", weight_type, (None, "pair_product")) is None:
        weights = (None, None)
    if not autocorr and any(v is None for v in second):
        raise ValueError("autocorr=0 counts the pairs of two catalogs: give the columns of the second")
    one = _Side(first, weights[0], "weights1", opts)
    two = None if autocorr else _Side(second, weights[1], "weights2", opts)
    got = count(one.points, two and two.points, metric, np.radians(edges) if sky else edges, w1=one.weights, w2=two and two.weights, plane=plane, across=across, axis=axis,
                means="pairs" if want_means else None, opts=opts, progress=progress)
    rows, layers = len(edges) - 1, 1 if across is None else len(across) - 1
    lo, hi, mean, upper = names
    dtype = [(lo, "f8"), (hi, "f8"), (mean, "f8")] + ([(upper, "f8")] if upper else []) + [("npairs", "u8"), ("weightavg", "f8")]
    out = np.zeros(rows * layers, dtype=dtype)
    out[lo], out[hi] = np.repeat(edges[:-1], layers), np.repeat(edges[1:], layers)
    if upper:
        out[upper] = np.tile(across[1:], rows)
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
    if sky:
        out[mean] = np.degrees(out[mean])
    return (out, time.perf_counter() - start) if c_api_timer else out


def _box(periodic, boxsize):
    if not boolean("periodic", periodic):
        return e.Metric()
    if boxsize is None:
        raise ValueError("periodic=True needs boxsize: one side, or one for each axis; periodic=False counts without a box")
    return e.Metric(c.PERIODIC, sides=sides_of("boxsize", boxsize, 3))


@carried_out
def DD(autocorr, nthreads, binfile, X1, Y1, Z1, weights1=None, periodic=True, boxsize=None, X2=None, Y2=None, Z2=None, weights2=None,
       verbose=False, output_ravg=False, *, weight_type=None, **options):
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
        Or a list of one array.
    periodic : bool
    boxsize : float or three
        Needed with ``periodic`` (Corrfunc takes the extent of the data).
    verbose : ignored
    output_ravg : bool
    weight_type : {None, "pair_product"}
    **options
        device, memory, progress; c_api_timer. What else Corrfunc takes is about how it
        computes and has no effect: isa, copy_particles, enable_min_sep_opt,
        max_cells_per_dim, and the factors that refine its cells.

    Returns
    -------
    structured ndarray
        rmin, rmax, ravg, npairs, weightavg; with ``c_api_timer=True`` also the seconds
        that it took.

    Examples
    --------
    >>> from skyjoin.stats import DD
    >>> DD(1, None, [0.5, 1.5], [0.0, 1, 5], [0.0, 0, 0], [0.0, 0, 0], periodic=False)["npairs"]
    array([2], dtype=uint64)
    """
    return _corrfunc(autocorr, (X1, Y1, Z1), (X2, Y2, Z2), (weights1, weights2), _box(periodic, boxsize), binfile, ("rmin", "rmax", "ravg", None),
                     want_means=output_ravg, nthreads=nthreads, weight_type=weight_type, **options)


@carried_out
def DR(nthreads, binfile, X1, Y1, Z1, X2, Y2, Z2, **options):
    """Count the pairs of two catalogs by distance: :func:`DD` with ``autocorr=0``."""
    return DD(0, nthreads, binfile, X1, Y1, Z1, X2=X2, Y2=Y2, Z2=Z2, **options)


def _axis(los):
    return {"x": 1, "y": 2, "z": 3, "midpoint": 0}[one_of("los", los, ("x", "y", "z", "midpoint"))]


@carried_out
def DDrppi(autocorr, nthreads, pimax, binfile, X1, Y1, Z1, weights1=None, periodic=True, boxsize=None, X2=None, Y2=None, Z2=None, weights2=None,
           verbose=False, output_rpavg=False, *, weight_type=None, npibins=None, los="z", **options):
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
    if npibins is None:
        layers = int(real("pimax", pimax, least=1))
    else:
        layers, _ = whole("npibins", npibins, 1), real("pimax", pimax, above=0)
    return _corrfunc(autocorr, (X1, Y1, Z1), (X2, Y2, Z2), (weights1, weights2), _box(periodic, boxsize), binfile, ("rmin", "rmax", "rpavg", "pimax"),
                     want_means=output_rpavg, plane="rp_pi", across=np.linspace(0, pimax, layers + 1), axis=_axis(los), nthreads=nthreads,
                     weight_type=weight_type, **options)


@carried_out
def DDsmu(autocorr, nthreads, binfile, mu_max, nmu_bins, X1, Y1, Z1, weights1=None, periodic=True, boxsize=None, X2=None, Y2=None, Z2=None,
          weights2=None, verbose=False, output_savg=False, *, weight_type=None, los="z", **options):
    """Count pairs by distance s and cosine μ to the line of sight, as ``Corrfunc.theory.DDsmu``.

    Returns
    -------
    structured ndarray
        smin, smax, savg, mu_max (of the layer), npairs, weightavg.
    """
    across = np.linspace(0, real("mu_max", mu_max, above=0, most=1), whole("nmu_bins", nmu_bins, 1) + 1)
    return _corrfunc(autocorr, (X1, Y1, Z1), (X2, Y2, Z2), (weights1, weights2), _box(periodic, boxsize), binfile, ("smin", "smax", "savg", "mu_max"),
                     want_means=output_savg, plane="s_mu", across=across, axis=_axis(los), nthreads=nthreads, weight_type=weight_type, **options)


@carried_out
def DDtheta(autocorr, nthreads, binfile, RA1, DEC1, weights1=None, RA2=None, DEC2=None, weights2=None, link_in_dec=True, link_in_ra=True, verbose=False,
            output_thetaavg=False, *, weight_type=None, **options):
    """Count pairs by angle in degrees, as ``Corrfunc.mocks.DDtheta_mocks``.

    Returns
    -------
    structured ndarray
        thetamin, thetamax, thetaavg, npairs, weightavg; angles in degrees.
    """
    return _corrfunc(autocorr, (RA1, DEC1), (RA2, DEC2), (weights1, weights2), e.Metric(c.SKY), binfile, ("thetamin", "thetamax", "thetaavg", None),
                     want_means=output_thetaavg, nthreads=nthreads, weight_type=weight_type, **options)


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
    n_jobs, device, memory, progress
        As in :class:`skyjoin.cluster.DBSCAN`.

    Returns
    -------
    r : ndarray
        Middles of the bins.
    g : ndarray
        Pairs over those of as many points without correlation.
    """
    from math import gamma, pi

    X = e.as_float(X)
    if X.ndim != 2:
        raise ValueError(f"X has the shape {X.shape}, it must be rows and columns")
    edges, d = edges_of(bins), X.shape[1]
    sides = sides_of("box", box, d)
    if not (sides > 0).all():
        raise ValueError(f"box={box!r}, all sides must be above 0")
    opts = e.options(n_jobs, device, memory)
    pairs = count(e.Points.of(X, opts.threads), None, e.Metric(c.PERIODIC, sides=sides), edges, opts=opts, progress=progress)[c.PAIRS]
    n = len(X)
    shells = pi ** (d / 2) / gamma(d / 2 + 1) * np.diff(edges ** d)
    return (edges[1:] + edges[:-1]) / 2, pairs / (n * (n - 1) / 2 * shells / np.prod(sides))
