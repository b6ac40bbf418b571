"""Neighbours: searches, classifiers, regressors and outliers, as scikit-learn's estimators."""

import numpy as np

from . import _engine as e
from . import _library as c
from ._estimator import Estimator, Space, check_weights, check_y, one_of, real, whole

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor", "LocalOutlierFactor", "NearestNeighbors", "RadiusNeighborsClassifier",
           "RadiusNeighborsRegressor"]


class _Neighbors(Estimator):
    """Training rows, and tables of them."""

    def _space(self):
        return Space(self.metric, self.metric_params, self.p, f"sklearn.neighbors.{type(self).__name__}", self.n_features_in_)

    def _remember(self, X):
        self._fit_X = self._check_x(X)
        self.n_samples_fit_ = len(self._fit_X)
        self._space()  # refuses what cannot be
        self._job = None
        self.effective_metric_ = "euclidean" if self.metric in ("minkowski", "l2") else self.metric
        self.effective_metric_params_ = dict(self.metric_params or {})
        return self._fit_X

    def _train(self, threads):
        """Return the training rows in the library, which keeps them."""
        if self._job is None:
            self._job = self._space().points(self._fit_X, threads)
        return self._job

    def _query(self, X, k=0, radius=0.0, distances=True):
        """Return the table of rows X, or of the training rows without themselves."""
        space, opts = self._space(), self._options()
        train = self._train(opts.threads)
        query, data = (train, None) if X is None else (space.points(self._check_x(X, reset=False), opts.threads), train)
        return query.rows, e.table(query, space.metric, data, k=k, radius=radius, distances=distances, opts=opts,
                                   progress=getattr(self, "progress", None))

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Return distances and row numbers of the nearest training rows.

        Parameters
        ----------
        X : array (n, d), optional
            Without it the neighbours of the training rows, themselves left out.
        n_neighbors : int, optional
        return_distance : bool

        Returns
        -------
        distances : ndarray (n, n_neighbors)
            Only with ``return_distance``. On the sky in radians.
        indices : ndarray of int (n, n_neighbors)
            By distance, then row.
        """
        self._fitted("_fit_X")
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if isinstance(k, (int, np.integer)) and k <= 0:
            raise ValueError(f"Expected n_neighbors > 0. Got {k}")
        if isinstance(k, (bool, np.bool_)) or not isinstance(k, (int, np.integer)):
            raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        there = self.n_samples_fit_ - (X is None)
        if k > there:
            raise ValueError(f"Expected n_neighbors <= n_samples,  but n_samples = {there}, n_neighbors = {k}")
        n, (_, index, dist) = self._query(X, k=int(k), distances=return_distance)
        index = index.reshape(n, k)
        return (dist.reshape(n, k), index) if return_distance else index

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """Return the table of :meth:`kneighbors` as a sparse CSR matrix (n, training rows)."""
        one_of("mode", mode, ("connectivity", "distance"))
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        got = self.kneighbors(X, n_neighbors, return_distance=mode == "distance")
        dist, index = got if mode == "distance" else (np.ones(got.shape), got)
        return self._csr(dist.ravel(), index.ravel(), np.arange(0, index.size + 1, k))

    def _csr(self, data, indices, offsets):
        from scipy.sparse import csr_matrix

        return csr_matrix((data, indices, offsets), shape=(len(offsets) - 1, self.n_samples_fit_))

    def _lists(self, X, radius, distances=True):
        self._fitted("_fit_X")
        r = self._space().radius("radius", self.radius if radius is None else radius)
        return self._query(X, radius=r, distances=distances)[1]

    def radius_neighbors(self, X=None, radius=None, return_distance=True, sort_results=False):
        """Return the training rows within a radius.

        Parameters
        ----------
        X : array (n, d), optional
        radius : float or angle, optional
        return_distance : bool
        sort_results : bool
            Order lists by distance; else by row.

        Returns
        -------
        distances, indices : ndarray of n arrays
            Distances only with ``return_distance``. See
            :meth:`radius_neighbors_graph` for one table in one piece.
        """
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True.")
        offsets, index, dist = self._lists(X, radius, return_distance)
        if sort_results:
            index, dist = _by_distance(offsets, index, dist)
        index = _cut(index, offsets)
        return (_cut(dist, offsets), index) if return_distance else index

    def radius_neighbors_graph(self, X=None, radius=None, mode="connectivity", sort_results=False):
        """Return all rows within a radius as a sparse CSR matrix (n, training rows), made without a loop."""
        one_of("mode", mode, ("connectivity", "distance"))
        offsets, index, dist = self._lists(X, radius, mode == "distance" or sort_results)
        if sort_results:
            index, dist = _by_distance(offsets, index, dist)
        return self._csr(dist if mode == "distance" else np.ones(len(index)), index, offsets)


def _by_distance(offsets, index, dist):
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((index, dist, rows))
    return index[order], dist[order]


def _cut(values, offsets):
    """Return an array of the pieces of an array."""
    pieces = np.empty(len(offsets) - 1, dtype=object)
    for i in range(len(pieces)):
        pieces[i] = values[offsets[i]:offsets[i + 1]]
    return pieces


class NearestNeighbors(_Neighbors):
    """Searches for nearest neighbours and for all within a radius.

    Distances equal those of scikit-learn; of rows at equal distance the lower comes
    first.

    Parameters
    ----------
    n_neighbors : int, default 5
    radius : float or angle, default 1.0
    algorithm, leaf_size : ignored
    metric : {"minkowski", "euclidean", "sky", "haversine", "periodic"}
        See :class:`skyjoin.cluster.DBSCAN`.
    p : {2, None}
    metric_params : dict, optional
    n_jobs : int, optional
    device : {"auto", "cpu", "gpu"}
    memory : int or str, optional
    progress : bool or callable

    Examples
    --------
    >>> import numpy as np
    >>> from skyjoin.neighbors import NearestNeighbors
    >>> X = np.array([[0.0, 0], [1, 0], [5, 5]])
    >>> NearestNeighbors(n_neighbors=1).fit(X).kneighbors(return_distance=False).ravel()
    array([1, 0, 1])
    """

    def __init__(self, *, n_neighbors=5, radius=1.0, algorithm="auto", leaf_size=30, metric="minkowski", p=2, metric_params=None,
                 n_jobs=None, device="auto", memory=None, progress=None):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.device = device
        self.memory = memory
        self.progress = progress

    def fit(self, X, y=None):
        """Take training rows and return self."""
        whole("n_neighbors", self.n_neighbors, 1)
        self._remember(X)
        return self


class _Voters(_Neighbors):
    """Training rows that vote."""

    def _vote(self, X, **target):
        self._fitted("_fit_X")
        one_of("weights", self.weights, ("uniform", "distance"))
        space, opts = self._space(), self._options()
        query = space.points(self._check_x(X, reset=False), opts.threads)
        train, (k, radius) = self._train(opts.threads), self._reach(space)
        what = c.Vote(flags=c.Vote.BY_DISTANCE * (self.weights == "distance"), train=train.handle, k=k, radius=radius,
                      **{name: v.ctypes.data if isinstance(v, np.ndarray) else v for name, v in target.items()})
        return e.run("vote", query, space.metric, what, keep=(train, target), opts=opts)


class _ByK:
    """Votes of the k nearest."""

    def _reach(self, space):
        if self.n_neighbors > self.n_samples_fit_:
            raise ValueError(f"Expected n_neighbors <= n_samples,  but n_samples = {self.n_samples_fit_}, n_neighbors = {self.n_neighbors}")
        return whole("n_neighbors", self.n_neighbors, 1), 0.0


class _ByRadius:
    """Votes of all within a radius."""

    def _reach(self, space):
        return 0, space.radius("radius", self.radius)


class _Classifier(_Voters):
    _estimator_type = "classifier"

    def fit(self, X, y):
        """Take training rows and their classes and return self."""
        self._remember(X)
        y = check_y(y, self.n_samples_fit_, numeric=False)
        self._reach_checked()
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._y = np.ascontiguousarray(codes, dtype=np.int64)
        self.outputs_2d_ = False
        return self

    def _more_tags(self):
        if self.ties == "sklearn":
            return {}
        return {"_xfail_checks": {"check_classifiers_train": "a tie goes to the smaller sum of distances, which shares do not tell"}}

    def _reach_checked(self):
        one_of("ties", self.ties, ("rules", "sklearn"))
        one_of("weights", self.weights, ("uniform", "distance"))

    def _classes(self, X):
        """Return the class numbers of rows, -1 without neighbours, and their shares of all classes."""
        n = len(self.classes_)
        codes, shares = self._vote(X, labels=self._y, classes=n).take(c.LABELS, c.PROBABILITIES)
        shares = shares.reshape(-1, n)
        if self.ties == "sklearn":
            codes = np.where(codes < 0, -1, shares.argmax(axis=1))
        return codes, shares

    def score(self, X, y, sample_weight=None):
        """Return the share of rows whose class is right."""
        return float(np.average(np.asarray(self.predict(X)) == np.asarray(y), weights=sample_weight))


class KNeighborsClassifier(_ByK, _Classifier):
    """Classes by the votes of the nearest training rows.

    A tie goes to the class with the smaller sum of distances, then to that of the
    nearest row; with ``ties="sklearn"`` to the smaller class, as in scikit-learn.

    Parameters
    ----------
    n_neighbors : int, default 5
    weights : {"uniform", "distance"}
    ties : {"rules", "sklearn"}
    algorithm, leaf_size, p, metric, metric_params, n_jobs, device, memory
        As in :class:`NearestNeighbors`.
    """

    def __init__(self, n_neighbors=5, *, weights="uniform", algorithm="auto", leaf_size=30, p=2, metric="minkowski", metric_params=None,
                 n_jobs=None, ties="rules", device="auto", memory=None):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.ties = ties
        self.device = device
        self.memory = memory

    def predict(self, X):
        """Return the classes of rows."""
        self._fitted("classes_")
        return self.classes_[self._classes(X)[0]]

    def predict_proba(self, X):
        """Return the shares of the votes of each class."""
        self._fitted("classes_")
        return self._classes(X)[1]


class RadiusNeighborsClassifier(_ByRadius, _Classifier):
    """Classes by the votes of all training rows within a radius.

    Parameters
    ----------
    radius : float or angle, default 1.0
    weights : {"uniform", "distance"}
    outlier_label : optional
        The label of rows without neighbours, or ``"most_frequent"``; None refuses
        them.
    ties, algorithm, leaf_size, p, metric, metric_params, n_jobs, device, memory
        As in :class:`KNeighborsClassifier`.
    """

    def __init__(self, radius=1.0, *, weights="uniform", algorithm="auto", leaf_size=30, p=2, metric="minkowski", outlier_label=None,
                 metric_params=None, n_jobs=None, ties="rules", device="auto", memory=None):
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.outlier_label = outlier_label
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.ties = ties
        self.device = device
        self.memory = memory

    def fit(self, X, y):
        """Take training rows and their classes and return self."""
        super().fit(X, y)
        label = self.outlier_label
        if isinstance(label, str) and label == "most_frequent":
            label = self.classes_[np.bincount(self._y).argmax()]
        elif label is not None:
            if np.ndim(label) != 0:
                raise TypeError(f"The outlier_label of classes {self.classes_} is supposed to be a scalar, got {label}.")
            if np.append(self.classes_, label).dtype != self.classes_.dtype:
                raise TypeError(f"The dtype of outlier_label {label} is inconsistent with classes {self.classes_} in y.")
        self.outlier_label_ = label
        return self

    def _looked_up(self, X):
        self._fitted("classes_")
        codes, shares = self._classes(X)
        alone = np.flatnonzero(codes < 0)
        if alone.size and self.outlier_label_ is None:
            raise ValueError(f"No neighbors found for test samples {alone!r}, you can try using larger radius, giving a label for outliers, "
                             "or considering removing them from your dataset.")
        return codes, shares, alone

    def predict(self, X):
        """Return the classes of rows."""
        codes, _, alone = self._looked_up(X)
        labels = self.classes_[codes]
        if alone.size:
            labels[alone] = self.outlier_label_
        return labels

    def predict_proba(self, X):
        """Return the shares of the votes of each class."""
        _, shares, alone = self._looked_up(X)
        if alone.size:
            known = np.flatnonzero(self.classes_ == self.outlier_label_)
            if known.size:
                shares[alone, known[0]] = 1.0
            else:
                import warnings

                warnings.warn(f"Outlier label {self.outlier_label_} is not in training classes. All class probabilities of outliers will be "
                              "assigned with 0.", UserWarning, stacklevel=2)
        return shares


class _Regressor(_Voters):
    _estimator_type = "regressor"

    def fit(self, X, y):
        """Take training rows and their values and return self."""
        self._remember(X)
        one_of("weights", self.weights, ("uniform", "distance"))
        self._y = np.ascontiguousarray(check_y(y, self.n_samples_fit_, numeric=True))
        return self

    def predict(self, X):
        """Return the means of the values of the rows that vote."""
        self._fitted("_fit_X")
        values = self._vote(X, values=self._y).take(c.VALUES)[0]
        if np.isnan(values).any():
            import warnings

            warnings.warn("One or more samples have no neighbors within specified radius; predicting NaN.", UserWarning, stacklevel=2)
        return values

    def score(self, X, y, sample_weight=None):
        """Return R², the share of the variance that predictions explain."""
        y = np.asarray(y, dtype=np.float64)
        w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        rest = (w * (y - self.predict(X)) ** 2).sum()
        all_of_it = (w * (y - np.average(y, weights=w)) ** 2).sum()
        if all_of_it == 0:
            return 1.0 if rest == 0 else 0.0
        return float(1 - rest / all_of_it)


class KNeighborsRegressor(_ByK, _Regressor):
    """Means of the values of the nearest training rows.

    Parameters are those of :class:`KNeighborsClassifier`, without ``ties``.
    """

    def __init__(self, n_neighbors=5, *, weights="uniform", algorithm="auto", leaf_size=30, p=2, metric="minkowski", metric_params=None,
                 n_jobs=None, device="auto", memory=None):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.device = device
        self.memory = memory


class RadiusNeighborsRegressor(_ByRadius, _Regressor):
    """Means of the values of all training rows within a radius; NaN without one.

    Parameters are those of :class:`RadiusNeighborsClassifier`, without ``ties``
    and ``outlier_label``.
    """

    def __init__(self, radius=1.0, *, weights="uniform", algorithm="auto", leaf_size=30, p=2, metric="minkowski", metric_params=None,
                 n_jobs=None, device="auto", memory=None):
        self.radius = radius
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.device = device
        self.memory = memory


class LocalOutlierFactor(_Neighbors):
    """Local outlier factors (Breunig et al. 2000), exactly: no constant is added.

    Parameters
    ----------
    n_neighbors : int, default 20
    contamination : {"auto"} or float
        The share of outliers; "auto" is a factor of 1.5.
    novelty : bool
        New rows are judged, by ``predict``, and not those of the training.
    algorithm, leaf_size, metric, p, metric_params, n_jobs, device, memory
        As in :class:`NearestNeighbors`.

    Attributes
    ----------
    negative_outlier_factor_ : ndarray of float
    n_neighbors_ : int
    offset_ : float
        What is below it is an outlier.
    """

    _estimator_type = "outlier_detector"

    def __init__(self, n_neighbors=20, *, algorithm="auto", leaf_size=30, metric="minkowski", p=2, metric_params=None, contamination="auto",
                 novelty=False, n_jobs=None, device="auto", memory=None):
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.contamination = contamination
        self.novelty = novelty
        self.n_jobs = n_jobs
        self.device = device
        self.memory = memory

    def fit(self, X, y=None):
        """Score the training rows and return self."""
        import warnings

        k = whole("n_neighbors", self.n_neighbors, 1)
        if self.contamination != "auto":
            share = real("contamination", self.contamination, above=0)
            if share > 0.5:
                raise ValueError(f"contamination={self.contamination!r}, it must be 'auto' or in (0, 0.5]")
        X = self._remember(X)
        n = len(X)
        if n < 2:
            raise ValueError(f"Found array with {n} sample(s) while a minimum of 2 is required: a row alone has no neighbours.")
        if k > n:
            warnings.warn(f"n_neighbors ({k}) is greater than the total number of samples ({n}). n_neighbors will be set to "
                          "(n_samples - 1) for estimation.", UserWarning, stacklevel=2)
        self.n_neighbors_ = max(1, min(k, n - 1))
        opts = self._options()
        job = e.run("lof", self._train(opts.threads), self._space().metric, c.Lof(k=self.n_neighbors_), opts=opts)
        lof, self._k_distance = job.take(c.OUTLIER_SCORES, c.CORE_DISTANCES)
        self.negative_outlier_factor_ = -lof
        if self.contamination == "auto":
            self.offset_ = -1.5
        else:
            self.offset_ = float(np.percentile(self.negative_outlier_factor_, 100.0 * self.contamination))
        return self

    def _only(self, name, novelty):
        if bool(self.novelty) != novelty:
            raise AttributeError(f"{name} is not available when novelty={bool(self.novelty)}; use novelty={novelty}"
                                 + (" to judge new rows." if novelty else " to judge the training rows."))

    @property
    def fit_predict(self):
        """Fit and return 1 for inliers and -1 for outliers."""
        self._only("fit_predict", False)

        def fit_predict(X, y=None):
            self.fit(X)
            return np.where(self.negative_outlier_factor_ < self.offset_, -1, 1)

        return fit_predict

    @property
    def predict(self):
        """Return 1 for new rows that are inliers and -1 for outliers."""
        self._only("predict", True)
        return lambda X=None: np.where(self._decide(X) < 0, -1, 1)

    @property
    def decision_function(self):
        """Return scores of new rows less ``offset_``: negative for outliers."""
        self._only("decision_function", True)
        return self._decide

    @property
    def score_samples(self):
        """Return the opposite of the local outlier factors of new rows."""
        self._only("score_samples", True)
        return self._score

    def _decide(self, X):
        return self._score(X) - self.offset_

    def _score(self, X):
        self._fitted("offset_")
        k = self.n_neighbors_
        dist, index = self.kneighbors(X, k)
        own, near = self.kneighbors(None, k)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.maximum(dist, self._k_distance[index]).mean(axis=1)  # of reachability distances
            means = np.maximum(own, self._k_distance[near]).mean(axis=1)[index]
            factor = (mean[:, None] / means).mean(axis=1)
        return -np.where(mean == 0, 1.0, factor)
