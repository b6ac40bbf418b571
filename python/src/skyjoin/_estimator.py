"""What scikit-learn expects of an estimator, without importing it."""

import inspect
import sys
import warnings

import numpy as np

from . import _engine as e
from . import _library as c
from ._checks import angle, boolean, finite, metric_params, one_of, progress, real, sides_of, whole
from ._process import carried_out

# Methods and properties that use the library.
_CARRIED_OUT = {"fit", "predict", "predict_proba", "kneighbors", "kneighbors_graph", "radius_neighbors", "radius_neighbors_graph", "score",
                "linkage_", "spanning_tree_"}


# What parameters may be, by their names: one of some, or what a function checks. Those
# that depend on the estimator or its metric are looked at in fit.
_PARAMETERS = {
    "algorithm": ("auto", "ball_tree", "kd_tree", "brute"),
    "border": ("first", "nearest"),
    "cluster_method": ("xi", "dbscan"),
    "cluster_selection_method": ("eom", "leaf"),
    "fallback": (None, "sklearn"),
    **dict.fromkeys(("allow_single_cluster", "copy", "counts", "novelty", "predecessor_correction", "star"), boolean),
    **dict.fromkeys(("leaf_size", "n_neighbors"), lambda name, v: whole(name, v, 1)),
    "alpha": lambda name, v: real(name, v, above=0),
    "contamination": lambda name, v: v == "auto" if isinstance(v, str) and v == "auto" else real(name, v, above=0, most=0.5),
    "device": lambda name, v: e.options(1, v),
    "memory": lambda name, v: e.memory_bytes(v),
    "metric_params": lambda name, v: metric_params(v),
    "n_jobs": lambda name, v: e.threads_of(v),
    "p": lambda name, v: v is None or real(name, v, above=0, most=np.inf),
    "progress": lambda name, v: progress(v),
    "weights": lambda name, v: callable(v) or one_of(name, v, ("uniform", "distance", None)),
    "xi": lambda name, v: real(name, v, least=0, most=1),
}


class NotFittedError(ValueError, AttributeError):
    """An estimator is used before it is fitted."""


class _Held:
    """A job or points: a thing of its own, so that making it again leaves an estimator equal to what it was."""

    job = None


def _of_sklearn(name, otherwise):
    """Return a class of sklearn.exceptions if scikit-learn is in use."""
    return getattr(sys.modules.get("sklearn.exceptions"), name, otherwise)


class Estimator:
    """Parameters, tags, pickles and checks of input.

    Parameters are kept as they are given and looked at in ``fit``. What belongs to
    the library (``_held``) is left out of pickles and made again when it is needed.
    """

    def __init_subclass__(cls):
        for name in _CARRIED_OUT & set(cls.__dict__):
            f = cls.__dict__[name]
            if not isinstance(f, property):
                setattr(cls, name, carried_out(f))
            elif name.endswith("_"):
                setattr(cls, name, property(carried_out(f.fget)))

    @classmethod
    def _names(cls):
        return [p for p in inspect.signature(cls.__init__).parameters if p != "self"]

    def get_params(self, deep=True):
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params):
        """Set parameters by name and return self."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {self._names()}.")
            setattr(self, name, value)
        return self

    def __repr__(self):
        changed = []
        for name, p in inspect.signature(type(self).__init__).parameters.items():
            if name != "self" and repr(getattr(self, name)) != repr(p.default):
                changed.append(f"{name}={getattr(self, name)!r}")
        return f"{type(self).__name__}({', '.join(changed)})"

    @property
    def _job(self):
        """What the library holds for a fitted estimator, or None."""
        return getattr(self.__dict__.get("_held"), "job", None)

    @_job.setter
    def _job(self, job):
        self.__dict__.setdefault("_held", _Held()).job = job

    def __getstate__(self):
        return {k: v for k, v in self.__dict__.items() if k != "_held"}

    def __setstate__(self, state):
        self.__dict__.update(state)

    def _more_tags(self):
        return {}

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

        kind = getattr(self, "_estimator_type", None)
        return Tags(
            estimator_type=kind, target_tags=TargetTags(required=kind in ("classifier", "regressor"), multi_output="multioutput" in self._more_tags()),
            classifier_tags=ClassifierTags() if kind == "classifier" else None,
            regressor_tags=RegressorTags() if kind == "regressor" else None,
            transformer_tags=None, input_tags=InputTags())

    def _fitted(self, attribute):
        if not hasattr(self, attribute):
            raise _of_sklearn("NotFittedError", NotFittedError)(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.")

    def _options(self):
        return e.options(self.n_jobs, self.device, self.memory)

    def _check_parameters(self):
        for name in self._names():
            may = _PARAMETERS.get(name)
            if isinstance(may, tuple):
                one_of(name, getattr(self, name), may)
            elif may is not None:
                may(name, getattr(self, name))

    def _check_x(self, x, reset=True):
        """Return x as a float array (n, d), having looked at its columns, and to fit also at the parameters."""
        if reset:
            self._check_parameters()
        name = type(self).__name__
        if hasattr(x, "toarray") and hasattr(x, "nnz"):
            raise TypeError("A sparse matrix was passed, but dense data is required. Use X.toarray() to convert to a dense numpy array.")
        features = _feature_names(x)
        x = np.asarray(x)
        if x.dtype.kind in "OUS":
            x = x.astype(np.float64)
        if x.dtype.kind == "c":
            raise ValueError(f"Complex data not supported\n{x}\n")
        if x.ndim < 2:
            what = "scalar" if x.ndim == 0 else "1D"
            raise ValueError(
                f"Expected 2D array, got {what} array instead:\narray={x}.\nReshape your data either using array.reshape(-1, 1) if "
                "your data has a single feature or array.reshape(1, -1) if it contains a single sample.")
        if x.ndim > 2:
            raise ValueError(f"Found array with dim {x.ndim}. {name} expected <= 2.")
        for axis, what in enumerate(("sample", "feature")):
            if x.shape[axis] == 0:
                raise ValueError(f"Found array with 0 {what}(s) (shape={x.shape}) while a minimum of 1 is required by {name}.")
        x = e.as_float(x)
        finite(x, "X")
        if reset:
            self.n_features_in_ = x.shape[1]
            if features is not None:
                self.feature_names_in_ = features
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        else:
            self._same_features(features, x.shape[1])
        return x

    def _same_features(self, features, n):
        name, mine = type(self).__name__, getattr(self, "feature_names_in_", None)
        if features is not None and mine is None:
            warnings.warn(f"X has feature names, but {name} was fitted without feature names", UserWarning, stacklevel=4)
        elif features is None and mine is not None:
            warnings.warn(f"X does not have valid feature names, but {name} was fitted with feature names", UserWarning, stacklevel=4)
        elif features is not None and list(features) != list(mine):
            text = "The feature names should match those that were passed during fit.\n"
            unseen, missing = sorted(set(features) - set(mine)), sorted(set(mine) - set(features))
            if unseen:
                text += "Feature names unseen at fit time:\n" + "".join(f"- {f}\n" for f in unseen)
            if missing:
                text += "Feature names seen at fit time, yet now missing:\n" + "".join(f"- {f}\n" for f in missing)
            if not unseen and not missing:
                text += "Feature names must be in the same order as they were in fit.\n"
            raise ValueError(text)
        if n != self.n_features_in_:
            raise ValueError(f"X has {n} features, but {name} is expecting {self.n_features_in_} features as input.")


def _feature_names(x):
    """Return the names of the columns of a data frame, or None."""
    columns = getattr(x, "columns", None)
    if columns is None or isinstance(x, np.ndarray):
        return None
    names = list(columns)
    strings = [isinstance(v, str) for v in names]
    if not any(strings):
        return None
    if not all(strings):
        raise TypeError("Feature names are only supported if all input features have string names.")
    return np.array(names, dtype=object)


def check_y(y, n, numeric, several=False):
    """Return a column of labels or values, one a row, or several columns where that can be."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1 and not (numeric and several):
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for example using ravel().",
            _of_sklearn("DataConversionWarning", UserWarning), stacklevel=3)
        y = y.ravel()
    if y.ndim != 1 and not (several and y.ndim == 2 and y.shape[1] > 0):
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    if len(y) != n:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n}, {len(y)}]")
    if y.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{y}\n")
    if numeric and y.dtype.kind != "f":
        y = y.astype(np.float64)
    finite(y, "y")
    if not numeric and y.dtype.kind == "f" and (y != np.floor(y)).any():
        raise ValueError("Unknown label type: continuous. Classes are whole numbers or strings; use a regressor for numbers")
    return y


class Space:
    """How an estimator's metric reads rows and radii.

    Attributes
    ----------
    metric : skyjoin._engine.Metric
    """

    def __init__(self, metric, params, p, owner, columns=None):
        params = dict(metric_params(params) or {})
        if isinstance(metric, str) and metric == "minkowski" and "p" in params:
            if p is not None:
                warnings.warn("Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.", SyntaxWarning, stacklevel=4)
            p = params.pop("p")
        self.kind = metric if isinstance(metric, str) else None
        if self.kind in ("euclidean", "l2") or self.kind == "minkowski" and p in (None, 2):
            self.metric, wants = e.Metric(), ()
        elif self.kind == "sky":
            self.metric, wants = e.Metric(c.SKY, scales=params.get("scales")), ("scales",)
        elif self.kind == "haversine":
            self.metric, wants = e.Metric(c.SKY), ()
        elif self.kind == "periodic":
            if "box" not in params:
                raise ValueError("metric='periodic' needs metric_params={'box': sides}, 0 for an open axis")
            self.metric, wants = e.Metric(c.PERIODIC, sides=sides_of("metric_params={'box'}", params["box"], columns)), ("box",)
        else:
            shown = "a function" if callable(metric) else repr(metric)
            raise ValueError(
                f"metric={shown}{'' if metric != 'minkowski' else f' with p={p}'}: skyjoin has 'euclidean', 'sky', 'haversine' "
                f"and 'periodic'; {owner} has others")
        unknown = set(params) - set(wants)
        if unknown:
            raise ValueError(f"metric_params={sorted(unknown)}: metric={metric!r} has no such parameter")

    def points(self, x, threads=0):
        """Return the points of rows."""
        if self.kind != "haversine":
            return e.Points.of(x, threads)
        if x.shape[1] != 2:
            raise ValueError(f"metric='haversine' needs two columns, latitude and longitude in radians, there are {x.shape[1]}")
        x = x.astype(np.float64)
        return e.Points([np.degrees(x[:, 1]), np.clip(np.degrees(x[:, 0]), -90, 90)], threads)

    def radius(self, name, value, zero=False):
        """Return a radius in the unit of the metric, which may be infinite."""
        if self.kind == "sky" and self.metric.arrays[1] is None:
            return angle(name, value, zero)
        return real(name, value, least=0, most=np.inf) if zero else real(name, value, above=0)
