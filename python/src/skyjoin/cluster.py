"""Clustering: DBSCAN, HDBSCAN and OPTICS, as scikit-learn's estimators."""

import warnings

import numpy as np

from . import _engine as e
from . import _library as c
from ._checks import one_of, real, weights_of, whole
from ._estimator import Estimator, Space

__all__ = ["DBSCAN", "HDBSCAN", "OPTICS", "dbscan"]


class _Clusterer(Estimator):
    _estimator_type = "clusterer"

    def fit_predict(self, X, y=None, **fit_params):
        """Fit and return ``labels_``."""
        return self.fit(X, **fit_params).labels_


class DBSCAN(_Clusterer):
    """Density-based clusters of rows within a radius of each other.

    Labels equal those of ``sklearn.cluster.DBSCAN``.

    Parameters
    ----------
    eps : float or angle, default 0.5
        The radius. With ``metric="sky"`` an angle of astropy.units or text like
        ``"3 arcsec"``.
    min_samples : int, default 5
        Rows in the ball of a core row, itself included; with ``sample_weight``
        the sum of their weights, which may be any positive number.
    metric : {"euclidean", "sky", "haversine", "periodic"}
        ``"sky"``: columns RA and Dec in degrees. ``"haversine"``: latitude and
        longitude in radians, as in scikit-learn. ``"periodic"``: a box,
        ``metric_params={"box": sides}``, a side of 0 for an open axis.
    metric_params : dict, optional
    algorithm, leaf_size : ignored
        Accepted for compatibility.
    p : {None, 2}
    n_jobs : int, optional
        Threads; None is all, or OMP_NUM_THREADS if that is set.
    border : {"first", "nearest"}
        The cluster of a border row: the first of those it could belong to, or that
        of its nearest core row.
    star : bool
        Border rows are noise: DBSCAN* of Campello, Moulavi & Sander (2013).
    counts : bool
        Have ``counts_``, which takes longer.
    device : {"auto", "cpu", "gpu"}
    memory : int or str, optional
        Bytes that the work may take beside its result, or text like ``"2GiB"``.
    fallback : {None, "sklearn"}
        Who answers requests with metrics that are not ours.
    progress : bool or callable
        True for a bar, or ``progress(done, total)``.

    Attributes
    ----------
    labels_ : ndarray of int
        The cluster of each row from 0, -1 for noise.
    core_sample_indices_ : ndarray of int
    components_ : ndarray
        The core rows.
    counts_ : ndarray of int
        Rows within ``eps`` of each row, itself included; with ``counts=True``.

    Examples
    --------
    >>> import numpy as np
    >>> from skyjoin.cluster import DBSCAN
    >>> X = np.array([[1, 2], [2, 2], [2, 3], [8, 7], [8, 8], [25, 80]])
    >>> DBSCAN(eps=3, min_samples=2).fit(X).labels_
    array([ 0,  0,  0,  1,  1, -1])
    """

    def __init__(self, eps=0.5, *, min_samples=5, metric="euclidean", metric_params=None, algorithm="auto", leaf_size=30, p=None,
                 n_jobs=None, border="first", star=False, counts=False, device="auto", memory=None, fallback=None, progress=None):
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.n_jobs = n_jobs
        self.border = border
        self.star = star
        self.counts = counts
        self.device = device
        self.memory = memory
        self.fallback = fallback
        self.progress = progress

    def fit(self, X, y=None, sample_weight=None):
        """Find the clusters of rows and return self."""
        if self.fallback == "sklearn":
            try:
                Space(self.metric, self.metric_params, self.p, "sklearn.cluster.DBSCAN", 1)
            except ValueError:
                return self._hand_on(X, sample_weight)
        given, X = np.asarray(X), self._check_x(X)
        space = Space(self.metric, self.metric_params, self.p, "sklearn.cluster.DBSCAN", X.shape[1])
        eps = space.radius("eps", self.eps)
        if sample_weight is None:
            whole("min_samples", self.min_samples, 1)
        weights = weights_of(sample_weight, len(X))
        what = c.Dbscan(
            flags=c.Dbscan.STAR * bool(self.star) | self._border() | c.Dbscan.WANT_COUNTS * bool(self.counts),
            eps=eps, min_points=real("min_samples", self.min_samples, above=0), weights=e.pointer(weights))
        opts = self._options()
        job = e.run("dbscan", space.points(X, opts.threads), space.metric, what, keep=weights, opts=opts, progress=self.progress)
        fields = [c.LABELS, c.CORE] + [c.COUNTS] * bool(self.counts)
        self.labels_, core, *counts = job.take(*fields)
        self.core_sample_indices_ = np.flatnonzero(core)
        self.components_ = (given if given.dtype.kind in "biuf" else X)[self.core_sample_indices_]  # of the type that was given
        if counts:
            self.counts_ = counts[0]
        self._job, self._fitted_with = None, (self.metric, self.metric_params, self.p, eps, self._border())
        return self

    def _border(self):
        return c.Dbscan.BORDER_NEAREST * (self.border == "nearest")

    def predict(self, X):
        """Return the cluster of new rows: that of a core row within the ``eps`` of the fit, by the rule for border rows, or -1."""
        self._fitted("components_")
        X = self._check_x(X, reset=False)
        if len(self.components_) == 0:
            return np.full(len(X), -1)
        if self._fitted_with is None:
            raise ValueError(f"metric={self.metric!r} was handed on to sklearn.cluster.DBSCAN, which does not predict")
        metric, metric_params, p, eps, border = self._fitted_with
        space = Space(metric, metric_params, p, "sklearn.cluster.DBSCAN", X.shape[1])
        if self._job is None:
            labels = np.ascontiguousarray(self.labels_[self.core_sample_indices_], dtype=np.int64)
            core = space.points(self.components_)
            what = c.DbscanModel(flags=border, eps=eps, labels=labels.ctypes.data)
            self._job = e.run("dbscan_model", core, space.metric, what, keep=labels)
        return e.predict(self._job, space.points(X), [c.LABELS], self._options())[0]

    def _hand_on(self, X, sample_weight):
        from sklearn.cluster import DBSCAN as Other

        names = ("eps", "min_samples", "metric", "metric_params", "algorithm", "leaf_size", "p", "n_jobs")
        other = Other(**{name: getattr(self, name) for name in names}).fit(X, sample_weight=sample_weight)
        self._job, self._fitted_with, self.n_features_in_ = None, None, other.n_features_in_
        self.labels_, self.core_sample_indices_, self.components_ = other.labels_, other.core_sample_indices_, other.components_
        return self


def dbscan(X, eps=0.5, *, min_samples=5, metric="minkowski", metric_params=None, algorithm="auto", leaf_size=30, p=2,
           sample_weight=None, n_jobs=None, **more):
    """Return the core rows and the labels of :class:`DBSCAN`."""
    found = DBSCAN(eps, min_samples=min_samples, metric=metric, metric_params=metric_params, algorithm=algorithm, leaf_size=leaf_size,
                   p=p, n_jobs=n_jobs, **more).fit(X, sample_weight=sample_weight)
    return found.core_sample_indices_, found.labels_


class HDBSCAN(_Clusterer):
    """Clusters of every density, from the tree of all radii.

    Exact, and independent of the order of rows.

    Parameters
    ----------
    min_cluster_size : int, default 5
    min_samples : int, optional
        Rows in the ball of a core distance, the row itself included; None is
        ``min_cluster_size``.
    cluster_selection_epsilon : float or angle, default 0
        Clusters are not split below this distance (Malzer & Baum 2020).
    max_cluster_size : int, optional
    metric, metric_params, algorithm, leaf_size, n_jobs, device, memory, progress
        As in :class:`DBSCAN`.
    alpha : float, default 1
        Distances are divided by it.
    cluster_selection_method : {"eom", "leaf"}
    allow_single_cluster : bool
    store_centers : {None, "centroid", "medoid", "both"}
        Have ``centroids_``, ``medoids_`` or both; of Euclidean distances.
    copy : ignored
        The rows stay as they are.
    ties : {"together", "sklearn"}
        Edges of equal length join all that they join at once, or one after the
        other as in scikit-learn.

    Attributes
    ----------
    labels_ : ndarray of int
    probabilities_ : ndarray of float
        How firmly each row belongs to its cluster.
    outlier_scores_ : ndarray of float
        GLOSH scores.
    cluster_persistence_ : ndarray of float
    core_distances_ : ndarray of float
    centroids_, medoids_ : ndarray (clusters, d)
        The mean of the rows of each cluster by their probabilities, and the row with
        the least sum of distances from the others, by theirs.
    linkage_ : ndarray (n - 1, 4)
        The single-linkage tree in SciPy's layout.
    spanning_tree_ : ndarray (n - 1, 3)
        Edges and heights of the minimum spanning tree.

    Examples
    --------
    >>> import numpy as np
    >>> from skyjoin.cluster import HDBSCAN
    >>> rng = np.random.default_rng(1)
    >>> X = np.concatenate([rng.normal(c, s, (50, 2)) for c, s in ((0, 0.1), (5, 1))])
    >>> HDBSCAN(min_cluster_size=10).fit(X).labels_.max()
    1
    """

    def __init__(self, min_cluster_size=5, min_samples=None, cluster_selection_epsilon=0.0, max_cluster_size=None, metric="euclidean",
                 metric_params=None, alpha=1.0, algorithm="auto", leaf_size=30, n_jobs=None, cluster_selection_method="eom",
                 allow_single_cluster=False, store_centers=None, copy=False, *, ties="together", device="auto", memory=None, progress=None):
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.store_centers = store_centers
        self.copy = copy
        self.ties = ties
        self.device = device
        self.memory = memory
        self.progress = progress

    def fit(self, X, y=None):
        """Build the tree, choose clusters and return self."""
        X = self._check_x(X)
        self._X = X
        self._job = job = self._run(X)
        n = len(X)
        self.labels_, self.probabilities_, self.outlier_scores_, self.cluster_persistence_, self.core_distances_ = job.get(
            c.LABELS, c.PROBABILITIES, c.OUTLIER_SCORES, c.PERSISTENCE, c.CORE_DISTANCES)
        self.n_samples_ = n
        if self.store_centers is not None:
            self._centre(X)
        return self

    def _centre(self, X):
        """Find the centres of the clusters."""
        members = [np.flatnonzero(self.labels_ == k) for k in range(self.labels_.max() + 1)]
        if self.store_centers != "medoid":
            self.centroids_ = np.array([np.average(X[m], axis=0, weights=self.probabilities_[m]) for m in members]).reshape(-1, X.shape[1])
        if self.store_centers != "centroid":
            self.medoids_ = np.array([X[m[self._reach(X[m], self.probabilities_[m]).argmin()]] for m in members]).reshape(-1, X.shape[1])

    def _reach(self, X, weights):
        """Return the sum of the distances of each row from the others, by the weights of these."""
        from ._expression import stat

        names = [f"x{j}" for j in range(X.shape[1])]
        return stat("b.w * r", {**dict(zip(names, X.T)), "w": weights}, columns=names, per_row=True, n_jobs=self.n_jobs, device=self.device,
                    memory=self.memory)

    def _run(self, X):
        least = whole("min_cluster_size", self.min_cluster_size, 2)
        samples = least if self.min_samples is None else whole("min_samples", self.min_samples, 1)
        if samples > len(X):
            raise ValueError(f"min_samples ({samples}) must be at most the number of samples in X ({len(X)}): n_samples={len(X)}")
        space = Space(self.metric, self.metric_params, None, "sklearn.cluster.HDBSCAN", X.shape[1])
        epsilon = self.cluster_selection_epsilon
        epsilon = 0.0 if not isinstance(epsilon, bool) and np.ndim(epsilon) == 0 and epsilon == 0 else space.radius("cluster_selection_epsilon", epsilon, zero=True)
        one_of("ties", self.ties, ("together", "sklearn"))
        if one_of("store_centers", self.store_centers, (None, "centroid", "medoid", "both")) and space.metric.struct.kind != c.EUCLIDEAN:
            raise ValueError(f"store_centers={self.store_centers!r} with metric={self.metric!r}: centres are those of Euclidean distances")
        what = c.Hdbscan(
            flags=c.Hdbscan.LEAF * (self.cluster_selection_method == "leaf") | c.Hdbscan.SINGLE_CLUSTER * bool(self.allow_single_cluster)
            | c.Hdbscan.TIES_SKLEARN * (self.ties == "sklearn"),
            min_samples=samples, min_cluster_size=least, epsilon=epsilon, alpha=float(self.alpha),
            max_cluster_size=0 if self.max_cluster_size is None else whole("max_cluster_size", self.max_cluster_size, least))
        opts = self._options()
        return e.run("hdbscan", space.points(X, opts.threads), space.metric, what, opts=opts, progress=self.progress)

    def _tree(self):
        """Return the finished job, which a pickle does not hold."""
        self._fitted("labels_")
        if self._job is None:
            self._job = self._run(self._X)
        return self._job

    @property
    def linkage_(self):
        return self._tree().get(c.LINKAGE)[0].reshape(-1, 4)

    @property
    def spanning_tree_(self):
        return self._tree().get(c.EDGES)[0].reshape(-1, 3)

    def predict(self, X, return_probabilities=False):
        """Return the clusters of new rows, and with ``return_probabilities`` how firmly they belong there."""
        job = self._tree()
        X = self._check_x(X, reset=False)
        space = Space(self.metric, self.metric_params, None, "sklearn.cluster.HDBSCAN", X.shape[1])
        labels, probabilities = e.predict(job, space.points(X), [c.LABELS, c.PROBABILITIES], self._options())
        return (labels, probabilities) if return_probabilities else labels


class OPTICS(_Clusterer):
    """The order of rows by reachability, and clusters of it.

    Parameters are those of ``sklearn.cluster.OPTICS``; metric, device, memory and
    progress as in :class:`DBSCAN`.

    Attributes
    ----------
    labels_, ordering_, predecessor_ : ndarray of int
    reachability_, core_distances_ : ndarray of float
    cluster_hierarchy_ : ndarray (clusters, 2)
        First and last place in the ordering; of ``cluster_method="xi"``.
    """

    def __init__(self, *, min_samples=5, max_eps=np.inf, metric="minkowski", p=2, metric_params=None, cluster_method="xi", eps=None, xi=0.05,
                 predecessor_correction=True, min_cluster_size=None, algorithm="auto", leaf_size=30, memory=None, n_jobs=None,
                 device="auto", progress=None):
        self.min_samples = min_samples
        self.max_eps = max_eps
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.cluster_method = cluster_method
        self.eps = eps
        self.xi = xi
        self.predecessor_correction = predecessor_correction
        self.min_cluster_size = min_cluster_size
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.memory = memory
        self.n_jobs = n_jobs
        self.device = device
        self.progress = progress

    def fit(self, X, y=None):
        """Order the rows, find clusters and return self."""
        X = self._check_x(X)
        n = len(X)
        space = Space(self.metric, self.metric_params, self.p, "sklearn.cluster.OPTICS", X.shape[1])
        samples = self._rows("min_samples", self.min_samples, n)
        least = samples if self.min_cluster_size is None else self._rows("min_cluster_size", self.min_cluster_size, n)
        unbounded = np.ndim(self.max_eps) == 0 and not isinstance(self.max_eps, str) and self.max_eps == np.inf
        reach = np.inf if unbounded else space.radius("max_eps", self.max_eps)
        cut = reach if self.eps is None else space.radius("eps", self.eps)
        if self.cluster_method == "xi":
            cut = np.nan
        elif cut > reach:
            raise ValueError(f"Specify an epsilon smaller than {self.max_eps}. Got {self.eps}.")
        what = c.Optics(flags=c.Optics.XI_NO_CORRECTION * (not self.predecessor_correction), min_samples=samples, max_eps=reach, eps=cut,
                        xi=float(self.xi), min_cluster_size=least)
        opts = self._options()
        job = e.run("optics", space.points(X, opts.threads), space.metric, what, opts=opts, progress=self.progress)
        fields = [c.LABELS, c.ORDERING, c.REACHABILITY, c.CORE_DISTANCES, c.PREDECESSOR] + [c.HIERARCHY] * (self.cluster_method == "xi")
        self.labels_, self.ordering_, self.reachability_, self.core_distances_, self.predecessor_, *places = job.take(*fields)
        if np.isinf(self.reachability_).all():
            warnings.warn("All reachability values are inf. Set a larger max_eps or all data will be considered outliers.", UserWarning, stacklevel=3)
        if places:
            self.cluster_hierarchy_ = places[0].reshape(-1, 2)
        return self

    @staticmethod
    def _rows(name, value, n):
        """Return a number of rows that is given as such or as a share of all."""
        if isinstance(value, (float, np.floating)) and 0 < value <= 1:
            return max(2, int(value * n))
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 2:
            raise ValueError(f"{name}={value!r}, it must be a whole number of at least 2, or a share of all rows above 0 and at most 1.0")
        if value > n:
            raise ValueError(f"{name} must be no greater than the number of samples ({n}). Got {value}")
        return int(value)
