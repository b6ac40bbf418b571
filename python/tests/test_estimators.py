"""Every estimator against scikit-learn's checks, and its answers against scikit-learn's."""

import pickle
import unittest
import warnings

import numpy as np
import pytest
import sklearn
import sklearn.cluster
import sklearn.neighbors
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from skyjoin import cluster, neighbors

ESTIMATORS = [
    cluster.DBSCAN(), cluster.HDBSCAN(), cluster.OPTICS(), neighbors.NearestNeighbors(), neighbors.KNeighborsClassifier(),
    neighbors.KNeighborsClassifier(ties="sklearn"), neighbors.KNeighborsRegressor(), neighbors.RadiusNeighborsClassifier(),
    neighbors.RadiusNeighborsClassifier(ties="sklearn"), neighbors.RadiusNeighborsRegressor(), neighbors.LocalOutlierFactor(),
    neighbors.LocalOutlierFactor(novelty=True),
]

# What may be skipped, and why.
SKIPS = ("pandas is not installed", "a tie goes to the smaller sum of distances")


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_check_estimator(estimator):
    ran = 0
    for instance, check in check_estimator(estimator, generate_only=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                check(instance)
                ran += 1
            except unittest.SkipTest as why:
                assert any(s in str(why) for s in SKIPS), why
    assert ran >= 28


def clumps(rng, n, d):
    """Rows with ties and duplicates: clumps on a lattice, and noise."""
    centres = rng.integers(0, 5, (4, d))
    x = np.concatenate([rng.normal(centres[rng.integers(0, 4, n // 2)], 0.4), rng.random((n - n // 2, d)) * 5])
    return np.round(x, rng.integers(1, 4))


@pytest.mark.parametrize("seed", range(100))
def test_dbscan_is_sklearns(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 300)), int(rng.integers(1, 5))
    x = clumps(rng, n, d).astype(rng.choice([np.float64, np.float32]))
    eps, least = float(rng.uniform(0.1, 1.2)) + 1e-7, int(rng.integers(1, 10))  # no radius is a distance of the lattice
    weights = rng.choice([None, 1]) and rng.integers(0, 4, n).astype(float)
    ours = cluster.DBSCAN(eps=eps, min_samples=least).fit(x, sample_weight=weights)
    theirs = sklearn.cluster.DBSCAN(eps=eps, min_samples=least).fit(x, sample_weight=weights)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert np.array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    assert np.array_equal(ours.components_, theirs.components_) and ours.components_.dtype == x.dtype
    assert np.array_equal(ours.predict(x), ours.labels_)
    again = pickle.loads(pickle.dumps(ours))
    assert np.array_equal(again.predict(x), ours.labels_)


@pytest.mark.parametrize("seed", range(100))
def test_neighbors_are_sklearns(seed):
    rng = np.random.default_rng(1000 + seed)
    n, d = int(rng.integers(3, 300)), int(rng.integers(1, 6))
    x, q = rng.normal(size=(n, d)), rng.normal(size=(int(rng.integers(1, 50)), d))
    k, r = int(rng.integers(1, min(n - 1, 12) + 1)), float(rng.uniform(0.1, 2))
    ours = neighbors.NearestNeighbors(n_neighbors=k, radius=r).fit(x)
    theirs = sklearn.neighbors.NearestNeighbors(n_neighbors=k, radius=r, algorithm="brute", metric="euclidean").fit(x)
    for rows in (q, None):
        dist, index = ours.kneighbors(rows)
        want, rows_of = theirs.kneighbors(rows)
        assert np.array_equal(index, rows_of)
        assert np.allclose(dist, want, rtol=1e-6, atol=1e-7)
        graph, other = ours.radius_neighbors_graph(rows, mode="distance"), theirs.radius_neighbors_graph(rows, mode="distance")
        other.sort_indices()
        assert np.array_equal(graph.indptr, other.indptr) and np.array_equal(graph.indices, other.indices)
        for a, b in zip(ours.radius_neighbors(rows, return_distance=False), theirs.radius_neighbors(rows, return_distance=False)):
            assert np.array_equal(a, np.sort(b))


@pytest.mark.parametrize("seed", range(100))
def test_votes_are_sklearns(seed):
    rng = np.random.default_rng(2000 + seed)
    n, d, classes = int(rng.integers(5, 300)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    x, q = rng.normal(size=(n, d)), rng.normal(size=(60, d))
    y, values = rng.choice(list("abcd")[:classes], n), rng.normal(size=n)
    k, weights, r = int(rng.integers(1, min(n, 9))), str(rng.choice(["uniform", "distance"])), float(rng.uniform(0.5, 1))
    ours = neighbors.KNeighborsClassifier(k, weights=weights, ties="sklearn").fit(x, y)
    theirs = sklearn.neighbors.KNeighborsClassifier(k, weights=weights).fit(x, y)
    assert np.allclose(ours.predict_proba(q), theirs.predict_proba(q), atol=1e-12)
    assert np.array_equal(ours.predict(q), theirs.predict(q))
    ours = neighbors.KNeighborsRegressor(k, weights=weights).fit(x, values)
    theirs = sklearn.neighbors.KNeighborsRegressor(k, weights=weights).fit(x, values)
    assert np.allclose(ours.predict(q), theirs.predict(q))
    assert np.isclose(ours.score(x, values), theirs.score(x, values))
    ours = neighbors.RadiusNeighborsClassifier(r, weights=weights, outlier_label="most_frequent", ties="sklearn").fit(x, y)
    theirs = sklearn.neighbors.RadiusNeighborsClassifier(r, weights=weights, outlier_label="most_frequent").fit(x, y)
    assert np.array_equal(ours.predict(q), theirs.predict(q))
    assert np.allclose(ours.predict_proba(q), theirs.predict_proba(q), atol=1e-12)


def falling(dist):
    """Weights by a function of distances, of lists of one length or of several."""
    return np.exp(-dist) if dist.dtype != object else np.array([np.exp(-d) for d in dist] + [None], dtype=object)[:-1]


@pytest.mark.parametrize("seed", range(20))
def test_votes_on_several_outputs_are_sklearns(seed):
    rng = np.random.default_rng(2500 + seed)
    n, dtype = int(rng.integers(20, 200)), rng.choice([np.float64, np.float32])
    x, q = rng.normal(size=(n, 2)).astype(dtype), rng.normal(size=(40, 2)).astype(dtype)
    y = np.stack([rng.integers(0, 3, n), rng.integers(5, 7, n)], axis=1)
    values = rng.normal(size=(n, int(rng.integers(1, 4)))).astype(dtype)
    k, r = int(rng.integers(1, 9)), float(rng.choice([0.7, np.inf]))
    weights = [None, "uniform", "distance", falling][seed % 4]
    for name, options in (("KNeighborsClassifier", {"n_neighbors": k}), ("RadiusNeighborsClassifier", {"radius": r, "outlier_label": [0, 6]})):
        ours = getattr(neighbors, name)(weights=weights, ties="sklearn", **options).fit(x, y)
        theirs = getattr(sklearn.neighbors, name)(weights=weights, **options).fit(x, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.array_equal(ours.predict(q), theirs.predict(q))
        for a, b in zip(ours.predict_proba(q), theirs.predict_proba(q)):
            assert np.allclose(a, b, atol=1e-6) and a.dtype == b.dtype
        assert ours.score(x[:1], y[:1]) in (0, 1)
        assert all(np.array_equal(a, b) for a, b in zip(ours.classes_, theirs.classes_))
    for name, options in (("KNeighborsRegressor", {"n_neighbors": k}), ("RadiusNeighborsRegressor", {"radius": r})):
        for v in (values, values[:, 0], np.rint(values * 9).astype(int)):
            ours = getattr(neighbors, name)(weights=weights, **options).fit(x, v)
            theirs = getattr(sklearn.neighbors, name)(weights=weights, **options).fit(x, v)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found, want = ours.predict(q), theirs.predict(q)
                assert np.isclose(ours.score(x, v), theirs.score(x, v), atol=1e-5)
            want[want == np.iinfo(int).min] = np.nan  # scikit-learn casts NaN to the integers of v
            assert np.allclose(found, want, rtol=1e-5, atol=1e-5, equal_nan=True)
            assert found.shape == want.shape and (found.dtype == want.dtype or callable(weights) or weights == "distance")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_types_are_those_of_sklearn(dtype):
    rng = np.random.default_rng(7)
    x = rng.normal(size=(80, 3)).astype(dtype)

    def types(c, n):
        lof, new, optics = n.LocalOutlierFactor(5).fit(x), n.LocalOutlierFactor(5, novelty=True).fit(x), c.OPTICS(min_samples=4).fit(x)
        near, db = n.NearestNeighbors(n_neighbors=4).fit(x), c.DBSCAN(eps=0.6).fit(x)
        yield from (lof.negative_outlier_factor_, new.score_samples(x), new.decision_function(x), new.predict(x), lof.fit_predict(x))
        yield from (optics.labels_, optics.reachability_, optics.ordering_, optics.core_distances_, optics.predecessor_)
        yield from (db.labels_, db.components_, db.core_sample_indices_, *near.kneighbors(x), *(v[0] for v in near.radius_neighbors(x)))
        for graph in (near.kneighbors_graph(x), near.radius_neighbors_graph(x, mode="distance")):
            yield from (graph.data, graph.indices)

    for i, (ours, theirs) in enumerate(zip(types(cluster, neighbors), types(sklearn.cluster, sklearn.neighbors))):
        assert ours.dtype == theirs.dtype, i


def test_components_are_rows_as_they_were_given():
    rng = np.random.default_rng(6)
    x = rng.integers(0, 9, (200, 2))
    for given in (x, x > 4, x.astype(np.int8), x.astype(np.uint16), x.astype(np.float16), x.astype(np.longdouble), x.astype(">f8"), x.tolist()):
        ours, theirs = (z.DBSCAN(eps=1.5, min_samples=4).fit(given) for z in (cluster, sklearn.cluster))
        assert np.array_equal(ours.components_, theirs.components_) and ours.components_.dtype == theirs.components_.dtype
        assert len(ours.components_) and np.array_equal(ours.predict(given), ours.labels_)
        assert np.array_equal(pickle.loads(pickle.dumps(ours)).predict(given), ours.labels_)


def test_radii_without_end_and_of_nothing():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 4, (100, 2)) * 0.25
    for radius in (0, np.inf):
        ours, theirs = (n.NearestNeighbors(radius=radius).fit(x) for n in (neighbors, sklearn.neighbors))
        for rows in (None, x[:9] + 0.25, x[:9] * 1e6):
            graph, other = ours.radius_neighbors_graph(rows), theirs.radius_neighbors_graph(rows)
            other.sort_indices()
            assert np.array_equal(graph.indptr, other.indptr) and np.array_equal(graph.indices, other.indices)
    sky = neighbors.NearestNeighbors(radius="400 deg", metric="haversine")
    with pytest.raises(ValueError, match="radius='400 deg'"):
        sky.fit(x).radius_neighbors_graph()
    assert sky.radius_neighbors_graph(radius=np.inf).nnz == 100 * 99


@pytest.mark.parametrize("radius", [0.01, 0.15])
def test_tables_are_the_same_however_they_are_found(radius):
    """A table of up to a million neighbours is kept as it is found, a larger one and one of little memory is counted first."""
    x = np.random.default_rng(4).random((6000, 2))
    theirs = sklearn.neighbors.NearestNeighbors(radius=radius).fit(x).radius_neighbors_graph()
    theirs.sort_indices()
    assert (theirs.nnz > 1 << 20) == (radius == 0.15)
    for memory in (None, "32MiB"):
        ours = neighbors.NearestNeighbors(radius=radius, memory=memory).fit(x).radius_neighbors_graph()
        assert np.array_equal(ours.indptr, theirs.indptr) and np.array_equal(ours.indices, theirs.indices)


def test_an_estimator_or_a_tree_can_be_fitted():
    x = np.random.default_rng(5).normal(size=(50, 3))
    want = neighbors.NearestNeighbors(n_neighbors=3).fit(x).kneighbors(x)
    for data in (neighbors.NearestNeighbors().fit(x), sklearn.neighbors.KDTree(x), sklearn.neighbors.BallTree(x), sklearn.neighbors.NearestNeighbors().fit(x)):
        assert all(np.array_equal(a, b) for a, b in zip(neighbors.NearestNeighbors(n_neighbors=3).fit(data).kneighbors(x), want))


def test_weights_must_be_one_a_distance():
    x = np.arange(10.0)[:, None]
    with pytest.raises(ValueError, match="weights gave 10 weights of 30 distances"):
        neighbors.KNeighborsRegressor(3, weights=lambda d: d[:, 0]).fit(x, x[:, 0]).predict(x)


def test_optics_warns_of_a_radius_that_reaches_nothing():
    with pytest.warns(UserWarning, match="All reachability values are inf"):
        cluster.OPTICS(min_samples=2, max_eps=0.1).fit(np.arange(9.0)[:, None])


@pytest.mark.parametrize("seed", range(40))
def test_optics_and_lof_are_sklearns(seed):
    rng = np.random.default_rng(3000 + seed)
    x = rng.normal(rng.integers(0, 4, (int(rng.integers(30, 150)), 2)), 0.3)
    m = int(rng.integers(2, 9))
    # The correction by predecessors of scikit-learn before 1.3 looks at the wrong row.
    right = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 3)
    ours, theirs = (o.OPTICS(min_samples=m, predecessor_correction=right).fit(x) for o in (cluster, sklearn.cluster))
    assert np.array_equal(ours.ordering_, theirs.ordering_)
    assert np.allclose(ours.reachability_, theirs.reachability_) and np.allclose(ours.core_distances_, theirs.core_distances_)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert np.array_equal(ours.cluster_hierarchy_, theirs.cluster_hierarchy_)
    ours, theirs = neighbors.LocalOutlierFactor(m).fit(x), sklearn.neighbors.LocalOutlierFactor(m).fit(x)
    assert np.allclose(ours.negative_outlier_factor_, theirs.negative_outlier_factor_)
    ours, theirs = (z.LocalOutlierFactor(m, novelty=True).fit(x) for z in (neighbors, sklearn.neighbors))
    q = rng.normal(size=(20, 2))
    assert np.allclose(ours.decision_function(q), theirs.decision_function(q))
    assert np.array_equal(ours.predict(q), theirs.predict(q))


@pytest.mark.parametrize("seed", range(40))
def test_hdbscan_is_that_of_its_parts(seed):
    """The tree is the minimum spanning tree of mutual reachability, and cutting it gives DBSCAN*."""
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import cdist

    rng = np.random.default_rng(4000 + seed)
    x = rng.normal(rng.integers(0, 4, (int(rng.integers(20, 120)), 2)), 0.3)
    m = int(rng.integers(2, 8))
    found = cluster.HDBSCAN(m).fit(x)
    dist = cdist(x, x)
    core = np.sort(dist, axis=1)[:, m - 1]
    assert np.allclose(found.core_distances_, core)
    reach = np.maximum(dist, np.maximum(core[:, None], core[None, :]))
    np.fill_diagonal(reach, 0)
    assert np.allclose(np.sort(found.spanning_tree_[:, 2]), np.sort(minimum_spanning_tree(reach).data))
    assert np.array_equal(found.linkage_[:, 2], np.sort(found.linkage_[:, 2]))
    assert found.linkage_[-1, 3] == len(x)
    assert np.array_equal(found.predict(x), found.labels_)
    order = rng.permutation(len(x))
    other = cluster.HDBSCAN(m).fit(x[order])
    assert np.array_equal(other.probabilities_, found.probabilities_[order])
    assert np.array_equal(other.outlier_scores_, found.outlier_scores_[order])


@pytest.mark.parametrize("seed", range(8))
def test_centres_of_hdbscan(seed):
    """Centroids are means by probability, medoids the rows of least weighted sums of distances, as in scikit-learn from 1.3 on."""
    from scipy.spatial.distance import cdist

    rng = np.random.default_rng(4500 + seed)
    d = int(rng.integers(1, 5))
    x = rng.normal(rng.integers(0, 9, (4, d))[rng.integers(0, 4, 200)], 0.3).astype(rng.choice([np.float64, np.float32]))
    found = cluster.HDBSCAN(8, 4, store_centers="both").fit(x)
    assert found.labels_.max() >= 0 and found.min_samples == 4
    for k in range(found.labels_.max() + 1):
        rows, p = x[found.labels_ == k], found.probabilities_[found.labels_ == k]
        assert np.allclose(found.centroids_[k], np.average(rows, axis=0, weights=p))
        reach = (cdist(rows, rows) * p).sum(axis=1)
        assert np.isclose(reach[(rows == found.medoids_[k]).all(axis=1)].min(), reach.min())
    alone = cluster.HDBSCAN(150, store_centers="centroid").fit(x)
    assert alone.centroids_.shape == (alone.labels_.max() + 1, d) and not hasattr(alone, "medoids_")
    with pytest.raises(ValueError, match="store_centers='both' with metric='periodic'"):
        cluster.HDBSCAN(metric="periodic", metric_params={"box": 99}, store_centers="both").fit(x)


def test_metrics_and_parameters():
    x = np.array([[359.9999, 0.0], [0.0001, 0.0], [90.0, 10.0]])
    assert list(cluster.DBSCAN(eps="1 arcsec", min_samples=2, metric="sky").fit(x).labels_) == [0, 0, -1]
    rad = np.radians(x[:, ::-1])
    assert list(cluster.DBSCAN(eps=np.radians(1 / 3600), min_samples=2, metric="haversine").fit(rad).labels_) == [0, 0, -1]
    box = np.array([[0.1, 5], [9.9, 5], [5, 5]])
    assert list(cluster.DBSCAN(eps=0.3, min_samples=2, metric="periodic", metric_params={"box": 10}).fit(box).labels_) == [0, 0, -1]
    for bad, text in (({"eps": 1.0, "metric": "sky"}, "no unit"), ({"eps": -1}, "eps=-1"), ({"min_samples": 0}, "min_samples=0"),
                      ({"metric": "manhattan"}, "sklearn.cluster.DBSCAN"), ({"metric_params": {"w": 1}}, "no such parameter"),
                      ({"n_jobs": 0}, "n_jobs=0"), ({"device": "tpu"}, "device='tpu'"), ({"memory": "lots"}, "memory='lots'"),
                      ({"border": "last"}, "border='last'")):
        with pytest.raises(ValueError, match=text):
            cluster.DBSCAN(**bad).fit(x)
    handed = cluster.DBSCAN(eps=1, metric="manhattan", min_samples=2, fallback="sklearn").fit(box)
    assert np.array_equal(handed.labels_, sklearn.cluster.DBSCAN(eps=1, metric="manhattan", min_samples=2).fit(box).labels_)
    counted = cluster.DBSCAN(eps=0.3, min_samples=2, metric="periodic", metric_params={"box": 10}, counts=True).fit(box)
    assert list(counted.counts_) == [2, 2, 1]
    assert repr(clone(cluster.DBSCAN(eps=2))) == "DBSCAN(eps=2)"
    with pytest.raises(MemoryError):
        neighbors.NearestNeighbors(radius=1, memory=1).fit(np.zeros((5000, 2))).radius_neighbors_graph()


def test_no_gpu_is_an_error_of_its_own():
    import skyjoin

    if skyjoin.devices():
        pytest.skip("this machine has a GPU")
    with pytest.raises((skyjoin.DeviceError, ValueError)):
        cluster.DBSCAN(device="gpu").fit(np.zeros((10, 2)))


def test_rows_beside_duplicates_are_outliers():
    from sklearn.neighbors import LocalOutlierFactor as Theirs
    x = np.r_[np.zeros((6, 1)), [[1.0], [2], [3], [7]]]
    for share in (0.1, 0.25, 0.3, 0.35, 0.4):
        ours = neighbors.LocalOutlierFactor(3, contamination=share)
        assert np.isfinite(ours.fit(x).offset_)
        theirs = Theirs(3, contamination=share).fit_predict(x)
        out = ours.fit_predict(x) == -1
        assert out[theirs == -1].all() and out.sum() >= (theirs == -1).sum(), share
        assert not out[:6].any()
    new = neighbors.LocalOutlierFactor(3, novelty=True, contamination=0.3).fit(x)
    assert list(new.predict([[0.0], [100.0]])) == [1, -1]


def test_predictions_are_by_the_parameters_of_the_fit():
    x = np.random.default_rng(3).random((200, 2))
    found = cluster.DBSCAN(eps=0.05).fit(x)
    want = found.predict(x + 0.03)
    other = cluster.DBSCAN(eps=0.05).fit(x).set_params(eps=3.0, border="nearest")
    assert np.array_equal(other.predict(x + 0.03), want)
    assert np.array_equal(pickle.loads(pickle.dumps(other)).predict(x + 0.03), want)
