"""Statistics of all pairs of rows, by an expression."""

import re
from ctypes import c_char_p, c_int32, cast, c_void_p
from typing import NamedTuple

import numpy as np

from . import _engine as e
from . import _library as c
from ._checks import boolean, finite, one_of
from ._estimator import Space
from ._process import carried_out
from .errors import at_row
from .table import degrees, read

_REDUCTIONS = ("sum", "count", "hist", "pairs", "min", "max")


class Histogram(NamedTuple):
    """A histogram of the values of all pairs: counts between the edges, below and beyond them, and of no number."""

    counts: np.ndarray
    edges: np.ndarray
    below: int
    beyond: int
    nan: int


@carried_out
def stat(expression, a, b=None, *, reduce="sum", bins=None, columns=None, columns_b=None, per_row=False, meet="auto", metric="euclidean",
         metric_params=None, n_jobs=None, device="auto", memory=None, progress=None):
    """Evaluate an expression for all pairs of rows, of one catalog or of two, and reduce the values.

    Parameters
    ----------
    expression : str
        In the language of ``cluster stat``: ``a.NAME`` and ``b.NAME`` are columns of
        the two rows, ``a`` and ``b`` the vectors of `columns`, ``a[0]`` an element,
        ``dx``, ``dy``, ``dz`` or ``dNAME`` their differences, ``r`` the distance;
        ``dot(u, v)``, ``norm(u)`` and ``sum(u)`` take vectors. Weights are columns:
        ``a.w * b.w * exp(-r)``.
    a, b : dict, array (n, d), table or data frame
        What :func:`skyjoin.table.read` reads. Without `b`, pairs of rows of `a`.
    reduce : {"sum", "count", "hist", "pairs", "min", "max"}
        The sum of the values, exact and rounded once; the number of pairs for which
        the expression is true; a histogram; those pairs; with `per_row` the least
        or largest value.
    bins : array
        Edges for "hist", ascending; half open.
    columns, columns_b : list of str, optional
        The coordinates; those of `b` where its names differ. Of an array (n, d) and
        of a SkyCoord all columns.
    per_row : bool
        A result for each row of `a`, over all other rows.
    meet : {"auto", "once", "both"}
        Whether pairs of one catalog are met once, the lower row as a, or both ways;
        "auto": once if exchanging the rows changes nothing, as the form of the
        expression shows.
    metric : {"euclidean", "sky", "sky-distance", "periodic"}
        What ``r`` and differences are. "sky": coordinates RA and Dec in degrees, ``r``
        the angle in degrees; "sky-distance": with a third column, ``r`` is the
        distance in space; "periodic": the nearest images in a box,
        ``metric_params={"box": sides}``, a side of 0 for an open axis.
    metric_params : dict, optional
    n_jobs, device, memory, progress
        As in :class:`skyjoin.cluster.DBSCAN`.

    Returns
    -------
    float, int, Histogram, (rows of a, rows of b), or with `per_row` an ndarray, of "min" and "max" with the row that has it, -1 for none.

    Examples
    --------
    >>> import numpy as np
    >>> from skyjoin.stats import stat
    >>> stars = {"x": np.array([0.0, 3, 3]), "y": np.array([0.0, 4, 4.5]), "w": np.array([1.0, 2, 1])}
    >>> stat("a.w * b.w * r", stars, columns=["x", "y"]) == 2 * 5 + np.hypot(3, 4.5) + 2 * 0.5
    True
    >>> stat("r < 1", stars, columns=["x", "y"], reduce="pairs")
    (array([1]), array([2]))
    >>> stat("abs(a.x - b.x)", stars, reduce="hist", bins=[0, 1, 5]).counts
    array([1, 2], dtype=uint64)
    """
    kind = _REDUCTIONS.index(one_of("reduce", reduce, _REDUCTIONS))
    meets = {"auto": 0, "once": c.Stat.MEET_ONCE, "both": c.Stat.MEET_BOTH}[one_of("meet", meet, ("auto", "once", "both"))]
    if not isinstance(expression, str):
        raise ValueError(f"expression={expression!r}, it must be text, as 'abs(a.x - b.x)'")
    if boolean("per_row", per_row) and reduce in ("hist", "pairs"):
        raise ValueError(f"per_row=True with reduce={reduce!r}: each row has a sum, a count, a min or a max")
    if not per_row and reduce in ("min", "max"):
        raise ValueError(f"reduce={reduce!r} is of each row: it needs per_row=True")
    if (reduce == "hist") != (bins is not None):
        raise ValueError("bins go with reduce='hist', which needs them")
    if per_row and meet == "once":
        raise ValueError("meet='once' with per_row: each row meets all others")
    if b is not None and meet != "auto":
        raise ValueError(f"meet={meet!r} is for pairs of one catalog; those of two are met once")
    one_of("metric", metric, ("euclidean", "sky", "sky-distance", "periodic"))
    one = _Side("a" if b is not None else "[ab]", expression, a, columns, metric)
    two = one if b is None else _Side("b", expression, b, columns_b if columns_b is not None else columns, metric)
    opts = e.options(n_jobs, device, memory)
    if metric.startswith("sky") and metric_params:
        raise ValueError(f"metric_params with metric={metric!r}: the expression can divide by scales itself")
    measure = e.Metric(c.SKY_DISTANCE) if metric == "sky-distance" else Space(metric, metric_params, None, "numpy", len(one.coordinates)).metric
    edges = None if bins is None else np.ascontiguousarray(bins, dtype=np.float64).ravel()
    what = c.Stat(flags=c.Stat.PER_ROW * bool(per_row) | meets, expression=expression.encode(), reduction=kind, edges=e.pointer(edges),
                  nedges=0 if edges is None else edges.size, ncoordinates=len(one.coordinates), names_a=one.names, coordinates_a=one.numbers)
    points = [e.Points(one.values, opts.threads)]
    if b is not None:
        if len(one.coordinates) != len(two.coordinates):
            raise ValueError(f"coordinates {one.coordinates} of a and {two.coordinates} of b, the numbers must agree")
        points.append(e.Points(two.values, opts.threads))
        what.b, what.names_b, what.coordinates_b = points[1].handle, two.names, two.numbers
    job = e.run("stat", points[0], measure, what, keep=(points, one, two, edges), opts=opts, progress=progress)
    return _result(job, reduce, per_row, edges)


def _result(job, reduce, per_row, edges):
    if reduce == "sum":
        values, = job.take(c.VALUES)
        return values if per_row else float(values[0])
    if reduce == "count":
        counts, = job.take(c.COUNTS)
        return counts if per_row else int(counts[0])
    if reduce == "hist":
        counts, (below, beyond, _, nan) = job.take(c.PAIRS, c.TOTALS)
        return Histogram(counts, edges, int(below), int(beyond), int(nan))
    return tuple(job.take(*((c.ROWS_A, c.ROWS_B) if reduce == "pairs" else (c.VALUES, c.ROWS_B))))


class _Side:
    """The columns of one catalog that the expression may read, and which of them are coordinates."""

    def __init__(self, side, expression, source, columns, metric):
        table = read(source)
        if columns is None:
            unnamed = isinstance(source, (list, tuple, np.ndarray)) and getattr(source, "dtype", np.dtype(float)).names is None
            columns = list(table) if unnamed or hasattr(source, "represent_as") else []
        self.coordinates = [str(name) for name in columns]
        for name in self.coordinates:
            if name not in table:
                raise KeyError(f"the table has no column {name!r}, it has {', '.join(map(str, table))}")
        names = self.coordinates + [n for n in table if n not in self.coordinates and _mentioned(side, str(n), expression)]
        self.values = [_numbers(table, n, metric.startswith("sky") and n in self.coordinates[:2]) for n in names]
        if not names:  # its rows are all that is asked of it
            names, self.values = ["\x01"], [np.zeros(len(next(iter(table.values()))) if table else 0)]
        e.same_rows(self.values)
        lacking = table.without(names)
        if lacking is not None:
            raise at_row(lacking.argmax(), f"row {lacking.argmax()} has no value in one of {names}; skyjoin.table.matrix with missing='drop' leaves such rows out")
        self._names = (c_char_p * len(names))(*(str(n).encode() for n in names))
        self._numbers = (c_int32 * len(self.coordinates))(*range(len(self.coordinates)))
        self.names, self.numbers = cast(self._names, c_void_p), cast(self._numbers, c_void_p)


def _mentioned(side, name, expression):
    """Tell whether an expression may read a column of that name."""
    return re.search(rf"{side}\.{re.escape(name)}(?!\w)", expression.replace('""', '"').replace("``", "`")) is not None


def _numbers(table, name, angle):
    """Return a column as floats; what they would round is refused."""
    v = degrees(table, name) if angle else np.asarray(table[name])
    if v.dtype.kind not in "fiub":
        raise ValueError(f"column {name!r} holds {v.dtype}, functions of two rows take numbers")
    if v.dtype.kind in "iu" and v.size and max(int(v.max()), -int(v.min())) >= 1 << 53:
        raise ValueError(f"column {name!r} has {v[np.abs(v).argmax()]}: functions of two rows are computed in float64, which is exact below 2**53")
    v = e.as_float(v)
    finite(v, f"column {name!r}")
    return v
