"""Tables of neighbours, which estimators of scikit-learn's module neighbors share."""

import numpy as np

from . import _engine as e
from . import _library as c
from ._estimator import Estimator, Space


class Neighbors(Estimator):
    """Training rows, and tables of them."""

    def _space(self):
        return Space(self.metric, self.metric_params, self.p, f"sklearn.neighbors.{type(self).__name__}", self.n_features_in_)

    def _remember(self, X):
        X = getattr(X, "_fit_X", X)  # a fitted estimator
        if type(X).__name__ in ("KDTree", "BallTree"):
            X = np.asarray(X.data)
        self._fit_X = self._check_x(X)
        self.n_samples_fit_ = len(self._fit_X)
        space = self._space()  # refuses what cannot be
        if hasattr(self, "radius") and not (space.kind == "sky" and self.radius == 1.0):  # the default, which has no unit
            space.radius("radius", self.radius, zero=True)
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
        _mode(mode)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        got = self.kneighbors(X, n_neighbors, return_distance=mode == "distance")
        dist, index = got if mode == "distance" else (np.ones(got.shape), got)
        return self._csr(dist.ravel(), index.ravel(), np.arange(0, index.size + 1, k))

    def _csr(self, data, indices, offsets):
        from scipy.sparse import csr_matrix

        return csr_matrix((data, indices, offsets), shape=(len(offsets) - 1, self.n_samples_fit_))

    def _lists(self, X, radius, distances=True):
        self._fitted("_fit_X")
        return self._query(X, radius=self._within(X, self.radius if radius is None else radius), distances=distances)[1]

    def _within(self, X, radius):
        """Return a radius that the library takes: 0 finds equal rows, infinity all."""
        space = self._space()
        if isinstance(radius, float) and radius == np.inf and space.metric.struct.kind == c.SKY:
            return np.pi
        r = space.radius("radius", radius, zero=True)
        if r < np.inf:
            return max(r, np.nextafter(0.0, 1.0))
        rows = [self._fit_X] if X is None else [self._fit_X, e.as_float(X)]
        extents = np.max([v.max(axis=0) for v in rows], axis=0).astype(np.float64) - np.min([v.min(axis=0) for v in rows], axis=0)
        return 2.0 * float(np.linalg.norm(extents)) + 1.0

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
        index = cut(index, offsets)
        return (cut(dist, offsets), index) if return_distance else index

    def radius_neighbors_graph(self, X=None, radius=None, mode="connectivity", sort_results=False):
        """Return all rows within a radius as a sparse CSR matrix (n, training rows), made without a loop."""
        _mode(mode)
        offsets, index, dist = self._lists(X, radius, mode == "distance" or sort_results)
        if sort_results:
            index, dist = _by_distance(offsets, index, dist)
        return self._csr(dist if mode == "distance" else np.ones(len(index)), index, offsets)


def _mode(mode):
    if mode not in ("connectivity", "distance"):
        raise ValueError(f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead')


def _by_distance(offsets, index, dist):
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((index, dist, rows))
    return index[order], dist[order]


def cut(values, offsets):
    """Return an array of the pieces of an array."""
    pieces = np.empty(len(offsets) - 1, dtype=object)
    for i in range(len(pieces)):
        pieces[i] = values[offsets[i]:offsets[i + 1]]
    return pieces
