"""What Debian lacks, through stand-ins of our own that have what their documentation says: polars, pyarrow, tqdm, and the tags of scikit-learn 1.6.

The tests of the Arrow interface and of threadpoolctl have others.
"""

import dataclasses
import sys
import types

import numpy as np
import pytest
import sklearn.utils

from skyjoin import cluster, neighbors, sky, stats, table
from test_table import Producer


class Series:
    """polars.Series: numbers with nulls become floats with NaN."""

    __module__ = "polars.series.series"
    dtype = "Int64"

    def __init__(self, name, values):
        self.name, self.values = name, list(values)

    def to_numpy(self):
        return np.array([np.nan if v is None else v for v in self.values])


class DataFrame:
    """polars.DataFrame."""

    __module__ = "polars.dataframe.frame"

    def __init__(self, columns):
        self.held = {name: v if isinstance(v, Series) else Series(name, v) for name, v in columns.items()}

    columns = property(lambda self: list(self.held))

    def __len__(self):
        return len(next(iter(self.held.values())).values)

    def __getitem__(self, name):
        return self.held[name]

    def __array__(self, dtype=None):
        return np.stack([v.to_numpy() for v in self.held.values()], axis=1)

    def with_columns(self, **columns):
        return DataFrame({**self.held, **columns})


def test_polars(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", types.SimpleNamespace(Series=Series, DataFrame=DataFrame))
    frame = DataFrame({"ra": [10.0, 20.0, 20.0], "dec": [0.0, None, 0.0], "n": [1, 2, 3]})
    x, rows = table.matrix(frame, ["ra", "dec"], missing="drop")
    assert np.array_equal(x, [[10, 0], [20, 0]]) and list(rows) == [0, 2]
    more = table.with_columns(frame, label=np.array([7, 8, 9]))
    assert isinstance(more, DataFrame) and more.columns == ["ra", "dec", "n", "label"] and more["label"].values == [7, 8, 9] and frame.columns == ["ra", "dec", "n"]
    with pytest.raises(ValueError, match="a value for each of 3 rows"):
        table.with_columns(frame, label=[1])
    whole = DataFrame({"ra": [10.0, 20.0], "dec": [0.0, 0.0]})
    assert list(sky.crossmatch(whole, ([20.0], [0.0]), "1 arcsec").row1) == [1]
    assert stats.stat("a.n * b.n", frame) == 11
    found = cluster.DBSCAN(eps=1).fit(whole)
    assert list(found.feature_names_in_) == ["ra", "dec"] and list(found.labels_) == [-1, -1]


class Table(Producer):
    """pyarrow.Table, over the producer of the Arrow interface."""

    __module__ = "pyarrow.lib"
    num_rows = 8

    def __init__(self, appended=()):
        super().__init__(stream=True)
        self.appended = list(appended)

    def append_column(self, name, chunks):
        (values,) = chunks  # a list of arrays
        return Table([*self.appended, (name, list(values))])


def test_pyarrow():
    x, rows = table.matrix(Table(), ["x", "y"], missing="drop")
    assert len(x) == 6 and list(rows) == [0, 1, 3, 4, 5, 7]
    more = table.with_columns(Table(), label=range(8), other=np.zeros(8))
    assert isinstance(more, Table) and [name for name, _ in more.appended] == ["label", "other"] and more.appended[0][1] == list(range(8))
    with pytest.raises(ValueError, match="a value for each of 8 rows"):
        table.with_columns(Table(), label=[1])


def test_tags_of_scikit_learn_1_6(monkeypatch):
    """The dataclasses of sklearn.utils from 1.6 on, with the fields that its documentation names."""
    def tags(name, **fields):
        kinds = [(field, object, dataclasses.field(default=value)) if value is not ... else (field, object) for field, value in fields.items()]
        monkeypatch.setattr(sklearn.utils, name, dataclasses.make_dataclass(name, kinds), raising=False)

    tags("InputTags", one_d_array=False, two_d_array=True, sparse=False, categorical=False, string=False, dict=False, positive_only=False, allow_nan=False, pairwise=False)
    tags("TargetTags", required=..., one_d_labels=False, two_d_labels=False, positive_only=False, multi_output=False, single_output=True)
    tags("ClassifierTags", poor_score=False, multi_class=True, multi_label=False)
    tags("RegressorTags", poor_score=False)
    tags("Tags", estimator_type=..., target_tags=..., transformer_tags=None, classifier_tags=None, regressor_tags=None, array_api_support=False, no_validation=False,
         non_deterministic=False, requires_fit=True, _skip_test=False, input_tags=None)
    kinds = {"clusterer": (cluster.DBSCAN, cluster.HDBSCAN, cluster.OPTICS), "classifier": (neighbors.KNeighborsClassifier, neighbors.RadiusNeighborsClassifier),
             "regressor": (neighbors.KNeighborsRegressor, neighbors.RadiusNeighborsRegressor), "outlier_detector": (neighbors.LocalOutlierFactor,),
             None: (neighbors.NearestNeighbors,)}
    for kind, estimators in kinds.items():
        for estimator in estimators:
            found = estimator().__sklearn_tags__()
            supervised = kind in ("classifier", "regressor")
            assert found.estimator_type == kind and found.requires_fit and not found.non_deterministic and found.transformer_tags is None
            assert (found.classifier_tags is not None) == (kind == "classifier") and (found.regressor_tags is not None) == (kind == "regressor")
            assert found.target_tags.required == supervised and found.target_tags.multi_output == supervised and found.target_tags.single_output
            assert found.input_tags.two_d_array and not found.input_tags.sparse and not found.input_tags.allow_nan


def test_a_bar_of_tqdm(monkeypatch, slow_library):
    bars = []

    class Bar:
        def __init__(self, **options):
            self.options, self.seen, self.total, self.n, self.closed = options, [], None, 0, False
            bars.append(self)

        def refresh(self):
            self.seen.append((self.n, self.total))

        def close(self):
            self.closed = True

    x = np.random.default_rng(0).random((5000, 2))
    with slow_library():
        monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
        monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
        cluster.DBSCAN(eps=0.05, progress=True).fit(x)
        cluster.DBSCAN(eps=0.05, progress=False).fit(x)
    assert len(bars) >= 1 and bars[0].options["desc"] == "dbscan" and all(bar.closed and bar.seen for bar in bars)
    assert all(0 <= done <= total == 5000 for bar in bars for done, total in bar.seen)
    with slow_library():
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)  # is not there: no bar, and no error
        assert len(cluster.DBSCAN(eps=0.05, progress=True).fit(x).labels_) == 5000
