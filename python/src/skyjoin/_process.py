"""Who carries out calls: the library in this process, or a helper (``SKYJOIN_ENGINE=process``)."""

import functools
import os

inside = False  # whether this is the helper


def engine():
    """Return how calls are carried out: "library" or "process"."""
    name = os.environ.get("SKYJOIN_ENGINE", "library")
    if name not in ("library", "process"):
        raise ValueError(f"SKYJOIN_ENGINE={name}, it must be library or process")
    return "library" if inside else name


def carried_out(f):
    """Decorate a public function or method, or the getter of a property."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        if engine() == "library":
            return f(*args, **kwargs)
        from ._helper import helper

        return helper().call(f, args, kwargs)

    return call
