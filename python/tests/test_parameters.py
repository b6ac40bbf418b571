"""Values that no parameter can have are refused, by a message that names it."""

import astropy.coordinates as ac
import astropy.units as u
import numpy as np
import pytest
import sklearn.cluster
import sklearn.neighbors
from sklearn.utils._param_validation import generate_invalid_param_val, make_constraint

import skyjoin
from skyjoin import cluster, neighbors, sky, stats, table

X = np.random.default_rng(0).random((40, 2))
Y = np.arange(40) % 2


class Nothing:
    """What no parameter can be."""


def fit(estimator):
    return estimator.fit(X, Y)


PAIRS = [(getattr(ours, name), getattr(theirs, name)) for ours, theirs in ((cluster, sklearn.cluster), (neighbors, sklearn.neighbors))
         for name in ours.__all__ if hasattr(getattr(theirs, name, None), "_parameter_constraints") and name != "dbscan"]


@pytest.mark.parametrize("ours, theirs", PAIRS, ids=lambda c: c.__name__)
def test_what_scikit_learn_refuses_is_refused(ours, theirs):
    """For each parameter a value of no type that it may have, and one outside of each of its constraints."""
    looked = 0
    for name in set(ours().get_params()) & set(theirs._parameter_constraints):
        if theirs._parameter_constraints[name] == "no_validation":
            continue
        constraints = [make_constraint(v) for v in theirs._parameter_constraints[name]]
        bad = [Nothing(), [1]]
        for constraint in constraints:
            try:
                bad.append(generate_invalid_param_val(constraint, constraints))
            except NotImplementedError:
                pass
        for value in bad:
            if any(v.is_satisfied_by(value) for v in constraints) or ours.__name__ == "OPTICS" and name == "memory":
                continue
            with pytest.raises((ValueError, TypeError)) as refused:
                fit(ours(**{name: value}))
            assert name in str(refused.value), refused.value
            looked += 1
    assert looked >= 12


OF_ESTIMATORS = [
    (cluster.DBSCAN, [("eps", "a"), ("eps", True), ("eps", np.inf), ("border", "last"), ("star", "yes"), ("counts", 2), ("device", "tpu"), ("device", None),
                      ("memory", True), ("memory", "lots"), ("memory", -1), ("fallback", "numpy"), ("progress", "yes"), ("n_jobs", 0), ("n_jobs", True),
                      ("metric", ["euclidean"]), ("metric", 3), ("metric_params", {"q": 1}), ("metric_params", "q")]),
    (cluster.HDBSCAN, [("min_cluster_size", 1), ("min_cluster_size", 2.5), ("min_samples", 0), ("min_samples", 300), ("cluster_selection_epsilon", -1),
                       ("cluster_selection_epsilon", False), ("max_cluster_size", 4), ("max_cluster_size", 0), ("alpha", 0), ("alpha", np.inf), ("algorithm", "zz"),
                       ("leaf_size", -1), ("cluster_selection_method", "x"), ("allow_single_cluster", "yes"), ("ties", "x"), ("store_centers", "mean"), ("copy", "no"), ("n_jobs", 1.5)]),
    (cluster.OPTICS, [("min_samples", 1), ("min_samples", 1.5), ("min_cluster_size", 0.0), ("min_cluster_size", 41), ("memory", "cache"), ("max_eps", "a")]),
    (neighbors.NearestNeighbors, [("radius", "a"), ("radius", -1), ("radius", np.nan), ("device", "cuda"), ("progress", 1)]),
    (neighbors.KNeighborsClassifier, [("ties", "x"), ("weights", [1]), ("n_neighbors", 0)]),
    (neighbors.RadiusNeighborsClassifier, [("ties", None), ("radius", -0.1)]),
    (neighbors.LocalOutlierFactor, [("contamination", 0.6), ("contamination", "none"), ("novelty", "no")]),
]


@pytest.mark.parametrize("kind, name, value", [(kind, *v) for kind, values in OF_ESTIMATORS for v in values])
def test_parameters_of_ours_are_looked_at(kind, name, value):
    with pytest.raises(ValueError, match=name):
        fit(kind(**{name: value}))


def test_shares_and_whole_numbers_are_told_apart():
    with pytest.raises(ValueError, match="min_samples=1, it must be a whole number of at least 2, or a share"):
        fit(cluster.OPTICS(min_samples=1))
    with pytest.raises(ValueError, match="radius=-1, it must be a number of at least 0"):
        neighbors.NearestNeighbors().fit(X).radius_neighbors(radius=-1)
    with pytest.raises(ValueError, match="one side or one for each of 2 columns"):
        fit(cluster.DBSCAN(metric="periodic", metric_params={"box": [1, 2, 3]}))


C = ac.SkyCoord(X[:, 0] * u.deg, X[:, 1] * u.deg)
FAR = ac.SkyCoord(C.ra, C.dec, distance=np.ones(len(X)) * u.pc)
AB = (X[:, 0], X[:, 1])
XYZ = (X[:, 0], X[:, 1], X[:, 0])
BINS = [0.1, 0.2]
HALOS = {"x": X[:, 0], "y": X[:, 1]}


def nn(**kind):
    return stats.NNCorrelation(**{"min_sep": 0.1, "max_sep": 1, "nbins": 2, **kind})


CALLS = {
    "nthneighbor=0": lambda: sky.match_coordinates_sky(C, C, 0), "nthneighbor=-1": lambda: sky.match_coordinates_3d(FAR, FAR, -1),
    "nthneighbor=1.5": lambda: sky.match_coordinates_sky(C, C, 1.5), "nthneighbor=41, the catalog has 40": lambda: sky.match_coordinates_sky(C, C, 41),
    "seplimit must be a scalar": lambda: sky.search_around_sky(C, C, [1, 2] * u.deg),
    "distlimit must be a scalar": lambda: sky.search_around_3d(FAR, FAR, [1, 2] * u.pc),
    "seplimit=-1.0 deg": lambda: sky.search_around_sky(C, C, -1 * u.deg), "distlimit=nan pc": lambda: sky.search_around_3d(FAR, FAR, np.nan * u.pc),
    "radius=.* one angle": lambda: sky.crossmatch(AB, AB, [1, 2] * u.deg), "radius='0 deg'": lambda: sky.crossmatch(AB, AB, "0 deg"),
    "radius='200 deg'.* 180": lambda: sky.link(AB, "200 deg"), "radius=3 has no unit": lambda: sky.link(AB, 3),
    "min_radius='2 deg'": lambda: sky.crossmatch(AB, AB, "1 deg", min_radius="2 deg"), "find=0": lambda: sky.crossmatch(AB, AB, "1 deg", find=0),
    "join='left'": lambda: sky.crossmatch(AB, AB, "1 deg", join="left"), "progress='a'": lambda: sky.crossmatch(AB, AB, "1 deg", progress="a"),
    "device='x'": lambda: sky.propagate(*AB, *AB, 1, n_jobs=1) and sky.link(AB, "1 deg", device="x"),
    "autocorr=2": lambda: stats.DD(2, 1, BINS, *XYZ, periodic=False), "nthreads=0": lambda: stats.DD(1, 0, BINS, *XYZ, periodic=False),
    "periodic='no'": lambda: stats.DD(1, 1, BINS, *XYZ, periodic="no"), "boxsize": lambda: stats.DD(1, 1, BINS, *XYZ, boxsize=[1, 1]),
    "output_ravg='yes'": lambda: stats.DD(1, 1, BINS, *XYZ, periodic=False, output_ravg="yes"),
    "weight_type='sum'": lambda: stats.DD(1, 1, BINS, *XYZ, periodic=False, weight_type="sum"),
    "weights1.shape": lambda: stats.DD(1, 1, BINS, *XYZ, [1.0, 2], periodic=False, weight_type="pair_product"),
    "bins=.* ascending": lambda: stats.DD(1, 1, [2, 1], *XYZ, periodic=False), "bins=3": lambda: stats.DD(1, 1, 3, *XYZ, periodic=False),
    "pimax=-1": lambda: stats.DDrppi(1, 1, -1, BINS, *XYZ, periodic=False), "pimax=0.5": lambda: stats.DDrppi(1, 1, 0.5, BINS, *XYZ, periodic=False),
    "npibins=0": lambda: stats.DDrppi(1, 1, 5, BINS, *XYZ, periodic=False, npibins=0), "los='r'": lambda: stats.DDrppi(1, 1, 5, BINS, *XYZ, periodic=False, los="r"),
    "mu_max=2": lambda: stats.DDsmu(1, 1, BINS, 2, 5, *XYZ, periodic=False), "nmu_bins=0": lambda: stats.DDsmu(1, 1, BINS, 1, 0, *XYZ, periodic=False),
    "nmu_bins=2.5": lambda: stats.DDsmu(1, 1, BINS, 1, 2.5, *XYZ, periodic=False), "up to 200": lambda: stats.DDtheta(1, 1, [1, 200], *AB),
    "keyword argument 'foo'": lambda: stats.DD(1, 1, BINS, *XYZ, periodic=False, foo=1),
    "box=.* shape": lambda: stats.rdf(X, BINS, [1, 1, 1]), "box=0": lambda: stats.rdf(X, BINS, 0), "rows and columns": lambda: stats.rdf(X[0], BINS, 1),
    "min_sep=0": lambda: nn(min_sep=0), "min_sep=-1": lambda: nn(min_sep=-1), "max_sep=0.1": lambda: nn(max_sep=0.1), "nbins=0": lambda: nn(nbins=0),
    "nbins=2.5": lambda: nn(nbins=2.5), "bin_size=0": lambda: nn(nbins=None, bin_size=0), "sep_units='m'": lambda: nn(sep_units="m"),
    "var_method='x'": lambda: nn(var_method="x"), "num_bootstrap=1": lambda: nn(num_bootstrap=1), "cross_patch_weight='x'": lambda: nn(cross_patch_weight="x"),
    "rng=3": lambda: nn(rng=3), "call its process": lambda: nn().calculateXi(rr=nn()),
    "sep_units='deg' is for positions on the sky": lambda: nn(sep_units="deg").process(stats.Catalog(x=AB[0], y=AB[1])),
    "bins other than": lambda: nn().process(stats.Catalog(x=AB[0], y=AB[1])).calculateXi(rr=nn(nbins=3).process(stats.Catalog(x=AB[0], y=AB[1]))),
    "x and y, or ra and dec": lambda: stats.Catalog(x=AB[0]), "x, y and z": lambda: stats.Catalog(ra=AB[0], dec=AB[1], z=AB[0], ra_units="deg", dec_units="deg"),
    "ra_units='foo'": lambda: stats.Catalog(ra=AB[0], dec=AB[1], ra_units="foo", dec_units="deg"), "dec_units=None": lambda: stats.Catalog(ra=AB[0], dec=AB[1], ra_units="deg"),
    "w.shape": lambda: stats.Catalog(x=AB[0], y=AB[1], w=[1.0, 2]), "npatch=0": lambda: stats.Catalog(x=AB[0], y=AB[1], npatch=0),
    "per_row='yes'": lambda: stats.stat("r", X, per_row="yes"), "reduce='min' is of each row": lambda: stats.stat("r", X, reduce="min"),
    "reduce='pairs'": lambda: stats.stat("r < 1", X, reduce="pairs", per_row=True), "metric=\\['sky'\\]": lambda: stats.stat("r", X, metric=["sky"]),
    "meet='q'": lambda: stats.stat("r", X, meet="q"), "memory='abc'": lambda: stats.stat("r", X, memory="abc"), "n_jobs='a'": lambda: stats.stat("r", X, n_jobs="a"),
    "missing='keep'": lambda: table.matrix(HALOS, missing="keep"), "n=-1": lambda: skyjoin.set_threads(-1),
}


@pytest.mark.parametrize("text", CALLS)
def test_arguments_of_functions_are_looked_at(text):
    with pytest.raises((ValueError, TypeError), match=text):
        CALLS[text]()


def test_errors_of_a_row_have_it():
    """The row of a coordinate that cannot be, whoever finds it."""
    low = [[0.0, 0], [0, 0], [0, 91]]
    nan = [[0.0, 0], [0, 0], [np.nan, 1]]
    for call in (lambda: cluster.DBSCAN(eps="1 deg", metric="sky").fit(low), lambda: cluster.DBSCAN().fit(nan),
                 lambda: sky.crossmatch(np.transpose(low).tolist(), ([0.0], [0.0]), "1 deg"), lambda: sky.link(tuple(np.transpose(nan)), "1 deg"),
                 lambda: stats.DDtheta(1, 1, BINS, *np.transpose(low)), lambda: stats.DD(1, 1, BINS, *np.transpose(nan), [0.0, 0, 0], periodic=False),
                 lambda: stats.stat("r", nan), lambda: table.matrix(nan), lambda: table.positions({"ra": np.ma.array([1.0, 2, 3], mask=[0, 0, 1]), "dec": [0.0, 0, 0]}),
                 lambda: neighbors.NearestNeighbors(metric="sky", radius="1 deg").fit(low).radius_neighbors(), lambda: neighbors.KNeighborsRegressor(1).fit(X[:3], [1, 1, np.nan])):
        with pytest.raises(ValueError) as refused:
            call()
        assert refused.value.row == 2, refused.value
