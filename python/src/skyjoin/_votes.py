"""Votes of neighbours: what classifiers and regressors share."""

import warnings

import numpy as np

from . import _engine as e
from . import _library as c
from ._checks import one_of
from ._estimator import check_y
from ._tables import Neighbors, cut


class _Voters(Neighbors):
    """Training rows that vote."""

    def _weighs(self):
        """Tell how votes weigh: "uniform", "distance" or a function."""
        return self.weights or "uniform"

    def _vote(self, X, targets, fields):
        """Return fields of the library's votes on each of some targets, arrays by the names of struct members."""
        space, opts = self._space(), self._options()
        X = self._check_x(X, reset=False)
        query = space.points(X, opts.threads)
        train, (k, radius) = self._train(opts.threads), self._reach(X)
        flags = c.Vote.BY_DISTANCE * (self._weighs() == "distance")
        for target in targets:
            what = c.Vote(flags=flags, train=train.handle, k=k, radius=radius,
                          **{name: v.ctypes.data if isinstance(v, np.ndarray) else v for name, v in target.items()})
            yield e.run("vote", query, space.metric, what, keep=(train, target), opts=opts).take(*fields)

    def _weighed(self, X):
        """Return the rows of X and the training rows of all pairs that vote, and their weights by a function of distances."""
        n, index, dist, offsets = self._neighborhood(X)
        weights = self._weighs()(dist)
        w = np.concatenate([np.asarray(v, dtype=np.float64).ravel() for v in weights]) if n else np.empty(0)
        if w.size != index.size:
            raise ValueError(f"weights gave {w.size} weights of {index.size} distances")
        rows = np.repeat(np.arange(n), np.diff(offsets))
        endless = np.isinf(w)
        if endless.any():  # a row of no distance decides alone
            decided = np.bincount(rows, endless, n) > 0
            w = np.where(decided[rows], endless, w)
        return n, rows, index, w


class ByK:
    """Votes of the k nearest."""

    def _reach(self, X):
        if self.n_neighbors > self.n_samples_fit_:
            raise ValueError(f"Expected n_neighbors <= n_samples,  but n_samples = {self.n_samples_fit_}, n_neighbors = {self.n_neighbors}")
        return int(self.n_neighbors), 0.0

    def _neighborhood(self, X):
        dist, index = self.kneighbors(X)
        return len(index), index.ravel(), dist, np.arange(len(index) + 1) * index.shape[1]


class ByRadius:
    """Votes of all within a radius."""

    def _reach(self, X):
        return 0, self._within(X, self.radius)

    def _neighborhood(self, X):
        offsets, index, dist = self._lists(X, None)
        return len(offsets) - 1, index, cut(dist, offsets), offsets


class Classifier(_Voters):
    """Votes on classes."""

    _estimator_type = "classifier"

    def fit(self, X, y):
        """Take training rows and their classes, of one output or several, and return self."""
        self._remember(X)
        y = check_y(y, self.n_samples_fit_, numeric=False, several=True)
        one_of("ties", self.ties, ("rules", "sklearn"))
        self.outputs_2d_ = y.ndim == 2
        found = [np.unique(v, return_inverse=True) for v in (y.T if self.outputs_2d_ else [y])]
        self._codes = [np.ascontiguousarray(codes, dtype=np.int64) for _, codes in found]
        self.classes_ = [classes for classes, _ in found] if self.outputs_2d_ else found[0][0]
        return self

    def _more_tags(self):
        if self.ties == "sklearn":
            return {"multioutput": True}
        return {"multioutput": True,
                "_xfail_checks": {"check_classifiers_train": "a tie goes to the smaller sum of distances, which shares do not tell"}}

    def _outputs(self):
        """Return the classes and the numbers of those of the training rows, of each output."""
        return list(zip(self.classes_ if self.outputs_2d_ else [self.classes_], self._codes))

    def _votes(self, X):
        """Return the class numbers of rows, -1 without neighbours, and their shares of all classes, of each output."""
        self._fitted("classes_")
        outputs = self._outputs()
        if callable(self._weighs()):
            n, rows, index, w = self._weighed(X)
            votes = []
            for classes, codes in outputs:
                sums = np.bincount(rows * len(classes) + codes[index], w, n * len(classes)).reshape(n, -1)
                total = sums.sum(axis=1, keepdims=True)
                shares = np.divide(sums, total, out=np.zeros_like(sums), where=total != 0)
                votes.append((np.where(np.bincount(rows, minlength=n) > 0, sums.argmax(axis=1), -1), shares))
            return votes
        targets = [{"labels": codes, "classes": len(classes)} for classes, codes in outputs]
        votes = []
        for (codes, shares), (classes, _) in zip(self._vote(X, targets, (c.LABELS, c.PROBABILITIES)), outputs):
            shares = shares.reshape(-1, len(classes))
            votes.append((np.where(codes < 0, -1, shares.argmax(axis=1)) if self.ties == "sklearn" else codes, shares))
        return votes

    def _joined(self, found):
        return np.stack(found, axis=1) if self.outputs_2d_ else found[0]

    def score(self, X, y, sample_weight=None):
        """Return the share of rows whose class is right; of several outputs all of them."""
        right = np.asarray(self.predict(X)) == np.asarray(y)
        return float(np.average(right.all(axis=1) if right.ndim == 2 else right, weights=sample_weight))


def outlier_label(label, classes, codes):
    """Return the label of rows without neighbours that a parameter names."""
    if isinstance(label, str) and label == "most_frequent":
        return classes[np.bincount(codes).argmax()]
    if label is not None:
        if np.ndim(label) != 0:
            raise TypeError(f"The outlier_label of classes {classes} is supposed to be a scalar, got {label}.")
        if np.append(classes, label).dtype != classes.dtype:
            raise TypeError(f"The dtype of outlier_label {label} is inconsistent with classes {classes} in y.")
    return label


def warn_of_outliers(label, classes):
    """Warn of a label that no training row has."""
    if not (classes == label).any():
        warnings.warn(f"Outlier label {label} is not in training classes. All class probabilities of outliers will be assigned with 0.",
                      UserWarning, stacklevel=3)


class Regressor(_Voters):
    """Means of values."""

    _estimator_type = "regressor"

    def fit(self, X, y):
        """Take training rows and their values, of one output or several, and return self."""
        self._remember(X)
        self._y = check_y(y, self.n_samples_fit_, numeric=True, several=True)
        return self

    def _more_tags(self):
        return {"multioutput": True}

    def predict(self, X):
        """Return the means of the values of the rows that vote, those of equal weights of the type of the values."""
        self._fitted("_fit_X")
        outputs = [np.ascontiguousarray(v, dtype=np.float64) for v in np.atleast_2d(self._y.T)]
        if callable(self._weighs()):
            n, rows, index, w = self._weighed(X)
            with np.errstate(invalid="ignore"):
                found = [np.bincount(rows, w * v[index], n) / np.bincount(rows, w, n) for v in outputs]
        else:
            found = [values for values, in self._vote(X, [{"values": v} for v in outputs], (c.VALUES,))]
        if np.isnan(found[0]).any():
            warnings.warn("One or more samples have no neighbors within specified radius; predicting NaN.", UserWarning, stacklevel=3)
        found = found[0] if self._y.ndim == 1 else np.stack(found, axis=1)
        return found.astype(self._y.dtype, copy=False) if self._weighs() == "uniform" else found

    def score(self, X, y, sample_weight=None):
        """Return R², the share of the variance that predictions explain; of several outputs the mean."""
        y, found = np.asarray(y, dtype=np.float64), self.predict(X)
        w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        scores = []
        for v, p in zip(np.atleast_2d(y.T), np.atleast_2d(found.T)):
            rest, all_of_it = (w * (v - p) ** 2).sum(), (w * (v - np.average(v, weights=w)) ** 2).sum()
            scores.append(1 - rest / all_of_it if all_of_it else float(rest == 0))
        return float(np.mean(scores))
