#!/usr/bin/python3
"""KNN classification by us and by scikit-learn's kd_tree, one after the other.

    make && bench/classify.py [--threads 1,2] [--queries 1000000]

100,000 training rows and a million queries of 5 features in 6 overlapping
classes (seeded numpy), k = 15, uniform votes. Ours is the time of indexing,
joining and voting (seconds.join of the summary, in which nothing is read or
written), theirs that of fit and predict with n_jobs threads. The classes are
compared: they may differ where a vote is tied only.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time

import numpy as np
from astropy.table import Table
from sklearn.neighbors import KNeighborsClassifier


def data(n, rng, centres):
    label = rng.integers(0, len(centres), n)
    return centres[label] + rng.normal(size=(n, 5)), label.astype(np.int32)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--cluster", default="bin/cluster", help="the command")
    p.add_argument("--threads", default="1,2")
    p.add_argument("--train", type=int, default=100_000)
    p.add_argument("--queries", type=int, default=1_000_000)
    p.add_argument("-k", type=int, default=15)
    p.add_argument("--repeats", type=int, default=3, help="of ours; theirs run once")
    a = p.parse_args()
    rng = np.random.default_rng(8)
    centres = rng.normal(scale=1.2, size=(6, 5))
    x, y = data(a.train, rng, centres)
    q, _ = data(a.queries, rng, centres)
    names = [f"f{i}" for i in range(5)]
    with tempfile.TemporaryDirectory() as d:
        train, query, out = (os.path.join(d, n) for n in ("train.fits", "query.fits", "out.fits"))
        t = Table(x, names=names)
        t["label"] = y
        t.write(train)
        Table(q, names=names).write(query)
        for threads in map(int, a.threads.split(",")):
            ours = []
            for _ in range(a.repeats):
                r = subprocess.run(
                    [a.cluster, "classify", "--train", train, "--label", "label", "--features", ",".join(names), "-k", str(a.k),
                     query, "-o", out, "--force", "--json", "-q", "-t", str(threads), "-d", "cpu"],
                    check=True, capture_output=True)
                s = json.loads(r.stdout)
                ours.append(s["seconds"]["join"] + s["seconds"]["index"])
            got = Table.read(out)
            start = time.perf_counter()
            model = KNeighborsClassifier(a.k, algorithm="kd_tree", n_jobs=threads).fit(x, y)
            want = model.predict(q)
            theirs = time.perf_counter() - start
            differ = np.asarray(got["predicted"]) != want
            ties = np.asarray(got["tie"])
            print(f"{threads} threads: ours {min(ours):.3f} s (of {', '.join(f'{t:.3f}' for t in ours)}), scikit-learn {theirs:.2f} s, "
                  f"{theirs / min(ours):.1f} times; {ties.sum()} ties, {differ.sum()} rows differ, {np.sum(differ & ~ties)} of them without a tie; "
                  f"peak {s['peak_memory_bytes'] / 2**20:.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
