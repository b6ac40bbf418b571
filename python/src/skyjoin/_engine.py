"""Points, metrics and jobs: what lies between numpy and the library."""

import ctypes
import numbers
import os
import re
import threading
import weakref
from ctypes import byref, c_int32, c_int64, c_uint64, c_void_p

import numpy as np

from . import _checks
from . import _library as c
from ._process import carried_out

_MOST_THREADS = 1 << 16
_SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def memory_bytes(memory):
    """Return a number of bytes given as such or as text like ``"2GiB"``; None is 0."""
    if memory is None:
        return 0
    if isinstance(memory, numbers.Integral) and not isinstance(memory, bool) and memory > 0:
        return int(memory)
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", memory.lower()) if isinstance(memory, str) else None
    if found is None or float(found[1]) <= 0:
        raise ValueError(f"memory={memory!r}, it must be a number of bytes above 0 or like '2GiB'")
    return int(float(found[1]) * _SIZES[found[2]])


def threads_of(n_jobs, name="n_jobs"):
    """Return the threads that a parameter means, 0 for all.

    None is all that the process may use, or fewer if OMP_NUM_THREADS says so, as
    it does in the workers of joblib; less than 0 counts from all, as in joblib.
    """
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
        return min(int(limit), len(os.sched_getaffinity(0))) if limit.isdigit() and int(limit) > 0 else 0
    if not isinstance(n_jobs, numbers.Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"{name}={n_jobs!r}, it must be a whole number other than 0, or None")
    if n_jobs > 0:
        return min(int(n_jobs), _MOST_THREADS)
    return max(len(os.sched_getaffinity(0)) + 1 + int(n_jobs), 1)


_DEVICES = {"cpu": 0, "gpu": 1, "auto": 2}


def options(n_jobs=None, device="auto", memory=None, name="n_jobs"):
    """Return the options of a job."""
    return c.Options(threads=threads_of(n_jobs, name), device=_DEVICES[_checks.one_of("device", device, _DEVICES)], memory=memory_bytes(memory))


class Metric:
    """A metric of the library, and the arrays that it refers to."""

    def __init__(self, kind=c.EUCLIDEAN, sides=None, scales=None):
        self.arrays = [None if v is None else np.ascontiguousarray(v, dtype=np.float64).ravel() for v in (sides, scales)]
        sides, scales = self.arrays
        self.struct = c.Metric(
            kind=kind,
            sides=None if sides is None else sides.ctypes.data, nsides=0 if sides is None else sides.size,
            scales=None if scales is None else scales.ctypes.data, nscales=0 if scales is None else scales.size)


def as_float(column):
    """Return a column of numbers as float32 or float64 of this machine's byte order.

    What is such already is not copied.
    """
    if isinstance(column, np.ma.MaskedArray) and np.ma.is_masked(column):
        column = column.astype(np.result_type(column.dtype, np.float32)).filled(np.nan)  # no value, whatever is below the mask
    a = np.asarray(column)
    if a.dtype in (np.float32, np.float64) and a.dtype.isnative:
        return a
    if a.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if a.dtype.kind == "f" and a.dtype.itemsize <= 4:
        return a.astype(np.float32)
    return a.astype(np.float64)


def same_rows(columns):
    """Return how many rows columns have; they are refused unless all have as many."""
    for a in columns:
        if a.ndim != 1:
            raise ValueError(f"a column has the shape {a.shape}, it must have one dimension")
    rows = {len(a): None for a in columns}
    if len(rows) > 1:
        raise ValueError(f"the columns have {', '.join(str(len(a)) for a in columns)} rows, they must have equally many")
    return next(iter(rows))


class Points:
    """Columns of coordinates in the library. They are read where they are."""

    def __init__(self, columns, threads=0):
        self.columns = [as_float(v) for v in columns]  # alive as long as the handle
        rows = same_rows(self.columns)
        structs = (c.Column * len(self.columns))(*(
            c.Column(data=v.ctypes.data, stride=v.strides[0], dtype=c.FLOAT32 if v.dtype == np.float32 else c.FLOAT64)
            for v in self.columns))
        handle = c_uint64()
        c.call("skyjoin_points_new", structs, len(self.columns), rows, threads, byref(handle))
        self.handle, self.rows = handle.value, rows
        self.free = weakref.finalize(self, _free, "skyjoin_points_free", self.handle, self.columns)

    @classmethod
    def of(cls, x, threads=0):
        """Make points of the columns of an array (n, d)."""
        x = as_float(x)
        return cls([x[:, j] for j in range(x.shape[1])], threads)


def _free(name, handle, _alive=None):
    lib, pid = c._loaded
    if pid == os.getpid():
        getattr(lib, name)(handle)


def _bar(progress, what):
    """Return the function that progress stands for, and what closes it."""
    if not callable(progress) and not progress:
        return None, lambda: None
    if callable(progress):
        return progress, lambda: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None, lambda: None
    bar = tqdm(desc=what, unit=" rows", unit_scale=True)

    def show(done, total):
        bar.total, bar.n = total, done
        bar.refresh()

    return show, bar.close


class Job:
    """A job of the library, from its start to its fields.

    The wait goes back to Python every 50 ms, so that Ctrl-C and an exception of
    ``progress(done, total)`` cancel the job and pass through. It is called from the
    start on, with what was told last where nothing is known.
    """

    def __init__(self, verb, *arguments, keep=(), opts=None, progress=None, rows=1):
        self.verb, self.progress = verb, _checks.progress(progress)
        self.done, self.total = 0, max(rows, 1)  # until the library says how much there is to do
        self.keep = keep, arguments
        handle = c_uint64()
        c.call(f"skyjoin_{verb}_start", *arguments, byref(opts if opts is not None else options()), byref(handle))
        self.handle = handle.value
        self.free = weakref.finalize(self, _free, "skyjoin_job_free", self.handle, self.keep)
        self._wait()

    def _wait(self):
        lib, err, handle = c.library(), c.error(), self.handle
        code = lib.skyjoin_job_wait(handle, 0, byref(err))
        if code == c.RUNNING:
            show, close = _bar(self.progress, self.verb)
            done, total = c_int64(), c_int64()
            try:
                while code == c.RUNNING:
                    code = lib.skyjoin_job_wait(handle, 50, byref(err))
                    if show is not None:
                        lib.skyjoin_job_progress(handle, byref(done), byref(total))
                        if total.value > 0:
                            self.done, self.total = done.value, total.value
                        show(self.done, self.total)
            except BaseException:
                lib.skyjoin_job_cancel(handle)
                if lib.skyjoin_job_wait(handle, 100, byref(err)) == c.RUNNING:  # its workers wait for memory: they end beside us
                    threading.Thread(target=self._end, daemon=True).start()
                raise
            finally:
                close()
        c.check(code, err)

    def _end(self):
        """Wait until the library no longer writes into the arrays, which live as long as this."""
        self.free()

    def size(self, field):
        n = c_int64()
        c.call("skyjoin_job_size", self.handle, field, byref(n))
        return n.value

    def get(self, *fields):
        """Return the fields as arrays, in one list."""
        arrays = [np.empty(self.size(f), dtype=c.FIELD_DTYPE[f]) for f in fields]
        n, self.keep = len(fields), (self.keep, arrays)
        c.call("skyjoin_job_fill", self.handle, (c_int32 * n)(*fields), (c_void_p * n)(*(a.ctypes.data for a in arrays)),
               (c_int64 * n)(*(a.size for a in arrays)), n)
        self._wait()
        self.keep = self.keep[0]
        if sum(a.nbytes for a in arrays) > 64 << 20:
            c.library().skyjoin_release_memory()
        return arrays

    def take(self, *fields):
        """Return the fields, of a job that is not needed afterwards."""
        arrays = self.get(*fields)
        self.free()
        return arrays


def run(verb, points, metric, what, keep=(), opts=None, progress=None):
    """Start a job on points and wait for its end."""
    return Job(verb, points.handle, byref(metric.struct), byref(what), keep=(points, metric, keep), opts=opts, progress=progress,
               rows=points.rows)


def pointer(array):
    """Return the address of an array, or None."""
    return None if array is None else array.ctypes.data


def table(query, metric, data=None, k=0, radius=0.0, pad=False, distances=True, opts=None, progress=None):
    """Return offsets, indices and distances of a neighbour table; offsets are None of k neighbours each."""
    what = c.Table(flags=c.Table.PAD * pad, data=0 if data is None else data.handle, k=k, radius=radius)
    job = run("table", query, metric, what, keep=data, opts=opts, progress=progress)
    fields = [c.INDICES] + [c.DISTANCES] * distances
    if not k:
        fields.append(c.OFFSETS)
    got = dict(zip(fields, job.take(*fields)))
    return got.get(c.OFFSETS), got[c.INDICES], got.get(c.DISTANCES)


def predict(job, points, fields, opts):
    """Return fields of new rows by what a job found."""
    return Job("predict", job.handle, points.handle, keep=(job, points), opts=opts).take(*fields)


@carried_out
def set_threads(n):
    """Set the threads of calls that name none; 0 is all. Returns the number in force."""
    return c.library().skyjoin_set_threads(min(_checks.whole("n", n, 0), _MOST_THREADS))


@carried_out
def devices():
    """Return the names of the GPUs that can be used."""
    lib, err, name = c.library(), c.error(), ctypes.create_string_buffer(256)
    found = []
    while len(found) < lib.skyjoin_devices(len(found), name, 256, byref(err)):
        found.append(name.value.decode())
    return found


@carried_out
def release_memory():
    """Give memory that the library holds but does not need back to the system."""
    c.library().skyjoin_release_memory()
