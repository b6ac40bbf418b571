# Made by python/stubs.py.
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

class Columns(dict):
    units: dict[str, str]
    missing: NDArray[np.bool_] | None
    def __init__(self, arrays: Mapping[str, Any], units: dict[str, str] | None = ..., missing: NDArray[np.bool_] | None = ...) -> None: ...

def matrix(source: Any, columns: Sequence[str] | None = ..., missing: str = ...) -> Any: ...

def positions(source: Any) -> list[Any]: ...

def read(source: Any, columns: Sequence[str] | None = ...) -> Columns: ...

def with_columns(source: Any, **columns: ArrayLike) -> Any: ...
