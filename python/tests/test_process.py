"""Signals, forks, threads, memory and time of start."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from skyjoin import ForkError, cluster, neighbors, stats


def labels(seed):
    return cluster.DBSCAN(eps=0.1).fit(np.random.default_rng(seed).random((500, 2))).labels_.tolist()


def forked(queue):
    try:
        labels(0)
    except ForkError as e:
        queue.put(str(e))


def test_a_fork_is_said():
    labels(0)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=forked, args=(queue,))
    child.start()
    assert "spawn or forkserver" in queue.get(timeout=60)
    child.join(60)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_processes(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(labels, range(3)) == [labels(i) for i in range(3)]


def test_loky():
    joblib = pytest.importorskip("joblib")
    with joblib.parallel_backend("loky"):
        assert joblib.Parallel(2)(joblib.delayed(labels)(i) for i in range(3)) == [labels(i) for i in range(3)]


def test_threads():
    got = {}
    workers = [threading.Thread(target=lambda i=i: got.update({i: labels(i)})) for i in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert got == {i: labels(i) for i in range(4)}


def python(code, **more):
    return subprocess.Popen([sys.executable, "-c", "import numpy as np\nfrom skyjoin import cluster, neighbors, stats\n" + textwrap.dedent(code)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def test_ctrl_c_ends_a_job():
    """Ctrl-C is a KeyboardInterrupt while the job is far from its end."""
    p = python("""
        import signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have what runs in the background ignore it
        told = lambda done, total: (print("at work", flush=True) if not told.said else None, setattr(told, "said", True))
        told.said = False
        try:
            stats.stat("exp(a.x) - b.x", {"x": np.arange(400000.0)}, progress=told)
        except KeyboardInterrupt:
            print("interrupted", cluster.DBSCAN().fit(np.zeros((10, 2))).labels_[0])
    """)
    assert p.stdout.readline() == "at work\n"
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=120)
    assert out == "interrupted 0\n", err


@pytest.mark.parametrize("fit", [
    lambda x, told: cluster.DBSCAN(eps=0.05, progress=told).fit(x), lambda x, told: cluster.HDBSCAN(progress=told).fit(x),
    lambda x, told: neighbors.NearestNeighbors(progress=told).fit(x).kneighbors(x),
    lambda x, told: neighbors.NearestNeighbors(progress=told, radius=0.05).fit(x).radius_neighbors_graph(),
    lambda x, told: stats.stat("exp(a.x)", {"x": x[:, 0]}, progress=told)])
def test_progress_is_a_part_of_something(fit, slow_library):
    """There always is a total, from the first call on, so that done/total is a share."""
    told = []
    with slow_library():
        fit(np.random.default_rng(0).random((5000, 2)), lambda done, total: told.append((done, total)))
    assert told and all(0 <= done <= total and total > 0 for done, total in told)


def test_an_exception_of_the_callback_passes_through():
    class Enough(Exception):
        pass

    def stop(done, total):
        raise Enough

    with pytest.raises(Enough):
        neighbors.NearestNeighbors(radius=0.3, progress=stop).fit(np.random.default_rng(0).random((100000, 3))).radius_neighbors_graph()


def test_an_interrupted_call_does_not_wait_for_its_workers(monkeypatch):
    """What a cancelled job writes into lives until it has ended, beside the caller."""
    from skyjoin import _library

    lib, may_end, ended = _library.library(), threading.Event(), threading.Event()

    class Stuck:  # a library whose jobs do not end at once
        def __getattr__(self, name):
            return getattr(lib, name)

        def skyjoin_job_wait(self, handle, ms, error):
            return _library.RUNNING

        def skyjoin_job_free(self, handle):
            may_end.wait(60)
            code = lib.skyjoin_job_free(handle)
            ended.set()
            return code

    class Enough(Exception):
        pass

    def stop(done, total):
        raise Enough

    with monkeypatch.context() as patch:
        patch.setattr(_library, "_loaded", (Stuck(), os.getpid()))
        with pytest.raises(Enough):
            cluster.DBSCAN(progress=stop).fit(np.zeros((5000, 2)))
        assert not ended.is_set()
        may_end.set()
        assert ended.wait(60)
    assert labels(0)


def test_import_loads_little():
    """skyjoin imports numpy and what numpy has loaded already, and no library before its first use."""
    code = """
import sys, numpy
before = set(sys.modules)
import skyjoin, skyjoin.cluster, skyjoin.neighbors, skyjoin.sky, skyjoin.stats, skyjoin.table
from skyjoin import _library
print([m for m in set(sys.modules) - before if m.split(".")[0] in ("sklearn", "scipy", "astropy", "pandas")], _library._loaded)
"""
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout == "[] None\n"


def test_memory_of_a_large_table():
    """A table takes little beside the arrays that it is returned in."""
    p = python("""
        import resource
        x = np.random.default_rng(0).random((100000, 2))
        n = neighbors.NearestNeighbors(radius=0.0075).fit(x)
        n.radius_neighbors_graph(x[:10])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        offsets, index, dist = n._lists(None, 0.03)
        print(before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, (index.nbytes + dist.nbytes) // 1024)
    """)
    out, err = p.communicate(timeout=300)
    before, after, result = map(int, out.split())
    assert result > 300 * 1024, result
    assert after - before < 1.15 * result, err


LIMITED = """
    import resource
    from skyjoin import sky, stats
    x = np.random.default_rng(0).random((200000, 2))
    cluster.DBSCAN(eps=0.001).fit(x[:20000])
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (LEFT << 20),) * 2)
    try:
        JOB
        print("done")
    except MemoryError as e:
        print("MemoryError")
    print(cluster.DBSCAN(eps=0.1).fit(x[:100]).labels_.shape)
"""


@pytest.mark.parametrize("left, job", [
    (20, "neighbors.LocalOutlierFactor(20).fit(x)"), (300, "cluster.HDBSCAN(20).fit(x)"), (60, "cluster.OPTICS(min_samples=5, max_eps=0.01).fit(x)"),
    (400, "neighbors.NearestNeighbors(radius=0.03).fit(x).radius_neighbors_graph()"), (300, "neighbors.NearestNeighbors(n_neighbors=200).fit(x).kneighbors()"),
    (400, "stats.stat('r < 0.01', x[:50000], reduce='pairs')"), (90, "sky.crossmatch(tuple(x.T), tuple(x[:, ::-1].T), '10 arcsec', find='all')")])
def test_too_little_address_space_is_an_error(left, job):
    """MemoryError comes before the runtime ends the process, and the next call works."""
    out, err = python(LIMITED.replace("LEFT", str(left)).replace("JOB", job)).communicate(timeout=300)
    lines = out.splitlines()
    assert lines and lines[0] in ("done", "MemoryError") and lines[1:] == ["(100,)"], err[:300]


def test_threads_of_joblibs_workers():
    from skyjoin._engine import threads_of

    old = os.environ.pop("OMP_NUM_THREADS", None)
    try:
        assert threads_of(None) == 0
        os.environ["OMP_NUM_THREADS"] = "1"
        assert threads_of(None) == 1 and threads_of(3) == 3 and threads_of(-1) == len(os.sched_getaffinity(0))
    finally:
        os.environ.pop("OMP_NUM_THREADS", None)
        if old is not None:
            os.environ["OMP_NUM_THREADS"] = old
