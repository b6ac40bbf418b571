"""The safe engine: the same answers from another process, and what ends that process is an exception."""

import os
import subprocess
import sys

import pytest

CODE = """
import os, signal, time
import numpy as np
import skyjoin
from skyjoin import _library, _helper, cluster, neighbors, sky, stats

class Weigher:
    def __init__(self, scale):
        self.scale = scale

    def weigh(self, d):
        return np.array([np.exp(-v / self.scale) for v in d] + [None], dtype=object)[:-1] if d.dtype == object else self(d)

    def __call__(self, d):
        return np.exp(-d / self.scale)

rng = np.random.default_rng(0)
x = rng.random((20000, 2))
found = cluster.DBSCAN(eps=0.01, progress=lambda done, total: None).fit(x)
tree = cluster.HDBSCAN(50).fit(x[:2000])
near = neighbors.NearestNeighbors(n_neighbors=3).fit(x)
print(found.labels_.sum(), found.predict(x[:9]).sum(), tree.linkage_.sum(), tree.predict(x[:9]).sum(), near.kneighbors(x[:9])[1].sum())
print(sky.crossmatch(([1.0, 2.0], [1.0, 1.0]), ([2.0], [1.0]), "1 arcsec").row1, stats.DD(1, None, [0.5, 1], *x[:500].T, x[:500, 0], periodic=False)["npairs"])
try:
    cluster.DBSCAN(eps=-1).fit(x)
except ValueError as e:
    print(e)
y, q = (x[:, 0] > 0.5).astype(int), rng.random((50, 2))
by_lambda = neighbors.KNeighborsClassifier(3, weights=lambda d: 1 / (0.1 + d)).fit(x, y)
by_method = neighbors.RadiusNeighborsRegressor(0.1, weights=Weigher(0.2).weigh).fit(x, y)
print(by_lambda.predict_proba(q).sum(), by_method.predict(q).sum(), neighbors.KNeighborsRegressor(3, weights=Weigher(0.3)).fit(x, y).predict(q).sum())
print(by_lambda.weights(0.9) == 1 / (0.1 + 0.9), by_lambda.score(q, (q[:, 0] > 0.5).astype(int)))
one = stats.Catalog(x=x[:2000, 0], y=x[:2000, 1], npatch=3)
nn = stats.NNCorrelation(min_sep=0.01, max_sep=0.1, nbins=3).process(one)
print(nn.npairs, nn.meanlogr, np.bincount(one.patch), stats.stat("r", x[:99]), stats.rdf(x[:500], [0.1, 0.2], 1.0)[1], sky.link(tuple(x[:99].T), "1 deg").sum())
print(skyjoin.devices(), skyjoin.set_threads(1), skyjoin.set_threads(0) > 0, skyjoin.release_memory())
try:
    neighbors.KNeighborsClassifier(3, weights=lambda d: 1 / 0).fit(x, y).predict(q)
except ZeroDivisionError as e:
    print(e)
"""

MORE = """
class Enough(Exception):
    pass

def enough(done, total):
    raise Enough

try:
    neighbors.NearestNeighbors(radius=0.2, progress=enough).fit(rng.random((100000, 2))).radius_neighbors_graph()
except Enough:
    print("enough")
class Other(cluster.DBSCAN):
    pass

for bad in (lambda: Other().fit(x), lambda: cluster.DBSCAN().fit(v for v in x)):
    try:
        bad()
    except TypeError as e:
        print("SKYJOIN_ENGINE=process passes arguments" in str(e))
print(_library._loaded, cluster.DBSCAN(eps=0.01).fit(x).labels_.sum())
helper = _helper._helper.process
helper.send_signal(signal.SIGSTOP)
os.kill(helper.pid, signal.SIGKILL)
try:
    cluster.DBSCAN(eps=0.01).fit(x)
except skyjoin.InternalError as e:
    print("signal 9" in str(e))
print(cluster.DBSCAN(eps=0.01).fit(x).labels_.sum())
child = os.fork()
if child == 0:
    print(cluster.DBSCAN(eps=0.01).fit(x).labels_.sum(), flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""


def run(code, engine):
    done = subprocess.run([sys.executable, "-u", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
                          env={**os.environ, "SKYJOIN_ENGINE": engine})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_answers_are_the_same_and_ends_are_exceptions():
    want = run(CODE, "library")
    got = run(CODE + MORE, "process")
    assert got.startswith(want)
    total = want.split()[0]
    lines = got[len(want):].split("\n")
    assert lines[:4] == ["enough", "True", "True", f"None {total}"], lines
    # A helper that was killed before the call is replaced without a word; one that dies in it is an exception.
    assert lines[4] in ("True", total)
    assert lines[-4:] == [total, total, "0", ""]


def test_engines_are_named():
    with pytest.raises(AssertionError, match="must be library or process"):
        run("from skyjoin import cluster; cluster.DBSCAN().fit([[1.0]])", "server")


@pytest.mark.parametrize("engine", ["library", "process"])
def test_warnings_reach_the_caller(engine):
    got = run("""
import warnings
import numpy as np
from skyjoin.cluster import OPTICS
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    OPTICS(min_samples=2, max_eps=0.1).fit(np.arange(9.0)[:, None])
print(len(w), w[0].category.__name__, str(w[0].message)[:28], w[0].filename)
""", engine)
    assert got == "1 UserWarning All reachability values are  <string>\n"
