"""Errors that have no class of Python's own."""

__all__ = ["DeviceError", "ForkError", "InternalError", "LibraryError"]


def at_row(row, message):
    """Return a ValueError about a value of a row, which it has as ``row``."""
    error = ValueError(message)
    error.row = int(row)
    return error


class DeviceError(RuntimeError):
    """No GPU can be used, or one failed."""


class ForkError(RuntimeError):
    """The process was forked after skyjoin was used in it.

    The library does not survive a fork. Use the start methods ``spawn`` or
    ``forkserver`` of multiprocessing, joblib's ``loky`` backend, or call skyjoin
    in the children only.
    """


class InternalError(RuntimeError):
    """A fault of skyjoin: please report it."""


class LibraryError(ImportError):
    """The C library is not there, or of another version."""
