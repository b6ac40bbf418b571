#!/usr/bin/python3
"""scipy and scikit-learn. usage: python.py FILE.npy scipy|sklearn count|table|knn|dbscan|bins|sdh EPS|K THREADS [MINPTS]"""
import json
import resource
import sys
import time

import numpy as np

file, peer, job, arg, threads = sys.argv[1:6]
arg, threads = float(arg), int(threads)
X = np.load(file)


def used():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime


if peer == "scipy":
    from scipy.spatial import cKDTree
else:
    from sklearn.cluster import DBSCAN
w0, c0 = time.perf_counter(), used()
if peer == "scipy":
    tree = cKDTree(X)
    if job == "count":
        check = str(int(tree.query_ball_point(X, arg, workers=threads, return_length=True).sum()) - len(X))
    elif job == "table":
        check = str(2 * len(tree.query_pairs(arg, output_type="ndarray")))
    elif job in ("bins", "sdh"):
        edges = np.geomspace(arg / 50, arg, 21) if job == "bins" else np.linspace(0, arg, 101)
        within = (tree.count_neighbors(tree, edges) - len(X)) // 2
        counts = np.diff(within)
        check = "%d %d %d" % (counts.sum(), counts[0], counts[-1])
    else:
        d, _ = tree.query(X, int(arg) + 1, workers=threads)
        check = "%.6f" % d[:, -1].sum()
else:
    m = DBSCAN(eps=arg, min_samples=int(sys.argv[6]), algorithm="kd_tree", n_jobs=threads).fit(X)
    check = "%d clusters, %d noise, %d core" % (m.labels_.max() + 1, (m.labels_ < 0).sum(), len(m.core_sample_indices_))
w, c = time.perf_counter() - w0, used() - c0
print(json.dumps({"wall": round(w, 4), "cpu": round(c, 4), "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, "check": check}))
