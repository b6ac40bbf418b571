"""Similarity joins, clustering and pair counts for astronomers.

Modules: ``cluster`` (DBSCAN, HDBSCAN, OPTICS), ``neighbors`` (nearest and radius
neighbours, classifiers, outliers), ``sky`` (cross-matches), ``stats`` (pair counts
and correlations), ``table`` (columns of astropy, pandas, polars and Arrow). They are
imported when they are first used; numpy is all that is needed.
"""

import importlib

from ._engine import devices, release_memory, set_threads
from .errors import DeviceError, ForkError, InternalError, LibraryError

__version__ = "0.1.0"
__all__ = ["DeviceError", "ForkError", "InternalError", "LibraryError", "cluster", "devices", "neighbors",
           "release_memory", "run", "set_threads", "sky", "stats", "table"]


def __getattr__(name):
    if name in ("cluster", "neighbors", "sky", "stats", "table"):
        return importlib.import_module("." + name, __name__)
    if name == "run":
        from ._command import run
        return run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
