"""Columns of numbers over the Arrow C data interface, by ctypes alone.

https://arrow.apache.org/docs/format/CDataInterface.html
"""

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_void_p, pythonapi

import numpy as np


class _Schema(Structure):
    pass


_Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64), ("n_children", c_int64),
                    ("children", POINTER(POINTER(_Schema))), ("dictionary", c_void_p), ("release", c_void_p), ("private_data", c_void_p)]


class _Array(Structure):
    pass


_Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
                   ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(_Array))), ("dictionary", c_void_p), ("release", c_void_p),
                   ("private_data", c_void_p)]

_GET_SCHEMA = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Schema))
_GET_NEXT = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Array))
_RELEASE = ctypes.CFUNCTYPE(None, c_void_p)


class _Stream(Structure):
    _fields_ = [("get_schema", _GET_SCHEMA), ("get_next", _GET_NEXT), ("get_last_error", c_void_p), ("release", c_void_p),
                ("private_data", c_void_p)]


_DTYPES = {b"c": "i1", b"C": "u1", b"s": "i2", b"S": "u2", b"i": "i4", b"I": "u4", b"l": "i8", b"L": "u8", b"e": "f2", b"f": "f4", b"g": "f8"}

_pointer = pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]


def _release(struct):
    if struct.release:
        _RELEASE(struct.release)(ctypes.addressof(struct))


def columns_of(source):
    """Return the columns of numbers of a table as arrays by name, and the rows with nulls or None.

    The arrays are copies: what the table holds may be released.
    """
    parts, nulls = [], []
    if hasattr(source, "__arrow_c_stream__"):
        capsule = source.__arrow_c_stream__()
        stream = _Stream.from_address(_pointer(capsule, b"arrow_array_stream"))
        at = ctypes.addressof(stream)
        schema = _Schema()
        _check(stream.get_schema(at, schema))
        try:
            while True:
                chunk = _Array()
                _check(stream.get_next(at, chunk))
                if not chunk.release:
                    break
                try:
                    _read(schema, chunk, parts, nulls)
                finally:
                    _release(chunk)
        finally:
            _release(schema)
    else:
        capsules = source.__arrow_c_array__()
        schema = _Schema.from_address(_pointer(capsules[0], b"arrow_schema"))
        _read(schema, _Array.from_address(_pointer(capsules[1], b"arrow_array")), parts, nulls)
    if not parts:
        return {}, None
    arrays = {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}
    missing = np.concatenate(nulls)
    return arrays, missing if missing.any() else None


def _check(code):
    if code:
        raise ValueError(f"the Arrow stream failed with error {code}")


def _read(schema, array, parts, nulls):
    """Append the columns of a chunk and its rows with nulls."""
    if schema.format != b"+s":
        raise ValueError(f"an Arrow array of format {schema.format.decode()} is no table of columns")
    n, columns, missing = array.length, {}, np.zeros(array.length, bool)
    for j in range(schema.n_children):
        kind, child = schema.children[j].contents, array.children[j].contents
        if kind.format not in _DTYPES:
            continue  # text and the like is no coordinate
        dtype, first = np.dtype(_DTYPES[kind.format]), array.offset + child.offset
        if n == 0:
            columns[kind.name.decode()] = np.empty(0, dtype)
            continue
        raw = (ctypes.c_char * ((first + n) * dtype.itemsize)).from_address(child.buffers[1])
        columns[kind.name.decode()] = np.frombuffer(raw, dtype)[first:].copy()
        if child.null_count and child.buffers[0]:
            bits = np.frombuffer((ctypes.c_char * ((first + n + 7) // 8)).from_address(child.buffers[0]), np.uint8)
            missing |= np.unpackbits(bits, bitorder="little")[first:first + n] == 0
    parts.append(columns)
    nulls.append(missing)
