"""Neighbours: searches, classifiers, regressors and outliers, as scikit-learn's estimators."""

import warnings

import numpy as np

from . import _engine as e
from . import _library as c
from ._tables import Neighbors
from ._votes import ByK, ByRadius, Classifier, Regressor, outlier_label, warn_of_outliers

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor", "LocalOutlierFactor", "NearestNeighbors", "RadiusNeighborsClassifier",
           "RadiusNeighborsRegressor"]


class NearestNeighbors(Neighbors):
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
        self._remember(X)
        return self


class KNeighborsClassifier(ByK, Classifier):
    """Classes by the votes of the nearest training rows.

    A tie goes to the class with the smaller sum of distances, then to that of the
    nearest row; with ``ties="sklearn"``, or weights of a function, to the smaller
    class, as in scikit-learn. ``y`` may have several columns.

    Parameters
    ----------
    n_neighbors : int, default 5
    weights : {"uniform", "distance", None} or callable
        A function makes weights of distances: an array (n, n_neighbors), of a radius
        an array of n arrays.
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
        return self._joined([classes[codes] for (codes, _), (classes, _) in zip(self._votes(X), self._outputs())])

    def predict_proba(self, X):
        """Return the shares of the votes of each class; of several outputs a list."""
        shares = [shares for _, shares in self._votes(X)]
        return shares if self.outputs_2d_ else shares[0]


class RadiusNeighborsClassifier(ByRadius, Classifier):
    """Classes by the votes of all training rows within a radius.

    Parameters
    ----------
    radius : float or angle, default 1.0
    weights : {"uniform", "distance", None} or callable
    outlier_label : optional
        The label of rows without neighbours, or ``"most_frequent"``; None refuses
        them. Of several outputs it may be a list.
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
        labels = self.outlier_label
        if not isinstance(labels, (list, tuple, np.ndarray)) or not self.outputs_2d_:
            labels = [labels] * len(self._codes)
        if len(labels) != len(self._codes):
            raise ValueError(f"The length of outlier_label: {labels} is inconsistent with the output length: {len(self._codes)}")
        labels = [outlier_label(label, *of) for label, of in zip(labels, self._outputs())]
        self.outlier_label_ = labels if self.outputs_2d_ else labels[0]
        return self

    def _outliers(self, votes):
        """Return the rows without neighbours, which must have a label."""
        alone = np.flatnonzero(votes[0][0] < 0)
        if alone.size and self.outlier_label is None:
            raise ValueError(f"No neighbors found for test samples {alone!r}, you can try using larger radius, giving a label for outliers, "
                             "or considering removing them from your dataset.")
        return alone, self.outlier_label_ if self.outputs_2d_ else [self.outlier_label_]

    def predict(self, X):
        """Return the classes of rows."""
        votes = self._votes(X)
        alone, outliers = self._outliers(votes)
        found = []
        for (codes, _), (classes, _), label in zip(votes, self._outputs(), outliers):
            labels = classes[codes]
            if alone.size:
                warn_of_outliers(label, classes)
                labels[alone] = label
            found.append(labels)
        return self._joined(found)

    def predict_proba(self, X):
        """Return the shares of the votes of each class; of several outputs a list."""
        votes = self._votes(X)
        alone, outliers = self._outliers(votes)
        for (_, shares), (classes, _), label in zip(votes, self._outputs(), outliers):
            if alone.size:
                warn_of_outliers(label, classes)
                shares[alone[:, None], np.flatnonzero(classes == label)] = 1.0
        shares = [shares for _, shares in votes]
        return shares if self.outputs_2d_ else shares[0]


class KNeighborsRegressor(ByK, Regressor):
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


class RadiusNeighborsRegressor(ByRadius, Regressor):
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


def _offset(scores, share):
    """The percentile of the scores below which a share of the rows lies.

    Rows beside a heap of duplicates have -inf. Where the percentile lies at or beside
    them, it is the least finite score, so that they are the outliers.
    """
    with np.errstate(invalid="ignore"):
        at = float(np.percentile(scores, 100.0 * share))
    if np.isfinite(at):
        return at
    return float(scores[np.isfinite(scores)].min())


class LocalOutlierFactor(Neighbors):
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
        What is below it is an outlier. Rows beside a heap of duplicates have a factor of
        infinity and are all outliers.
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
        X = self._remember(X)
        n, k = len(X), int(self.n_neighbors)
        if n < 2:
            raise ValueError(f"Found array with {n} sample(s) while a minimum of 2 is required: a row alone has no neighbours.")
        if k > n:
            warnings.warn(f"n_neighbors ({k}) is greater than the total number of samples ({n}). n_neighbors will be set to "
                          "(n_samples - 1) for estimation.", UserWarning, stacklevel=3)
        self.n_neighbors_ = max(1, min(k, n - 1))
        opts = self._options()
        job = e.run("lof", self._train(opts.threads), self._space().metric, c.Lof(k=self.n_neighbors_), opts=opts)
        lof, self._k_distance = job.take(c.OUTLIER_SCORES, c.CORE_DISTANCES)
        self.negative_outlier_factor_ = -lof.astype(X.dtype, copy=False)
        if self.contamination == "auto":
            self.offset_ = -1.5
        else:
            self.offset_ = _offset(self.negative_outlier_factor_, self.contamination)
        return self

    def _only(self, name, novelty):
        if bool(self.novelty) != novelty:
            raise AttributeError(f"{name} is not available when novelty={bool(self.novelty)}; use novelty={novelty}"
                                 + (" to judge new rows." if novelty else " to judge the training rows."))

    @property
    def fit_predict(self):
        """Fit and return 1 for inliers and -1 for outliers."""
        self._only("fit_predict", False)

        return lambda X, y=None: self.fit(X)._predict()

    @property
    def predict(self):
        """Return 1 for new rows that are inliers and -1 for outliers."""
        self._only("predict", True)
        return self._predict

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

    def _predict(self, X=None):
        self._fitted("offset_")
        score = self.negative_outlier_factor_ if X is None else self._score(X)
        return np.where(score < self.offset_, -1, 1)

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
        return -np.where(mean == 0, 1.0, factor).astype(e.as_float(X).dtype, copy=False)
