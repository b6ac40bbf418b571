"""GPUs without a card: the kernels on the emulator that the tests of the Go packages use."""

import os
import re
import shutil
import subprocess
import sys

import pytest

FAILS = """
import numpy as np
import skyjoin
from skyjoin import cluster

x = np.random.default_rng(0).random((600, 2))
try:
    cluster.DBSCAN(eps=0.03, device="gpu").fit(x)
except skyjoin.DeviceError as e:
    print(e)
print(cluster.DBSCAN(eps=0.03, device="auto").fit(x).labels_.shape)
"""


@pytest.fixture(scope="module")
def emulator():
    """The environment in which the library finds the emulator in place of a driver."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for tool in ("go", "g++"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} here: the emulator of a GPU is not built")
    out = subprocess.run(["go", "test", "-count=1", "-v", "-run", "^TestLibrary$", "./internal/cuda/emulate"], cwd=root, stdout=subprocess.PIPE,
                         text=True, check=True).stdout
    path, headers = (re.search(f"^{name}: (.*)$", out, re.M)[1] for name in ("emulator", "headers"))
    return {**os.environ, "SKYJOIN_LIBCUDA": path, "SKYJOIN_LIBNVRTC": path, "EMULATOR_HEADERS": headers, "SKYJOIN_GPU_CACHE": "off"}


def run(arguments, env, **more):
    done = subprocess.run([sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**env, **more})
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout.splitlines()


def test_a_gpu_gives_what_the_cpu_gives(emulator):
    lines = run([os.path.join(os.path.dirname(__file__), "device_answers.py"), "600"], emulator)
    assert lines[0] == "GPUs: Emulated GPU" and lines[-1] == "0 differ, 0 failed" and sum("| equal |" in line for line in lines) == 32, "\n".join(lines)


def test_a_gpu_that_fails_is_an_error_of_its_own(emulator):
    """The first launch fails, which also shows that kernels were launched."""
    said, shape = run(["-c", FAILS], emulator, EMULATOR_FAIL="launch:1")
    assert "launch" in said and shape == "(600,)"


def test_no_gpu_is_said(emulator):
    said, shape = run(["-c", FAILS], emulator, EMULATOR_DEVICES="0")
    assert "no NVIDIA GPU" in said and shape == "(600,)"
