"""Answers of a GPU beside those of the CPU, under Python: python device_answers.py [rows].

Needs numpy and skyjoin alone, so it runs where there is a card and little else. Prints a
table of what was asked, whether the answers have the same bits, and the seconds of both;
the status is 1 unless all are the same. Expressions have no function, as exp, that
CUDA rounds in its own way. test_device.py runs it on the emulator.
"""

import sys
import time

import numpy as np

import skyjoin
from skyjoin import cluster, neighbors, sky, stats


def jobs(n):
    """Yield names and functions of a device that return arrays; n rows, fewer where a job takes longer."""
    rng = np.random.default_rng(0)
    x, y, z = rng.random((n, 2)), rng.random((n, 3)), rng.random((n, 6))
    q, w, few = rng.random((n // 7, 2)), rng.random(n), n // 3
    lumps = np.concatenate([rng.normal(c, s, (few // 4, 2)) for c, s in ((0.2, 0.02), (0.5, 0.05), (0.8, 0.01))] + [rng.random((few // 4, 2))])
    classes, r = rng.integers(0, 3, n), np.sqrt(8 / n / np.pi)  # some 8 neighbours
    r3 = (8 / n * 0.75 / np.pi) ** (1 / 3)

    def dbscan(rows, **more):
        def run(device):
            found = cluster.DBSCAN(**{"eps": r, **more}, device=device).fit(rows)
            return [found.labels_, found.core_sample_indices_, found.predict(rows[:99])] + ([found.counts_] if "counts" in more else [])

        return run

    yield "DBSCAN", dbscan(x)
    yield "DBSCAN, counts, nearest border", dbscan(x, counts=True, border="nearest")
    yield "DBSCAN, float32", dbscan(x.astype(np.float32), min_samples=4)
    yield "DBSCAN, 3-D", dbscan(y, eps=r3)
    yield "DBSCAN, 6-D", dbscan(z[:few], eps=0.25)
    yield "DBSCAN, sky", dbscan(x * (360, 90), eps=f"{r * 120} deg", metric="sky", min_samples=3)
    yield "DBSCAN, periodic", dbscan(x, metric="periodic", metric_params={"box": 1})

    def near(device):
        return neighbors.NearestNeighbors(n_neighbors=4, radius=r, device=device).fit(x)

    yield "kneighbors", lambda d: near(d).kneighbors(q)
    yield "kneighbors of itself", lambda d: near(d).kneighbors()
    yield "radius table", lambda d: near(d)._lists(q, r)
    yield "radius table, 3-D", lambda d: neighbors.NearestNeighbors(radius=r3, device=d).fit(y)._lists(None, None)
    yield "votes, k nearest", lambda d: [neighbors.KNeighborsClassifier(5, device=d).fit(x, classes).predict_proba(q)]
    yield "votes, radius, by distance", lambda d: [neighbors.RadiusNeighborsRegressor(3 * r, weights="distance", device=d).fit(x, w).predict(q)]
    yield "local outlier factor", lambda d: [neighbors.LocalOutlierFactor(5, device=d).fit(x).negative_outlier_factor_]

    def hdbscan(device, **more):
        found = cluster.HDBSCAN(10, device=device, **more).fit(lumps)
        return found.labels_, found.probabilities_, found.outlier_scores_, found.core_distances_, found.linkage_, found.predict(lumps[:99])

    yield "HDBSCAN", hdbscan
    yield "HDBSCAN, leaf, ties as scikit-learn", lambda d: hdbscan(d, cluster_selection_method="leaf", ties="sklearn")

    def optics(device):
        found = cluster.OPTICS(max_eps=0.02, device=device).fit(lumps)
        return found.labels_, found.ordering_, found.reachability_, found.core_distances_, found.predecessor_

    yield "OPTICS", optics
    yield "crossmatch, best", lambda d: sky.crossmatch((x[:, 0], x[:, 1]), (q[:, 0], q[:, 1]), f"{r} deg", device=d)
    yield "crossmatch, all", lambda d: sky.crossmatch((x[:, 0], x[:, 1]), (q[:, 0], q[:, 1]), f"{r} deg", find="all", join="1or2", device=d)
    yield "link", lambda d: [sky.link((x[:, 0], x[:, 1]), f"{r} deg", device=d)]
    edges = np.geomspace(r3 / 2, 3 * r3, 8)
    weighted = dict(weights1=w, weight_type="pair_product")
    yield "DD", lambda d: [stats.DD(1, None, edges, *y.T, boxsize=1.0, device=d)]
    yield "DD, weights, means", lambda d: [stats.DD(1, None, edges, *y.T, periodic=False, output_ravg=True, device=d, **weighted)]
    yield "DDrppi", lambda d: [stats.DDrppi(1, None, 3 * r3, edges, *y.T, boxsize=1.0, npibins=4, device=d)]
    yield "DDsmu, weights", lambda d: [stats.DDsmu(1, None, edges, 1.0, 5, *y.T, periodic=False, device=d, **weighted)]
    yield "DDtheta", lambda d: [stats.DDtheta(1, None, [0.5 * r, r, 2 * r], x[:, 0], x[:, 1], device=d)]

    def correlation(device):
        one = stats.Catalog(x=x[:, 0], y=x[:, 1], w=w, patch=(x[:, 0] * 4).astype(int))
        found = stats.NNCorrelation(min_sep=r, max_sep=4 * r, nbins=4, device=device).process(one)
        return found.npairs, found.weight, found.meanr, found.meanlogr, *found._patches

    yield "NNCorrelation, patches", correlation
    few = n // 6  # each meets all
    halos = {"x": x[:few, 0], "y": x[:few, 1], "m": w[:few]}
    how = dict(columns=["x", "y"])
    yield "stat, sum", lambda d: [np.array(stats.stat("a.m * b.m / (1 + r)", halos, device=d, **how))]
    yield "stat, sum of each row", lambda d: [stats.stat("sqrt(r) * b.m", halos, per_row=True, device=d, **how)]
    yield "stat, histogram", lambda d: stats.stat("r", halos, reduce="hist", bins=np.linspace(0, 1, 9), metric="periodic", metric_params={"box": 1}, device=d, **how)
    yield "stat, pairs", lambda d: stats.stat(f"r < {r} and a.m < b.m", halos, reduce="pairs", device=d, **how)
    yield "stat, nearest", lambda d: stats.stat("r", halos, reduce="min", per_row=True, device=d, **how)
    yield "stat, sky", lambda d: [np.array(stats.stat("r", halos, metric="sky", device=d, **how))]


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    print("GPUs:", ", ".join(skyjoin.devices()) or "none")
    print(f"{n:,} rows\n\n| job | values | answers | CPU s | GPU s |\n|---|---|---|---|---|")
    differ = failed = 0
    for name, job in jobs(n):
        answers, seconds = [], []
        try:
            for device in ("cpu", "gpu"):
                start = time.perf_counter()
                answers.append([np.asarray(v) for v in job(device)])
                seconds.append(time.perf_counter() - start)
        except skyjoin.DeviceError as e:
            print(f"| {name} | – | {e} | {seconds[0]:.2f} | – |", flush=True)
            failed += 1
            continue
        cpu, gpu = answers
        same = len(cpu) == len(gpu) and all(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in zip(cpu, gpu))
        differ += not same
        print(f"| {name} | {sum(a.size for a in cpu):,} | {'equal' if same else 'DIFFER'} | {seconds[0]:.2f} | {seconds[1]:.2f} |", flush=True)
    print(f"\n{differ} differ, {failed} failed")
    sys.exit(differ + failed > 0)


if __name__ == "__main__":
    main()
