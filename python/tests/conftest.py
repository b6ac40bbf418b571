import contextlib
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture
def root():
    """The checkout."""
    return ROOT


@pytest.fixture
def slow_library(monkeypatch):
    """A context in which the library says three times more that it is not done yet."""
    from skyjoin import _library

    lib = _library.library()

    class Slow:
        left = 3

        def __getattr__(self, name):
            return getattr(lib, name)

        def skyjoin_job_wait(self, handle, ms, error):
            code = lib.skyjoin_job_wait(handle, ms, error)
            if code == _library.OK and self.left > 0:
                self.left -= 1
                return _library.RUNNING
            return code

    @contextlib.contextmanager
    def slow():
        with monkeypatch.context() as patch:
            patch.setattr(_library, "_loaded", (Slow(), os.getpid()))
            yield

    return slow
