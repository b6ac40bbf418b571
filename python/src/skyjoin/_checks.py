"""Checks of parameters: each returns its value, or says what it must be."""

import numbers
import re

import numpy as np

from .errors import at_row


def one_of(name, value, choices):
    """Return a parameter that is one of some texts, or None where that is one of them."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"{name}={value!r}, it must be one of {', '.join(map(repr, choices))}")
    return value


def whole(name, value, least):
    """Return a parameter that is a whole number not below least."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{name}={value!r}, it must be a whole number of at least {least}")
    return int(value)


def real(name, value, least=None, above=None, most=None):
    """Return a parameter that is a number not below least, or above a bound, and finite or at most most."""
    number = np.nan
    if not isinstance(value, (bool, np.bool_, str)) and np.ndim(value) == 0:
        try:
            number = float(value)
        except (TypeError, ValueError):
            pass
    enough = number >= least if least is not None else number > above
    if not enough or not (np.isfinite(number) if most is None else number <= most):
        bound = f"of at least {least}" if least is not None else f"above {above}"
        limit = f" and at most {most}" if most is not None and most < np.inf else ""
        raise ValueError(f"{name}={value!r}, it must be a {'finite ' if most is None else ''}number {bound}{limit}")
    return number


def boolean(name, value):
    """Return a parameter that is true or false."""
    if not isinstance(value, (bool, np.bool_)) and not (isinstance(value, numbers.Integral) and value in (0, 1)):
        raise ValueError(f"{name}={value!r}, it must be True or False")
    return bool(value)


def progress(value):
    """Return a parameter that is True, False, None or a function."""
    if value is not None and not isinstance(value, (bool, np.bool_)) and not callable(value):
        raise ValueError(f"progress={value!r}, it must be True, False or a function of (done, total)")
    return value


def metric_params(value):
    """Return a parameter that is a dict or None."""
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"metric_params={value!r}, it must be a dict or None")
    return value


_UNITS = {"deg": 1.0, "degree": 1.0, "degrees": 1.0, "arcmin": 1 / 60, "arcsec": 1 / 3600, "mas": 1 / 3.6e6, "uas": 1 / 3.6e9}


def angle(name, value, zero=False):
    """Return an angle in radians: an astropy Quantity or Angle, or text like ``"3 arcsec"``."""
    if hasattr(value, "to_value"):
        if np.ndim(value) != 0:
            raise ValueError(f"{name}={value}, it must be one angle")
        radians = float(value.to_value("rad"))
    elif isinstance(value, str):
        found = re.fullmatch(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(rad|" + "|".join(_UNITS) + r")\s*", value)
        if found is None:
            raise ValueError(f"{name}={value!r}, it must be an angle like '3 arcsec' (rad, deg, arcmin, arcsec, mas or uas)")
        radians = float(found[1]) if found[2] == "rad" else np.radians(float(found[1]) * _UNITS[found[2]])
    else:
        raise ValueError(f"{name}={value!r} has no unit: give an angle of astropy.units, or text like '3 arcsec'")
    if not (radians > 0 or zero and radians == 0) or radians > np.pi * (1 + 1e-15):
        raise ValueError(f"{name}={str(value)!r}, it must be an angle {'of at least' if zero else 'above'} 0 and of at most 180 deg")
    return min(radians, np.pi)


def sides_of(name, value, columns):
    """Return the sides of a box as an array, one a column."""
    sides = np.asarray(value, dtype=np.float64)
    if sides.shape not in ((), (columns,)):
        raise ValueError(f"{name}={value!r} has the shape {sides.shape}, it must be one side or one for each of {columns} columns")
    return np.broadcast_to(sides, (columns,))


def finite(x, name):
    """Refuse what is no number, naming the first row of it."""
    if x.dtype.kind != "f" or np.isfinite(x).all():
        return
    what = "NaN" if np.isnan(x).any() else f"infinity or a value too large for {x.dtype!r}"
    bad = ~np.isfinite(x)
    row = (bad if bad.ndim == 1 else bad.any(axis=1)).argmax()
    raise at_row(row, f"Input {name} contains {what}. The first is in row {row}.")


def weights_of(weight, n, name="sample_weight"):
    """Return weights as contiguous float64, or None."""
    if weight is None:
        return None
    w = np.asarray(weight, dtype=np.float64)
    w = np.full(n, float(w)) if w.ndim == 0 else np.ascontiguousarray(w)
    if w.shape != (n,):
        raise ValueError(f"{name}.shape == {w.shape}, expected {(n,)}!")
    finite(w, name)
    return w
