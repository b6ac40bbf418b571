# Made by python/stubs.py.
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

class Match(NamedTuple):
    row1: NDArray[np.int64]
    row2: NDArray[np.int64]
    separation: NDArray[np.float64]

def crossmatch(a: Any, b: Any, radius: float | str | Any, *, find: str = ..., join: str = ..., min_radius: float | str | Any | None = ..., n_jobs: int | None = ..., device: str = ..., memory: int | str | None = ..., progress: bool | Callable[[int, int], None] | None = ...) -> Match: ...

def link(a: Any, radius: float | str | Any, *, n_jobs: int | None = ..., device: str = ..., memory: int | str | None = ...) -> NDArray[np.int64]: ...

def match_coordinates_3d(matchcoord: ArrayLike, catalogcoord: ArrayLike, nthneighbor: int = ..., storekdtree: Any = ..., *, n_jobs: int | None = ..., device: str = ..., memory: int | str | None = ...) -> tuple[NDArray[np.int64], Any, Any]: ...

def match_coordinates_sky(matchcoord: ArrayLike, catalogcoord: ArrayLike, nthneighbor: int = ..., storekdtree: Any = ..., *, n_jobs: int | None = ..., device: str = ..., memory: int | str | None = ...) -> tuple[NDArray[np.int64], Any, Any]: ...

def propagate(ra: ArrayLike, dec: ArrayLike, pmra: ArrayLike, pmdec: ArrayLike, years: ArrayLike, *, n_jobs: int | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

def search_around_3d(coords1: ArrayLike, coords2: ArrayLike, distlimit: float | str | Any, storekdtree: Any = ..., *, n_jobs: int | None = ..., device: str = ..., memory: int | str | None = ..., progress: bool | Callable[[int, int], None] | None = ...) -> tuple[NDArray[np.int64], NDArray[np.int64], Any, Any]: ...

def search_around_sky(coords1: ArrayLike, coords2: ArrayLike, seplimit: float | str | Any, storekdtree: Any = ..., *, n_jobs: int | None = ..., device: str = ..., memory: int | str | None = ..., progress: bool | Callable[[int, int], None] | None = ...) -> tuple[NDArray[np.int64], NDArray[np.int64], Any, Any]: ...
