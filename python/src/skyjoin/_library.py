"""The C library: its structs, as ``capi/skyjoin.h`` has them, and its functions."""

import ctypes
import os
import threading
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p

from .errors import DeviceError, ForkError, InternalError, LibraryError

ABI = 1002  # major*1000 + minor

OK, REQUEST, COORDINATE, MEMORY, DEVICE, CANCELLED, HANDLE, INTERNAL, RUNNING = range(9)
FLOAT64, FLOAT32 = 1, 2
EUCLIDEAN, SKY, SKY_DISTANCE, PERIODIC = range(4)

LABELS, CORE, COUNTS, OFFSETS, INDICES, DISTANCES, PROBABILITIES, OUTLIER_SCORES, PERSISTENCE = range(1, 10)
ORDERING, REACHABILITY, CORE_DISTANCES, PREDECESSOR, HIERARCHY, LINKAGE, VALUES = range(10, 17)
ROWS_A, ROWS_B, PAIRS, WEIGHTS, SEPARATIONS, TOTALS, TOTAL_WEIGHT, EDGES, RA, DEC = range(17, 27)
PATCH_PAIRS, PATCH_WEIGHTS, PATCH_TOTALS, CENTRES, WEIGHTED_SEPARATIONS, LOG_SEPARATIONS = range(27, 33)

# The type of numpy that a field is filled with.
FIELD_DTYPE = dict.fromkeys(
    (LABELS, COUNTS, OFFSETS, INDICES, ORDERING, PREDECESSOR, HIERARCHY, ROWS_A, ROWS_B), "int64")
FIELD_DTYPE.update(dict.fromkeys(
    (DISTANCES, PROBABILITIES, OUTLIER_SCORES, PERSISTENCE, REACHABILITY, CORE_DISTANCES, LINKAGE, VALUES,
     WEIGHTS, SEPARATIONS, TOTAL_WEIGHT, EDGES, RA, DEC, PATCH_WEIGHTS, PATCH_TOTALS, CENTRES,
     WEIGHTED_SEPARATIONS, LOG_SEPARATIONS), "float64"))
FIELD_DTYPE.update({CORE: "bool", PAIRS: "uint64", TOTALS: "uint64", PATCH_PAIRS: "uint64"})


class Error(Structure):
    _fields_ = [("size", c_uint32), ("code", c_int32), ("row", c_int64), ("column", c_int64), ("message", c_char * 512)]


class Column(Structure):
    _fields_ = [("data", c_void_p), ("stride", c_int64), ("validity", c_void_p), ("offset", c_int64),
                ("dtype", c_int32), ("reserved", c_int32)]


class Sized(Structure):
    """A struct that begins with its own size."""

    def __init__(self, **values):
        super().__init__(size=ctypes.sizeof(type(self)), **values)


class Metric(Sized):
    _fields_ = [("size", c_uint32), ("kind", c_int32), ("sides", c_void_p), ("scales", c_void_p),
                ("nsides", c_int32), ("nscales", c_int32)]


class Options(Sized):
    _fields_ = [("size", c_uint32), ("threads", c_int32), ("device", c_int32), ("reserved", c_int32), ("memory", c_int64)]


class Dbscan(Sized):
    STAR, BORDER_NEAREST, WANT_COUNTS = 1, 2, 4
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("eps", c_double), ("min_points", c_double), ("weights", c_void_p)]


class DbscanModel(Sized):
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("eps", c_double), ("labels", c_void_p)]


class Hdbscan(Sized):
    LEAF, SINGLE_CLUSTER, TIES_SKLEARN = 1, 2, 4
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("min_samples", c_double), ("min_cluster_size", c_double),
                ("epsilon", c_double), ("max_cluster_size", c_double), ("alpha", c_double), ("weights", c_void_p)]


class Optics(Sized):
    XI_NO_CORRECTION = 1
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("min_samples", c_double), ("max_eps", c_double),
                ("eps", c_double), ("xi", c_double), ("min_cluster_size", c_int64)]


class Lof(Sized):
    TIES = 1
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("k", c_int64)]


class Table(Sized):
    PAD = 1
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("data", c_uint64), ("k", c_int64), ("radius", c_double)]


class Vote(Sized):
    BY_DISTANCE = 1
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("train", c_uint64), ("k", c_int64), ("radius", c_double),
                ("labels", c_void_p), ("values", c_void_p), ("classes", c_int64)]


class Match(Sized):
    _fields_ = [("size", c_uint32), ("find", c_int32), ("b", c_uint64), ("radius", c_double), ("min_radius", c_double),
                ("join", c_int32), ("reserved", c_int32)]


class Count(Sized):
    WANT_SEPARATIONS, WANT_WEIGHTED_SEPARATIONS = 1, 2
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("b", c_uint64), ("edges", c_void_p), ("nedges", c_int64),
                ("weights_a", c_void_p), ("weights_b", c_void_p), ("across", c_void_p), ("nacross", c_int64),
                ("plane", c_int32), ("axis", c_int32), ("patch_a", c_void_p), ("patch_b", c_void_p), ("patches", c_int64)]


class Patches(Sized):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("patches", c_int64), ("seed", c_uint64), ("centres", c_void_p)]


class Stat(Sized):
    PER_ROW, MEET_ONCE, MEET_BOTH = 1, 2, 4
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("b", c_uint64), ("expression", c_char_p), ("names_a", c_void_p), ("names_b", c_void_p),
                ("coordinates_a", c_void_p), ("coordinates_b", c_void_p), ("edges", c_void_p), ("nedges", c_int64), ("ncoordinates", c_int32),
                ("reduction", c_int32)]


class Propagate(Sized):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("rows", c_int64), ("ra", c_void_p), ("dec", c_void_p),
                ("pmra", c_void_p), ("pmdec", c_void_p), ("years", c_void_p)]


_lock = threading.Lock()
_loaded = None  # the library and the process that loaded it


def library():
    """Return the library, loading it at first use.

    Raises
    ------
    ForkError
        In a child of a process that has used the library.
    LibraryError
        If it is not there or of another version.
    """
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _load(), os.getpid()
    lib, pid = _loaded
    if pid != os.getpid():
        raise ForkError("skyjoin was used before this process was forked and does not survive that: use the start methods "
                        "spawn or forkserver, joblib's loky, or call skyjoin in the children only")
    return lib


def _load():
    path = os.environ.get("SKYJOIN_LIBRARY") or os.path.join(os.path.dirname(__file__), "libskyjoin.so")
    try:
        lib = ctypes.CDLL(path)
    except OSError as e:
        raise LibraryError(f"the library of skyjoin cannot be loaded: {e}") from None
    if lib.skyjoin_abi() // 1000 != ABI // 1000 or lib.skyjoin_abi() < ABI:
        raise LibraryError(f"{path} has version {lib.skyjoin_abi()} of its interface, this package needs {ABI}")
    lib.skyjoin_version.restype = c_char_p
    start = [c_uint64, POINTER(Metric), c_void_p, POINTER(Options), POINTER(c_uint64), POINTER(Error)]
    for name in ("dbscan", "dbscan_model", "hdbscan", "optics", "lof", "table", "vote", "match", "count", "patches", "stat"):
        getattr(lib, f"skyjoin_{name}_start").argtypes = start
    lib.skyjoin_propagate_start.argtypes = [c_void_p, POINTER(Options), POINTER(c_uint64), POINTER(Error)]
    lib.skyjoin_predict_start.argtypes = [c_uint64, c_uint64, POINTER(Options), POINTER(c_uint64), POINTER(Error)]
    lib.skyjoin_points_new.argtypes = [POINTER(Column), c_int32, c_int64, c_int32, POINTER(c_uint64), POINTER(Error)]
    for name in ("points_free", "job_cancel", "job_free"):
        getattr(lib, f"skyjoin_{name}").argtypes = [c_uint64]
    lib.skyjoin_job_wait.argtypes = [c_uint64, c_int32, POINTER(Error)]
    lib.skyjoin_job_progress.argtypes = [c_uint64, POINTER(c_int64), POINTER(c_int64)]
    lib.skyjoin_job_size.argtypes = [c_uint64, c_int32, POINTER(c_int64), POINTER(Error)]
    lib.skyjoin_job_fill.argtypes = [c_uint64, POINTER(c_int32), POINTER(c_void_p), POINTER(c_int64), c_int32, POINTER(Error)]
    _tell_threadpoolctl(lib)
    lib.skyjoin_devices.argtypes = [c_int32, c_char_p, c_int32, POINTER(Error)]
    return lib


def _tell_threadpoolctl(lib):
    """Let threadpoolctl, if it is installed, limit our threads (LibController, 3.2 or later)."""
    try:
        import threadpoolctl as ctl
    except ImportError:
        return
    if not hasattr(ctl, "register"):
        return

    class Controller(ctl.LibController):
        user_api, internal_api = "skyjoin", "skyjoin"
        filename_prefixes = ("libskyjoin",)
        check_symbols = ("skyjoin_set_threads",)

        def get_num_threads(self):
            return lib.skyjoin_threads()

        def set_num_threads(self, n):
            lib.skyjoin_set_threads(n)

        def get_version(self):
            return lib.skyjoin_version().decode()

        def set_additional_attributes(self):
            pass

    ctl.register(Controller)


_CLASS = {REQUEST: ValueError, COORDINATE: ValueError, MEMORY: MemoryError, DEVICE: DeviceError,
          CANCELLED: KeyboardInterrupt, HANDLE: InternalError, INTERNAL: InternalError}


def error():
    """Return a struct for an error."""
    return Error(size=ctypes.sizeof(Error))


def check(code, err):
    """Raise what a call said, unless it went well."""
    if code == OK:
        return
    exception = _CLASS[code](err.message.decode(errors="replace"))
    if code == COORDINATE and err.row >= 0:
        exception.row = err.row
    raise exception


def call(name, *arguments):
    """Call a function whose last argument is the error."""
    err = error()
    check(getattr(library(), name)(*arguments, byref(err)), err)
