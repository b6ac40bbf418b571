# Made by python/stubs.py.
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

class Columns(dict):
    units: dict[str, str]
    missing: dict[str, NDArray[np.bool_]]
    def __init__(self, arrays: Mapping[str, Any], units: dict[str, str] | None = ..., missing: dict[str, NDArray[np.bool_]] | None = ...) -> None: ...
    def without(self, names: Iterable[str]) -> NDArray[np.bool_] | None: ...

def matrix(source: Any, columns: Sequence[str] | None = ..., missing: str = ...) -> Any: ...

def positions(source: Any) -> list[Any]: ...

def read(source: Any, columns: Sequence[str] | None = ...) -> Columns: ...

def with_columns(source: Any, **columns: ArrayLike) -> Any: ...
