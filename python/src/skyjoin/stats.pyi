# Made by python/stubs.py.
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

class Histogram(NamedTuple):
    counts: NDArray[np.uint64]
    edges: NDArray[np.float64]
    below: int
    beyond: int
    nan: int

class Catalog:
    ntot: int
    sumw: float
    coords: str
    w: NDArray[np.float64] | None
    npatch: int
    patch: NDArray[np.int32] | None
    patch_centers: NDArray[np.float64] | None
    def __init__(self, *, x: ArrayLike | None = ..., y: ArrayLike | None = ..., z: ArrayLike | None = ..., ra: ArrayLike | None = ..., dec: ArrayLike | None = ..., ra_units: str | None = ..., dec_units: str | None = ..., w: ArrayLike | None = ..., npatch: int | None = ..., patch: ArrayLike | None = ..., patch_centers: ArrayLike | None = ...) -> None: ...

def DD(autocorr: bool, nthreads: int | None, binfile: ArrayLike | str, X1: ArrayLike, Y1: ArrayLike, Z1: ArrayLike, weights1: ArrayLike | None = ..., periodic: bool = ..., boxsize: ArrayLike | None = ..., X2: ArrayLike | None = ..., Y2: ArrayLike | None = ..., Z2: ArrayLike | None = ..., weights2: ArrayLike | None = ..., verbose: bool = ..., output_ravg: bool = ..., *, weight_type: str | None = ..., **options: Any) -> NDArray[Any]: ...

def DDrppi(autocorr: bool, nthreads: int | None, pimax: float, binfile: ArrayLike | str, X1: ArrayLike, Y1: ArrayLike, Z1: ArrayLike, weights1: ArrayLike | None = ..., periodic: bool = ..., boxsize: ArrayLike | None = ..., X2: ArrayLike | None = ..., Y2: ArrayLike | None = ..., Z2: ArrayLike | None = ..., weights2: ArrayLike | None = ..., verbose: bool = ..., output_rpavg: bool = ..., *, weight_type: str | None = ..., npibins: int | None = ..., los: str = ..., **options: Any) -> NDArray[Any]: ...

def DDsmu(autocorr: bool, nthreads: int | None, binfile: ArrayLike | str, mu_max: float, nmu_bins: int, X1: ArrayLike, Y1: ArrayLike, Z1: ArrayLike, weights1: ArrayLike | None = ..., periodic: bool = ..., boxsize: ArrayLike | None = ..., X2: ArrayLike | None = ..., Y2: ArrayLike | None = ..., Z2: ArrayLike | None = ..., weights2: ArrayLike | None = ..., verbose: bool = ..., output_savg: bool = ..., *, weight_type: str | None = ..., los: str = ..., **options: Any) -> NDArray[Any]: ...

def DDtheta(autocorr: bool, nthreads: int | None, binfile: ArrayLike | str, RA1: ArrayLike, DEC1: ArrayLike, weights1: ArrayLike | None = ..., RA2: ArrayLike | None = ..., DEC2: ArrayLike | None = ..., weights2: ArrayLike | None = ..., link_in_dec: bool = ..., link_in_ra: bool = ..., verbose: bool = ..., output_thetaavg: bool = ..., *, weight_type: str | None = ..., **options: Any) -> NDArray[Any]: ...

def DR(nthreads: int | None, binfile: ArrayLike | str, X1: ArrayLike, Y1: ArrayLike, Z1: ArrayLike, X2: ArrayLike | None, Y2: ArrayLike | None, Z2: ArrayLike | None, **options: Any) -> NDArray[Any]: ...

class NNCorrelation:
    edges: NDArray[np.float64]
    rnom: NDArray[np.float64]
    meanr: NDArray[np.float64]
    meanlogr: NDArray[np.float64]
    npairs: NDArray[np.float64]
    weight: NDArray[np.float64]
    xi: NDArray[np.float64]
    varxi: NDArray[np.float64]
    cov: NDArray[np.float64]
    tot: float
    def __init__(self, *, min_sep: float, max_sep: float, nbins: int | None = ..., bin_size: float | None = ..., sep_units: str | None = ..., var_method: str = ..., num_bootstrap: int = ..., cross_patch_weight: str | None = ..., rng: np.random.Generator | None = ..., n_jobs: int | None = ..., device: str = ..., memory: int | str | None = ...) -> None: ...
    def calculateXi(self, *, rr: NNCorrelation, dr: NNCorrelation | None = ..., rd: NNCorrelation | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def estimate_cov(self, method: str, *, func: Callable[..., ArrayLike] | None = ..., cross_patch_weight: str | None = ...) -> NDArray[np.float64]: ...
    def process(self, cat1: Catalog, cat2: Catalog | None = ...) -> Self: ...

def build_cov_design_matrix(corrs: list[NNCorrelation], method: str, *, func: Callable[..., ArrayLike] | None = ..., cross_patch_weight: str | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

def estimate_multi_cov(corrs: list[NNCorrelation], method: str, *, func: Callable[..., ArrayLike] | None = ..., cross_patch_weight: str | None = ...) -> NDArray[np.float64]: ...

def rdf(X: ArrayLike, bins: ArrayLike | str, box: ArrayLike, *, n_jobs: int | None = ..., device: str = ..., memory: int | str | None = ..., progress: bool | Callable[[int, int], None] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

def stat(expression: str, a: Any, b: Any = ..., *, reduce: str = ..., bins: ArrayLike | None = ..., columns: Sequence[str] | None = ..., columns_b: Sequence[str] | None = ..., per_row: bool = ..., meet: str = ..., metric: str = ..., metric_params: dict[str, Any] | None = ..., n_jobs: int | None = ..., device: str = ..., memory: int | str | None = ..., progress: bool | Callable[[int, int], None] | None = ...) -> Any: ...
