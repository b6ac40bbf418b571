"""Pairs by distance: what the functions of Corrfunc and the classes of TreeCorr share."""

import os

import numpy as np

from . import _engine as e
from . import _library as c

_PLANES = {"r": 0, "rp_pi": 1, "s_mu": 2}
_MEANS = {None: (0, []), "pairs": (c.Count.WANT_SEPARATIONS, [c.SEPARATIONS]),
          "weights": (c.Count.WANT_WEIGHTED_SEPARATIONS, [c.WEIGHTED_SEPARATIONS, c.LOG_SEPARATIONS])}


def edges_of(bins):
    """Return the edges of bins: an array, or the name of a file with two columns, as Corrfunc has them."""
    if isinstance(bins, (str, os.PathLike)):
        lo, hi = np.loadtxt(bins, ndmin=2).T
        bins = np.append(lo, hi[-1])
    edges = np.ascontiguousarray(bins, dtype=np.float64)
    if np.ndim(bins) != 1 or len(edges) < 2 or not (np.isfinite(edges).all() and edges[0] >= 0 and (np.diff(edges) > 0).all()):
        raise ValueError(f"bins={bins!r}, edges are at least two ascending numbers of at least 0")
    return edges


def count(one, two, metric, edges, *, w1=None, w2=None, plane="r", across=None, axis=0, means=None, patches=None, opts=None, progress=None):
    """Return fields of a count: pairs, sums of weights and mean separations of each bin, the totals, and the same by patches.

    means are None, "pairs", or "weights" for means by weight, those of the logarithm
    too. patches are their number and those of the rows of both catalogs.
    """
    flag, separations = _MEANS[means]
    what = c.Count(flags=flag, b=0 if two is None else two.handle, edges=edges.ctypes.data, nedges=len(edges),
                   weights_a=e.pointer(w1), weights_b=e.pointer(w2), plane=_PLANES[plane], axis=axis)
    if across is not None:
        what.across, what.nacross = across.ctypes.data, len(across)
    weighted = w1 is not None or w2 is not None
    if patches is not None:
        what.patches, what.patch_a, what.patch_b = patches[0], e.pointer(patches[1]), e.pointer(patches[2])
    fields = [c.PAIRS, c.TOTALS, c.TOTAL_WEIGHT] + [c.WEIGHTS] * weighted + separations
    if patches is not None:
        fields += [c.PATCH_WEIGHTS if weighted else c.PATCH_PAIRS, c.PATCH_TOTALS]
    job = e.run("count", one, metric, what, keep=(two, edges, w1, w2, across, patches), opts=opts, progress=progress)
    return dict(zip(fields, job.take(*fields)))
