#!/usr/bin/env python3
"""The Python package beside its peers, in one run, as a Markdown table.

    bench/python.py [--scale 0.1] [--threads 1,0] [--rounds 3]

Needs skyjoin installed, and scikit-learn and astropy (Debian: python3-sklearn
python3-astropy). Every answer is compared with the peer's; the pairs of DDrppi, which
has no peer in Debian, with those of the command ($SKYJOIN_COMMAND) and of a recount.
Both take turns, so that what else the machine does falls on either: seconds are the
least of the rounds, ratios those of a round, of which the middle one is shown.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np


def timed(f):
    """Return the seconds, the CPU seconds and the result of a call."""
    start, cpu = time.perf_counter(), time.process_time()
    out = f()
    return time.perf_counter() - start, time.process_time() - cpu, out


def sphere(n, seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(0, 360, n), np.degrees(np.arcsin(rng.uniform(-1, 1, n)))


def jobs(scale):
    """Yield name, size, ours, theirs, comparison."""
    import astropy.coordinates as ac
    import astropy.units as u
    import sklearn.cluster
    import sklearn.neighbors

    from skyjoin import cluster, neighbors, sky

    n = int(1e6 * scale)
    rng = np.random.default_rng(0)
    x = rng.random((n, 2)) * np.sqrt(n)  # one row a unit of area
    yield ("DBSCAN", f"{n:,} × 2, eps 1.2, min 5", lambda t: cluster.DBSCAN(eps=1.2, n_jobs=t).fit(x).labels_,
           lambda t: sklearn.cluster.DBSCAN(eps=1.2, n_jobs=t or -1).fit(x).labels_, np.array_equal)
    data, query = rng.random((n // 5, 3)), rng.random((n // 10, 3))
    yield ("kneighbors", f"{len(query):,} in {len(data):,} × 3, k 5",
           lambda t: neighbors.NearestNeighbors(n_jobs=t).fit(data).kneighbors(query)[1],
           lambda t: sklearn.neighbors.NearestNeighbors(n_jobs=t or -1).fit(data).kneighbors(query)[1], np.array_equal)
    a, b = (ac.SkyCoord(*sphere(n, s), unit="deg") for s in (1, 2))

    def fresh(c):  # astropy keeps its tree in the coordinates
        return ac.SkyCoord(c.ra, c.dec)

    yield ("match_coordinates_sky", f"{n:,} × {n:,}", lambda t: sky.match_coordinates_sky(a, b, n_jobs=t)[0],
           lambda t: ac.match_coordinates_sky(fresh(a), fresh(b))[0], np.array_equal)

    def sorted_pairs(found):
        order = np.lexsort((found[1], found[0]))
        return np.stack([found[0][order], found[1][order]])

    yield ("search_around_sky", f"{n:,} × {n:,}, 60″", lambda t: np.stack(sky.search_around_sky(a, b, 60 * u.arcsec, n_jobs=t)[:2]),
           lambda t: sorted_pairs(ac.search_around_sky(fresh(a), fresh(b), 60 * u.arcsec)), np.array_equal)


def compare(threads, scale, rounds):
    """Print the line of each job."""
    t = threads or None
    for name, size, ours, theirs, same in jobs(scale):
        turns = [(timed(lambda: ours(t)), timed(lambda: theirs(t))) for _ in range(rounds)]
        equal = all(same(mine[2], other[2]) for mine, other in turns)
        wall, cpu = (np.median([other[k] / mine[k] for mine, other in turns]) for k in (0, 1))
        least = [min(turn[who][0] for turn in turns) for who in (0, 1)]
        print(f"| {name} | {size} | {threads or 'all'} | {least[0]:.3f} | {least[1]:.3f} | {wall:.1f}× | {cpu:.1f}× | {'equal' if equal else 'DIFFER'} |", flush=True)


EDGES, SIDE, LAYERS = np.geomspace(0.5, 10, 15), 100.0, 20


def recount(x):
    """Return the ordered pairs in bins of rp and π in a periodic box, by numpy, cell by cell."""
    cells = np.stack([x[:, 0] // 10, x[:, 1] // 10, x[:, 2] // 20], axis=1).astype(int) % (10, 10, 5)
    order = np.lexsort(cells.T)
    x, cells = x[order], cells[order]
    of = {}
    for cell in np.unique(cells, axis=0):
        of[tuple(cell)] = x[(cells == cell).all(axis=1)]
    counts = np.zeros((len(EDGES) - 1, LAYERS), dtype=np.uint64)
    squares = EDGES ** 2
    for (i, j, k), rows in of.items():
        near = [of.get(((i + a) % 10, (j + b) % 10, (k + c) % 5)) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]
        d = np.abs(rows[:, None, :] - np.concatenate([v for v in near if v is not None])[None, :, :])
        d = np.minimum(d, SIDE - d)
        rp, pi = d[..., 0] ** 2 + d[..., 1] ** 2, d[..., 2]
        keep = (rp >= squares[0]) & (rp < squares[-1]) & (pi < LAYERS)
        at = (np.searchsorted(squares, rp[keep], side="right") - 1) * LAYERS + pi[keep].astype(int)
        counts += np.bincount(at, minlength=counts.size).reshape(counts.shape).astype(np.uint64)
    return counts.ravel()


def of_command(x):
    """Return the ordered pairs that the command counts."""
    import skyjoin

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "box.npy")
        np.save(path, np.array(list(map(tuple, x)), dtype=[(name, "f8") for name in "xyz"]))
        out = os.path.join(folder, "dd.csv")
        skyjoin.run("corr", path, columns="x,y,z", box=SIDE, kind="rppi", los="z", bins=",".join(map(repr, EDGES.tolist())), pi=f"lin:0:{LAYERS}:{LAYERS}", output=out)
        return 2 * np.genfromtxt(out, delimiter=",", names=True)["dd"].astype(np.uint64)


def pair_counts(scale, threads):
    """Print the lines of DDrppi."""
    from skyjoin import stats

    x = np.random.default_rng(0).random((int(3e5 * scale), 3)) * SIDE
    for t in threads:
        seconds, _, got = min((timed(lambda: stats.DDrppi(1, t or None, LAYERS, EDGES, *x.T, boxsize=SIDE)["npairs"]) for _ in range(3)), key=lambda v: v[0])
        print(f"| DDrppi | {len(x):,} in a box, rp 0.5–10, π 0–20 | {t or 'all'} | {seconds:.3f} | – | – | – | ", end="")
        print("equal to the command |" if np.array_equal(got, of_command(x)) else "DIFFER from the command |", flush=True)
    part = x[::3]
    same = np.array_equal(recount(part), stats.DDrppi(1, None, LAYERS, EDGES, *part.T, boxsize=SIDE)["npairs"])
    print(f"\nDDrppi of {len(part):,} of them and a recount by numpy: {'equal' if same else 'DIFFER'}.")


MEMORY = """
import gc, re
import numpy as np
from skyjoin import neighbors
def now(what="VmRSS"):  # MiB
    return int(re.search(what + r":\\s*(\\d+) kB", open("/proc/self/status").read())[1]) / 1024
x = np.random.default_rng(0).random((100000, 2))
near = neighbors.NearestNeighbors(radius=0.06).fit(x)
near.radius_neighbors_graph(x[:10])
before, peak = now(), now("VmHWM")
offsets, index, dist = near._lists(None, 0.06155)
size, after = (offsets.nbytes + index.nbytes + dist.nbytes) / 2**20, now("VmHWM")
pairs = len(index)
del offsets, index, dist
gc.collect()
print(f"A table of {pairs:,} neighbours, {size:.0f} MiB of arrays, raises the peak of the process by {(after - peak) / size:.2f} times as much; before it the process "
      f"has {before:.0f} MiB, after del {now():.0f} MiB.")
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of rows")
    parser.add_argument("--threads", default="1,0", help="0 is all")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    threads = list(map(int, arguments.threads.split(",")))
    print("| job | size | threads | skyjoin s | peer s | ratio | ratio of CPU s | answers |\n|---|---|---|---|---|---|---|---|")
    for t in threads:
        compare(t, arguments.scale, arguments.rounds)
    pair_counts(arguments.scale, threads)
    x = np.random.default_rng(0).random((100, 2))
    from skyjoin.cluster import DBSCAN

    calls = np.array([timed(lambda: DBSCAN(eps=0.1).fit(x))[:2] for _ in range(2000)]) * 1e3
    print(f"\nA call on 100 rows: {np.median(calls[:, 0]):.3f} ms, the fastest tenth {np.quantile(calls[:, 0], 0.1):.3f} ms; CPU {calls[:, 1].mean():.3f} ms (2,000 calls).")
    code = "import time, numpy; s, c = time.perf_counter(), time.process_time(); import skyjoin.cluster; print(time.perf_counter() - s, time.process_time() - c)"
    starts = [subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.split() for _ in range(21)]
    wall, cpu = np.array(starts, dtype=float).T * 1e3
    print(f"Import beyond numpy's: {np.median(wall):.1f} ms (median of 21, the least {wall.min():.1f}), CPU {np.median(cpu):.1f} ms.")
    if arguments.scale == 1:
        print(subprocess.run([sys.executable, "-c", MEMORY], stdout=subprocess.PIPE, text=True, check=True).stdout, end="")


if __name__ == "__main__":
    main()
