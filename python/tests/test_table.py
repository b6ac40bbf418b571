"""Tables of every kind, read and given back."""

import ctypes

import numpy as np
import pytest

from skyjoin import sky, stats, table
from skyjoin._arrow import _GET_NEXT, _GET_SCHEMA, _RELEASE, _Array, _Schema, _Stream


def test_dicts_and_arrays():
    assert np.array_equal(table.matrix({"x": [1, 2], "y": [3, 4]}, ["y", "x"]), [[3, 1], [4, 2]])
    rows = np.array([(1.0, 2.0), (3.0, 4.0)], dtype=[("a", "f8"), ("b", "f4")])
    assert np.array_equal(table.matrix(rows, ["b"]), [[2], [4]])
    more = table.with_columns(rows, label=np.array([5, 6]))
    assert more.dtype.names == ("a", "b", "label") and list(more["label"]) == [5, 6]
    assert list(table.with_columns({"x": [1]}, label=[2])) == ["x", "label"]
    assert np.array_equal(table.matrix(np.eye(3), [2, 0]), np.eye(3)[:, [2, 0]])
    with pytest.raises(KeyError, match="no column 'z'"):
        table.matrix({"x": [1]}, ["z"])
    with pytest.raises(TypeError, match="type int"):
        table.matrix(3)


def test_missing_values():
    source = {"x": [1.0, np.nan, 3.0], "y": [1.0, 2.0, 3.0]}
    with pytest.raises(ValueError, match="row 1"):
        table.matrix(source)
    x, rows = table.matrix(source, missing="drop")
    assert np.array_equal(x, [[1, 1], [3, 3]]) and list(rows) == [0, 2]


def test_astropy_tables():
    import astropy.units as u
    from astropy.coordinates import SkyCoord
    from astropy.table import MaskedColumn, QTable, Table

    t = Table({"ra": MaskedColumn([1.0, 2.0], mask=[False, True], unit="deg"), "dec": [0.0, 1.0]})
    assert table.read(t).units == {"ra": "deg"}
    x, rows = table.matrix(t, missing="drop")
    assert list(rows) == [0] and np.array_equal(x, [[1, 0]])
    more = table.with_columns(t, label=[7, 8])
    assert isinstance(more, Table) and more["label"][1] == 8 and "label" not in t.colnames
    q = QTable({"ra": [0.1, 0.2] * u.rad, "dec": [0.0, 0.0] * u.deg})
    assert np.allclose(table.positions(q)[0], np.degrees([0.1, 0.2]))
    assert np.allclose(table.positions(SkyCoord([1, 2] * u.deg, [3, 4] * u.deg)), [[1, 2], [3, 4]])
    assert list(sky.crossmatch(q, {"RA": [np.degrees(0.2)], "DEC": [0.0]}, "1 arcsec").row1) == [1]
    with pytest.raises(ValueError, match="no columns of RA and Dec"):
        table.positions({"l": [1.0], "b": [1.0]})


class Producer:
    """A table of two columns behind the Arrow C interface, one with a null, in chunks that begin at an offset."""

    def __init__(self, stream):
        self.released = []
        if stream:
            self.__arrow_c_stream__ = self.stream
        else:
            self.__arrow_c_array__ = self.array

    def chunk(self, lo):
        x, y = np.arange(lo, lo + 5, dtype=np.float32), np.arange(lo, lo + 5, dtype=np.int64) * 10
        bits = np.packbits([1, 1, 1, 0, 1], bitorder="little")
        arrays = []
        for values, validity in ((x, None), (y, bits)):
            buffers = (ctypes.c_void_p * 2)(None if validity is None else validity.ctypes.data, values.ctypes.data)
            arrays.append(_Array(length=5, null_count=0 if validity is None else 1, n_buffers=2, buffers=buffers))
        children = (ctypes.POINTER(_Array) * 2)(*(ctypes.pointer(a) for a in arrays))
        out = _Array(length=4, offset=1, n_buffers=1, n_children=2, children=children, release=self.release())
        self.alive = getattr(self, "alive", []) + [x, y, bits, arrays, children, out]
        return out

    def schema(self):
        parts = [_Schema(format=b"f", name=b"x"), _Schema(format=b"l", name=b"y")]
        children = (ctypes.POINTER(_Schema) * 2)(*(ctypes.pointer(p) for p in parts))
        out = _Schema(format=b"+s", n_children=2, children=children, release=self.release())
        self.alive = getattr(self, "alive", []) + [parts, children, out]
        return out

    def release(self):
        call = _RELEASE(self.released.append)
        self.alive = getattr(self, "alive", []) + [call]
        return ctypes.cast(call, ctypes.c_void_p)

    def capsule(self, struct, name):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(struct), name, None)

    def array(self, requested_schema=None):
        return self.capsule(self.schema(), b"arrow_schema"), self.capsule(self.chunk(0), b"arrow_array")

    def stream(self, requested_schema=None):
        left = [self.chunk(0), self.chunk(100)]

        def get_schema(_, out):
            ctypes.memmove(out, ctypes.byref(self.schema()), ctypes.sizeof(_Schema))
            return 0

        def get_next(_, out):
            ctypes.memmove(out, ctypes.byref(left.pop(0) if left else _Array()), ctypes.sizeof(_Array))
            return 0

        self.one = _Stream(get_schema=_GET_SCHEMA(get_schema), get_next=_GET_NEXT(get_next))
        return self.capsule(self.one, b"arrow_array_stream")


def test_arrow():
    x, rows = table.matrix(Producer(stream=False), missing="drop")
    assert np.array_equal(x, [[1, 10], [2, 20], [4, 40]]) and list(rows) == [0, 1, 3]
    source = Producer(stream=True)
    x, rows = table.matrix(source, ["y"], missing="drop")
    assert list(x[:, 0]) == [10, 20, 40, 1010, 1020, 1040] and list(rows) == [0, 1, 3, 4, 5, 7]
    assert len(source.released) == 3
    # A null of a column that was not asked for does not matter.
    for stream in (False, True):
        assert list(table.matrix(Producer(stream), ["x"])[:4, 0]) == [1, 2, 3, 4]
        with pytest.raises(ValueError, match="row 2 has no value"):
            table.matrix(Producer(stream), ["x", "y"])
        with pytest.raises(KeyError, match="no column 'z', it has x, y"):
            table.matrix(Producer(stream), ["z"])
    assert stats.stat("abs(a.x - b.x)", Producer(stream=False)) == 10


def test_nullable_columns_of_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"i": pandas.array([1, None, 3], dtype="Int64"), "f": pandas.array([1.5, 2.5, None], dtype="Float32"),
                              "b": pandas.array([True, False, None], dtype="boolean"), "x": [1.0, 2, 3]}, index=[7, 5, 3])
    x, rows = table.matrix(frame, ["i", "x"], missing="drop")
    assert np.array_equal(x, [[1, 1], [3, 3]]) and list(rows) == [0, 2]
    assert list(table.matrix(frame, ["f", "b"], missing="drop")[1]) == [0, 1]
    with pytest.raises(ValueError, match="row 1 has no value"):
        table.matrix(frame, ["i"])
    with pytest.raises(ValueError, match="row 1 has no value"):
        stats.stat("a.i * b.i", frame)
    assert stats.stat("a.x * b.x", frame) == 11 and table.read(frame).missing.keys() == {"i", "f", "b"}
    whole = frame.iloc[[0, 2]]
    assert table.matrix(whole, ["i"]).dtype == np.float64 and table.read(whole)["i"].dtype == np.int64
    more = table.with_columns(frame, label=pandas.Series([4, 5, 6]))  # by place, whatever its index is
    assert list(more["label"]) == [4, 5, 6]


def test_columns_have_a_value_for_each_row():
    pandas = pytest.importorskip("pandas")
    from astropy.table import Table

    columns = {"x": [1.0, 2, 3], "y": [4.0, 5, 6]}
    for source in (columns, pandas.DataFrame(columns), Table(columns), np.array([(1.0,), (2.0,), (3.0,)], dtype=[("x", "f8")]), np.eye(3)):
        for wrong in ([1.0], 1.0, [1, 2, 3, 4]):
            with pytest.raises(ValueError, match="a value for each of 3 rows"):
                table.with_columns(source, label=wrong)
        assert list(table.with_columns(source, label=[7, 8, 9])["label"]) == [7, 8, 9]
    for wrong in ({"x": [1.0, 2], "y": [1.0]}, {"x": [1.0, 2], "y": [[1.0, 2]]}):
        with pytest.raises(ValueError, match="equally many|one dimension"):
            table.matrix(wrong)


def test_values_under_masks_are_missing():
    masked = np.ma.array([1.0, 2, 3], mask=[0, 1, 0])
    assert list(table.matrix({"x": masked, "y": [1.0, 2, 3]}, missing="drop")[1]) == [0, 2]
    assert len(table.matrix({"x": masked, "y": [1.0, 2, 3]}, ["y"])) == 3
    with pytest.raises(ValueError, match="row 1 has no value"):
        table.positions({"ra": masked, "dec": [1.0, 2, 3]})


def test_positions_of_other_frames_are_icrs():
    import astropy.units as u
    from astropy.coordinates import Galactic, SkyCoord

    here = SkyCoord([10, 20] * u.deg, [20, -30] * u.deg)
    frame = Galactic(here.galactic.l, here.galactic.b)
    for source in (here.galactic, frame, here.fk5):
        assert np.allclose(table.matrix(source, ["ra", "dec"]), [[10, 20], [20, -30]], atol=1e-9)
        more = table.with_columns(source, label=[1, 2])
        assert list(more) == ["ra", "dec", "label"] and np.allclose(more["ra"], [10, 20], atol=1e-9)
        assert list(sky.crossmatch(source, here, "1 mas").row2) == [0, 1]
        assert abs(stats.stat("r", source, metric="sky") - here[0].separation(here[1]).deg) < 1e-9
    with pytest.raises(KeyError, match="no column 'l'"):
        table.matrix(frame, ["l"])


def test_times_are_no_numbers_and_objects_may_lack_values():
    from astropy.table import Table
    pd = pytest.importorskip("pandas")
    for times in (np.array(["2020-01-01", "NaT"], "M8[D]"), np.array([1, "NaT"], "m8[s]"), pd.DataFrame({"d": pd.to_datetime(["2020-01-01", None])})):
        with pytest.raises(ValueError, match="coordinates are numbers"):
            table.matrix(times if isinstance(times, pd.DataFrame) else {"d": times}, missing="drop")
    x, rows = table.matrix(pd.DataFrame({"x": [1, pd.NA, 2]}), missing="drop")
    assert rows.tolist() == [0, 2] and x.tolist() == [[1.0], [2.0]]
    x, rows = table.matrix(Table.from_pandas(pd.DataFrame({"b": pd.array([1.5, None, 2], "Float64")})), ["b"], missing="drop")
    assert rows.tolist() == [0, 2] and x.tolist() == [[1.5], [2.0]]
