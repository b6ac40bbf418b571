#!/usr/bin/env python3
"""The Python package beside its peers, in one run, as a Markdown table.

    bench/python.py [--scale 0.1] [--threads 1,0]

Needs skyjoin installed, and scikit-learn and astropy (Debian: python3-sklearn
python3-astropy). Every answer is compared with the peer's. Seconds are the least of
three runs, of peers that take over ten seconds one.
"""

import argparse
import subprocess
import sys
import time

import numpy as np

def best(f):
    times = []
    while len(times) < 3 and (not times or times[0] < 10):
        start = time.perf_counter()
        out = f()
        times.append(time.perf_counter() - start)
    return min(times), out


def sphere(n, seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(0, 360, n), np.degrees(np.arcsin(rng.uniform(-1, 1, n)))


def jobs(scale):
    """Yield name, size, ours, theirs, comparison."""
    import astropy.coordinates as ac
    import astropy.units as u
    import sklearn.cluster
    import sklearn.neighbors

    from skyjoin import cluster, neighbors, sky, stats

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
    box = rng.random((int(3e5 * scale), 3)) * 100
    yield ("DDrppi", f"{len(box):,} in a box, rp 0.5–10, π 0–20", lambda t: stats.DDrppi(
        1, t, 20, np.geomspace(0.5, 10, 15), *box.T, boxsize=100)["npairs"], None, None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of rows")
    parser.add_argument("--threads", default="1,0", help="0 is all")
    arguments = parser.parse_args()
    print("| job | size | threads | skyjoin s | peer s | ratio | answers |\n|---|---|---|---|---|---|---|")
    for threads in map(int, arguments.threads.split(",")):
        t = threads or None
        for name, size, ours, theirs, same in jobs(arguments.scale):
            mine, got = best(lambda: ours(t))
            if theirs is None:
                print(f"| {name} | {size} | {threads or 'all'} | {mine:.3f} | – | – | – |", flush=True)
                continue
            other, want = best(lambda: theirs(t))
            print(f"| {name} | {size} | {threads or 'all'} | {mine:.3f} | {other:.3f} | {other / mine:.1f}× | {'equal' if same(got, want) else 'DIFFER'} |",
                  flush=True)
    x = np.random.default_rng(0).random((100, 2))
    from skyjoin.cluster import DBSCAN

    calls = []
    for _ in range(200):
        start = time.perf_counter()
        DBSCAN(eps=0.1).fit(x)
        calls.append(time.perf_counter() - start)
    print(f"\nA call on 100 rows: {np.median(calls) * 1e3:.3f} ms (median of 200).")
    code = "import time, numpy; s = time.perf_counter(); import skyjoin.cluster; print(time.perf_counter() - s)"
    starts = [float(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout) for _ in range(11)]
    print(f"Import beyond numpy's: {np.median(starts) * 1e3:.1f} ms (median of 11).")


if __name__ == "__main__":
    main()
