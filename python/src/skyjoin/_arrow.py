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


def columns_of(source, pick):
    """Return columns of numbers of a table as arrays by name, and the rows without a value of those that have such.

    pick(names) says which, of those that there are. The arrays are copies: what the
    table holds may be released.
    """
    chunks = []
    if hasattr(source, "__arrow_c_stream__"):
        capsule = source.__arrow_c_stream__()
        stream = _Stream.from_address(_pointer(capsule, b"arrow_array_stream"))
        at = ctypes.addressof(stream)
        schema = _Schema()
        _check(stream.get_schema(at, schema))
        try:
            kinds = _kinds(schema)
            names = pick(kinds)
            while True:
                chunk = _Array()
                _check(stream.get_next(at, chunk))
                if not chunk.release:
                    break
                try:
                    chunks.append([_read(chunk, *kinds[name]) for name in names])
                finally:
                    _release(chunk)
        finally:
            _release(schema)
    else:
        capsules = source.__arrow_c_array__()
        kinds = _kinds(_Schema.from_address(_pointer(capsules[0], b"arrow_schema")))
        names = pick(kinds)
        chunk = _Array.from_address(_pointer(capsules[1], b"arrow_array"))
        chunks.append([_read(chunk, *kinds[name]) for name in names])
    arrays, missing = {}, {}
    for k, name in enumerate(names):
        parts = [chunk[k] for chunk in chunks]
        arrays[name] = np.concatenate([values for values, _ in parts]) if parts else np.empty(0, kinds[name][1])
        if any(nulls is not None for _, nulls in parts):
            missing[name] = np.concatenate([np.zeros(len(values), bool) if nulls is None else nulls for values, nulls in parts])
    return arrays, missing


def _check(code):
    if code:
        raise ValueError(f"the Arrow stream failed with error {code}")


def _kinds(schema):
    """Return the places and types of columns of numbers by their names; text and the like is no coordinate."""
    if schema.format != b"+s":
        raise ValueError(f"an Arrow array of format {schema.format.decode()} is no table of columns")
    children = [schema.children[j].contents for j in range(schema.n_children)]
    return {kind.name.decode(): (j, np.dtype(_DTYPES[kind.format])) for j, kind in enumerate(children)
            if kind.format in _DTYPES and not kind.dictionary}


def _read(array, j, dtype):
    """Return the values of column j, and which are null or None."""
    n, child = array.length, array.children[j].contents
    first = array.offset + child.offset
    if n == 0:
        return np.empty(0, dtype), None
    raw = (ctypes.c_char * ((first + n) * dtype.itemsize)).from_address(child.buffers[1])
    values = np.frombuffer(raw, dtype)[first:].copy()
    if not child.null_count or not child.buffers[0]:
        return values, None
    bits = np.frombuffer((ctypes.c_char * ((first + n + 7) // 8)).from_address(child.buffers[0]), np.uint8)
    nulls = np.unpackbits(bits, bitorder="little")[first:first + n] == 0
    return values, nulls if nulls.any() else None
