"""Tables of every kind, read and given back."""

import ctypes

import numpy as np
import pytest

from skyjoin import sky, table
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
