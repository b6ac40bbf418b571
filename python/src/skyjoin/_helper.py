"""The safe engine: calls carried out by another process.

With ``SKYJOIN_ENGINE=process`` in the environment, public functions and the methods of
estimators run in a helper that is started at the first call. What ends the helper (no
memory, a fault of the library) is an exception here and the next call starts another. Arrays
go there and back through files in memory. Functions that the helper cannot import, lambdas
as weights among them, stay here: a number goes over, and the helper asks for what they
return.
"""

import glob
import importlib
import io
import mmap
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import threading
import types
import warnings

from . import _process
from .errors import InternalError

_SHARED = 1 << 16  # bytes of arrays from which they go through shared memory

_helper = None


def helper():
    """Return the helper of this process, starting it where there is none."""
    global _helper
    if _helper is None or _helper.pid != os.getpid() or _helper.process.poll() is not None:
        _helper = _Helper()
    return _helper


class _Helper:
    """A helper and the pipe to it."""

    def __init__(self):
        self.pid, self.lock = os.getpid(), threading.Lock()
        path = os.pathsep.join([os.path.dirname(os.path.dirname(__file__)), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen([sys.executable, "-m", "skyjoin._helper"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**os.environ, "PYTHONPATH": path}, start_new_session=True)

    def call(self, f, args, kwargs):
        with self.lock:
            return self._call(f, args, kwargs)

    def _call(self, f, args, kwargs):
        callbacks = []
        try:
            request = _packed((f.__module__, f.__qualname__, args, kwargs), callbacks)
        except (pickle.PicklingError, TypeError, AttributeError) as e:
            raise TypeError(f"SKYJOIN_ENGINE=process passes arguments to another process, which these cannot be: {e}") from None
        try:
            _write(self.process.stdin, *request)
            while True:
                kind, *rest = _receive(self.process.stdout, callbacks)
                if kind != "call":
                    break
                _send(self.process.stdin, callbacks[rest[0]](*rest[1:]), callbacks)
        except (EOFError, BrokenPipeError):
            status = self._end()
            what = f"signal {-status}" if status < 0 else f"status {status}"
            raise InternalError(f"the process that carried out {f.__qualname__} ended with {what}; it may have had too little memory") from None
        except BaseException:  # Ctrl-C, or an exception of the callback
            self.process.kill()
            self._end()
            raise
        *rest, warned = rest
        for text, category in warned:
            warnings.warn(text, category, stacklevel=4)  # where the user called
        if kind == "failed":
            raise rest[0]
        result, mine, state = rest
        if state is not None:
            args[0].__setstate__(state)
        return args[0] if mine else result

    def _end(self):
        """Wait for the end of the helper, remove what it left in memory, and return its status."""
        status = self.process.wait()
        for pid in (self.process.pid, self.pid):
            for path in glob.glob(os.path.join(_folder(), f"skyjoin-{pid}-*")):
                os.unlink(path)
        return status


def _folder():
    return "/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir()


class _Pickler(pickle.Pickler):
    """Functions that cannot be imported stay where they are: a number goes over."""

    def __init__(self, file, callbacks, **options):
        super().__init__(file, protocol=5, **options)
        self.callbacks = callbacks

    def persistent_id(self, thing):
        if isinstance(thing, _Callback):
            return thing.number
        if self.callbacks is None or not callable(thing) or _importable(thing):
            return None
        if not any(f is thing for f in self.callbacks):
            self.callbacks.append(thing)
        return next(i for i, f in enumerate(self.callbacks) if f is thing)


def _importable(thing):
    """Tell whether what can be called is the same in another process: by its name, or by its class and what it holds."""
    if isinstance(thing, (type, types.BuiltinFunctionType)):
        return True
    if not isinstance(thing, types.FunctionType):
        thing = type(thing)
        if thing.__module__ in ("builtins", "functools"):  # methods and partial functions, of whatever
            return False
    if thing.__module__ == "__main__":
        return False
    there = sys.modules.get(thing.__module__)
    for name in thing.__qualname__.split("."):
        there = getattr(there, name, None)
    return there is thing


class _Callback:
    """What stands for a function in the helper."""

    def __init__(self, number):
        self.number = number

    def __call__(self, *args):
        _send(sys.stdout.buffer, ("call", self.number, *args), None)
        return _receive(sys.stdin.buffer)


class _Unpickler(pickle.Unpickler):
    def __init__(self, file, callbacks, **options):
        super().__init__(file, **options)
        self.callbacks = callbacks

    def persistent_load(self, number):
        return _Callback(number) if self.callbacks is None else self.callbacks[number]


def _send(pipe, message, callbacks):
    _write(pipe, *_packed(message, callbacks))


def _packed(message, callbacks):
    """Return the bytes of a message and the arrays that it refers to."""
    out, arrays = io.BytesIO(), []
    _Pickler(out, callbacks, buffer_callback=lambda b: arrays.append(b.raw())).dump(message)
    return out.getvalue(), arrays


def _write(pipe, body, arrays):
    """Write a message: its length, those of its arrays, the name of the file in memory that holds them, the rest."""
    sizes, path = [a.nbytes for a in arrays], ""
    if sum(sizes) >= _SHARED:
        file, path = tempfile.mkstemp(prefix=f"skyjoin-{os.getpid()}-", dir=_folder())
        with open(file, "wb") as f:
            f.writelines(arrays)
        arrays = []
    name = path.encode()
    try:
        pipe.write(struct.pack(f"<QQQ{len(sizes)}Q", len(body), len(sizes), len(name), *sizes) + name + body + b"".join(arrays))
        pipe.flush()
    except OSError:
        if path:
            os.unlink(path)
        raise


def _receive(pipe, callbacks=None):
    def take(n):
        data = pipe.read(n)
        if len(data) < n:
            raise EOFError
        return data

    length, arrays, named = struct.unpack("<QQQ", take(24))
    sizes = struct.unpack(f"<{arrays}Q", take(8 * arrays))
    path, body = take(named).decode(), take(length)
    if path:
        with open(path, "rb") as f:
            os.unlink(path)
            data = mmap.mmap(f.fileno(), sum(sizes), mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
    else:
        data = bytearray(take(sum(sizes)))
    view, buffers, at = memoryview(data), [], 0
    for n in sizes:
        buffers.append(view[at:at + n])
        at += n
    return _Unpickler(io.BytesIO(body), callbacks, buffers=buffers).load()


def _serve():
    """Carry out calls until the pipe ends."""
    _process.inside = True
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            module, name, args, kwargs = _receive(requests)
        except EOFError:
            return
        except Exception as error:  # noqa: BLE001 - what is not there cannot be read
            _send(replies, ("failed", TypeError(f"SKYJOIN_ENGINE=process passes arguments to another process, which these cannot be: {error}"), []), None)
            continue
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                f = importlib.import_module(module)
                for part in name.split("."):
                    f = getattr(f, part)
                f = getattr(f, "fget", f)
                result = f(*args, **kwargs)
                mine = "." in name and result is args[0]
                reply = ("done", None if mine else result, mine, args[0].__getstate__() if mine else None)
            except Exception as error:  # noqa: BLE001 - it is raised where the call came from
                error.__traceback__ = None
                reply = ("failed", error)
        _send(replies, (*reply, [(str(w.message), w.category) for w in warned]), None)


if __name__ == "__main__":
    from skyjoin import _helper

    _helper._serve()
