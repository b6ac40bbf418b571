"""Columns of whatever holds a table: dict, structured array, astropy, pandas, polars, Arrow.

Results go back as columns of the same kind.
"""

import numpy as np

from ._checks import one_of
from ._engine import as_float, same_rows
from .errors import at_row

__all__ = ["Columns", "matrix", "positions", "read", "with_columns"]

# Names that positions on the sky have, the commonest first.
_PAIRS = (("ra", "dec"), ("RA", "DEC"), ("RA", "Dec"), ("RAJ2000", "DEJ2000"), ("_RAJ2000", "_DEJ2000"), ("RA_ICRS", "DE_ICRS"),
          ("ALPHA_J2000", "DELTA_J2000"), ("RAdeg", "DEdeg"), ("ra_deg", "dec_deg"))


class Columns(dict):
    """Arrays by name.

    Attributes
    ----------
    units : dict
        Units by name, as text, of the columns that have one.
    missing : dict
        Which rows have no value, as an array of bool by name, of the columns in which
        some have none.
    """

    def __init__(self, arrays, units=None, missing=None):
        super().__init__(arrays)
        self.units, self.missing = units or {}, missing or {}

    def without(self, names):
        """Return which rows have no value in one of some columns, or None if all have."""
        masks = [self.missing[name] for name in names if name in self.missing]
        return np.logical_or.reduce(masks) if masks else None


def read(source, columns=None):
    """Return columns of a table.

    Parameters
    ----------
    source : dict, structured ndarray, ndarray (n, d), astropy Table, QTable or SkyCoord, pandas or polars DataFrame, or anything with
            ``__arrow_c_stream__`` or ``__arrow_c_array__``
    columns : list of str, optional
        Which, in which order; None is all.

    Returns
    -------
    Columns
    """
    for known, reader in _READERS:
        if known(source):
            return reader(source, columns)
    raise TypeError(f"a table of type {type(source).__name__} cannot be read; give a dict of arrays, an array, or a table of astropy, pandas, "
                    "polars or Arrow")


def matrix(source, columns=None, missing="raise"):
    """Return columns as an array (n, d) of floats.

    Parameters
    ----------
    source, columns
        As in :func:`read`.
    missing : {"raise", "drop"}
        What becomes of rows without a value. With "drop" the numbers of the rows
        that are left are returned, too.

    Returns
    -------
    X : ndarray (n, d)
    rows : ndarray of int
        Only with ``missing="drop"``.

    Examples
    --------
    >>> from skyjoin.table import matrix
    >>> matrix({"x": [1.0, 2.0], "y": [3.0, 4.0]}, ["y", "x"])
    array([[3., 1.],
           [4., 2.]])
    """
    one_of("missing", missing, ("raise", "drop"))
    table = read(source, columns)
    arrays = [_floats(name, np.asarray(v)) for name, v in table.items()]
    if arrays:
        same_rows(arrays)
    x = np.empty((len(arrays[0]) if arrays else 0, len(arrays)), dtype=np.result_type(*arrays) if arrays else float, order="F")
    for j, v in enumerate(arrays):
        x[:, j] = v
    bad, lacking = ~np.isfinite(x).all(axis=1), table.without(table)
    if lacking is not None:
        bad |= lacking
    if missing == "drop":
        rows = np.flatnonzero(~bad)
        return (x if len(rows) == len(x) else np.asfortranarray(x[rows])), rows
    if bad.any():
        raise at_row(bad.argmax(), f"row {bad.argmax()} has no value in one of {list(table)}; missing='drop' leaves such rows out")
    return x


def _floats(name, v):
    """Return a column as floats; what has no value among objects is NaN."""
    if v.dtype.kind in "mM":
        raise ValueError(f"column {name!r} holds {v.dtype}, coordinates are numbers; give times as days or seconds from an epoch")
    if v.dtype.kind == "O":
        v = np.array([np.nan if x is None or type(x).__name__ == "NAType" else x for x in v])
    return as_float(v)


def positions(source):
    """Return RA and Dec in degrees of a table with such columns, by their names."""
    table = read(source)
    for ra, dec in _PAIRS:
        if ra in table and dec in table:
            lacking = table.without([ra, dec])  # nulls of other columns do not matter
            if lacking is not None:
                raise at_row(lacking.argmax(), f"row {lacking.argmax()} has no value in {ra!r} or {dec!r}; leave such rows out")
            return [degrees(table, name) for name in (ra, dec)]
    raise ValueError(f"no columns of RA and Dec among {list(table)}; give (ra, dec) in degrees")


def degrees(table, name):
    """Return a column of angles in degrees, by its unit; without one it is in degrees."""
    unit = table.units.get(name, "deg")
    factor = {"deg": 1.0, "degree": 1.0, "degrees": 1.0, "rad": 180 / np.pi, "hourangle": 15.0}.get(unit)
    if factor is None:
        raise ValueError(f"column {name!r} has the unit {unit!r}, it must be deg, rad or hourangle")
    values = as_float(table[name])
    return values if factor == 1 else values.astype(np.float64) * factor


def with_columns(source, **columns):
    """Return the table with more columns, one value a row, as one of the same kind; the source stays as it is.

    An array or SkyCoord becomes a dict.
    """
    kind = type(source).__module__.split(".")[0]
    rows = _rows(source)
    for name, v in columns.items():
        if np.shape(v)[:1] != (rows,):
            raise ValueError(f"column {name!r} has the shape {np.shape(v)}, it must have a value for each of {rows} rows")
    if kind == "pandas":
        return source.assign(**{name: getattr(v, "array", v) for name, v in columns.items()})  # by place, not by index
    if kind == "polars":
        import polars

        return source.with_columns(**{name: polars.Series(name, v) for name, v in columns.items()})
    if kind == "pyarrow":
        for name, v in columns.items():
            source = source.append_column(name, [v])
        return source
    if hasattr(source, "colnames") and hasattr(source, "copy"):
        out = source.copy(copy_data=False)
        for name, v in columns.items():
            out[name] = v
        return out
    if isinstance(source, np.ndarray) and source.dtype.names:
        out = np.empty(source.shape, dtype=source.dtype.descr + [(name, np.asarray(v).dtype.str) for name, v in columns.items()])
        for name in source.dtype.names:
            out[name] = source[name]
        for name, v in columns.items():
            out[name] = v
        return out
    return {**read(source), **columns}


def _rows(source):
    """Return how many rows a table has."""
    if hasattr(source, "num_rows"):
        return source.num_rows
    if isinstance(source, dict):
        return same_rows([np.empty(np.shape(v)[:1]) for v in source.values()]) if source else 0
    if isinstance(source, np.ndarray) or hasattr(source, "colnames") or hasattr(source, "columns"):
        return len(source)
    table = read(source)
    return len(next(iter(table.values()))) if table else 0


def _pick(names, columns, what="table"):
    if columns is None:
        return list(names)
    for name in columns:
        if name not in names:
            raise KeyError(f"the {what} has no column {name!r}, it has {', '.join(map(str, names))}")
    return list(columns)


def _columns(pairs, units=None):
    """Return columns of names and what holds their values."""
    arrays, missing = {}, {}
    for name, v in pairs:
        arrays[name], nulls = _values(v)
        if nulls is not None and nulls.any():
            missing[name] = nulls
    return Columns(arrays, units, missing)


def _values(v):
    """Return the values of a column, and which rows have none or None."""
    numpy_type = getattr(getattr(v, "dtype", None), "numpy_dtype", None)
    if numpy_type is not None and hasattr(v, "isna"):  # a type of pandas that has nulls
        nulls = np.asarray(v.isna(), dtype=bool)
        return v.to_numpy(dtype=numpy_type, na_value=numpy_type.type(0)), nulls
    if hasattr(v, "to_numpy"):
        return v.to_numpy(), None
    mask = getattr(v, "mask", None)
    return np.asarray(getattr(v, "value", v)), None if mask is None or not np.any(mask) else np.asarray(mask)


def _from_dict(source, columns):
    return _columns((name, source[name]) for name in _pick(source.keys(), columns))


def _from_array(source, columns):
    if source.dtype.names:
        return _columns((name, source[name]) for name in _pick(source.dtype.names, columns))
    if source.ndim != 2:
        raise ValueError(f"an array of shape {source.shape} is no table, it must have two dimensions")
    names = [str(j) for j in range(source.shape[1])]
    return _columns((name, source[:, int(name)]) for name in _pick(names, None if columns is None else [str(v) for v in columns]))


def _from_coords(source, columns):
    from astropy.coordinates import ICRS

    from .sky import lonlat

    sky = dict(zip(("ra", "dec"), lonlat(source.transform_to(ICRS()))))
    return Columns({name: sky[name] for name in _pick(sky, columns)}, units={"ra": "deg", "dec": "deg"})


def _from_astropy(source, columns):
    names = _pick([name for name in source.colnames if not hasattr(source[name], "represent_as")], columns)
    return _columns(((name, source[name]) for name in names),
                    {name: str(source[name].unit) for name in names if getattr(source[name], "unit", None) is not None})


def _from_frame(source, columns):
    return _columns((name, source[name]) for name in _pick(list(source.columns), columns))


def _from_arrow(source, columns):
    from ._arrow import columns_of

    arrays, missing = columns_of(source, lambda names: _pick(names, columns))
    return Columns(arrays, missing=missing)


_READERS = (
    (lambda s: isinstance(s, dict), _from_dict),
    (lambda s: isinstance(s, np.ndarray), _from_array),
    (lambda s: hasattr(s, "colnames"), _from_astropy),
    (lambda s: hasattr(s, "represent_as") and hasattr(s, "data"), _from_coords),
    (lambda s: type(s).__module__.split(".")[0] in ("pandas", "polars") and hasattr(s, "columns"), _from_frame),
    (lambda s: hasattr(s, "__arrow_c_stream__") or hasattr(s, "__arrow_c_array__"), _from_arrow),
    (lambda s: isinstance(s, (list, tuple)), lambda s, columns: _from_array(np.asarray(s, dtype=np.float64), columns)),
)
