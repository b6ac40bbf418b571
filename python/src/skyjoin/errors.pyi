# Made by python/stubs.py.
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

class DeviceError(RuntimeError):
    ...

class ForkError(RuntimeError):
    ...

class InternalError(RuntimeError):
    ...

class LibraryError(ImportError):
    ...
