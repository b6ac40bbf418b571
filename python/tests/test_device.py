"""GPUs without a card: the kernels on the emulator that the tests of the Go packages use."""

import os
import re
import shutil
import subprocess
import sys

import pytest

CODE = """
import numpy as np
import skyjoin
from skyjoin import cluster, neighbors, sky, stats

rng = np.random.default_rng(0)
x, q = rng.random((600, 2)), rng.random((90, 2))
y = rng.integers(0, 3, len(x))

def results(device):
    found = cluster.DBSCAN(eps=0.03, counts=True, device=device).fit(x)
    yield from (found.labels_, found.core_sample_indices_, found.counts_, found.predict(q))
    yield cluster.DBSCAN(eps="1 deg", min_samples=2, metric="sky", device=device).fit(x * 40).labels_
    yield cluster.DBSCAN(eps=0.03, metric="periodic", metric_params={"box": 1}, device=device).fit(x.astype(np.float32)).labels_
    near = neighbors.NearestNeighbors(n_neighbors=4, radius=0.05, device=device).fit(x)
    yield from near.kneighbors(q)
    graph = near.radius_neighbors_graph(q, mode="distance")
    yield from (graph.indptr, graph.indices, graph.data)
    yield neighbors.KNeighborsClassifier(5, device=device).fit(x, y).predict_proba(q)
    yield neighbors.LocalOutlierFactor(5, device=device).fit(x).negative_outlier_factor_
    yield cluster.HDBSCAN(5, device=device).fit(x[:200]).probabilities_
    yield cluster.OPTICS(max_eps=0.1, device=device).fit(x[:200]).reachability_
    yield stats.DD(1, None, [0.01, 0.1, 0.2], *x.T, x[:, 0], periodic=False, device=device)["npairs"]
    yield stats.stat("r", {"x": x[:300, 0], "y": x[:300, 1]}, columns=["x", "y"], device=device)
    yield from sky.crossmatch((x[:, 0], x[:, 1]), (q[:, 0], q[:, 1]), "60 arcsec", device=device)

print(skyjoin.devices())
same = [np.array_equal(a, b) for a, b in zip(results("cpu"), results("gpu"), strict=True)]
print(len(same), all(same))
"""

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


def run(code, env, **more):
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**env, **more})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_gpu_gives_what_the_cpu_gives(emulator):
    assert run(CODE, emulator) == ["['Emulated GPU']", "20 True"]


def test_a_gpu_that_fails_is_an_error_of_its_own(emulator):
    """The first launch fails, which also shows that kernels were launched."""
    said, shape = run(FAILS, emulator, EMULATOR_FAIL="launch:1")
    assert "launch" in said and shape == "(600,)"


def test_no_gpu_is_said(emulator):
    said, shape = run(FAILS, emulator, EMULATOR_DEVICES="0")
    assert "no NVIDIA GPU" in said and shape == "(600,)"
