#!/usr/bin/python3
"""The comparison of bench/README.md: our joins and those of Debian's packages on
the same data in one run, as ratios. `make bench-peers` installs nothing: it
needs python3-scipy, python3-sklearn, libnanoflann-dev, libann-dev and
r-cran-dbscan, and leaves out what is not there.

usage: table.py [-d DIR] [-t THREADS,...] [-r REPEATS] [FILTER]
"""
import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
arg = argparse.ArgumentParser()
arg.add_argument("-d", "--dir", default=os.path.join(tempfile.gettempdir(), "skyjoin-bench"), help="data and programs (2 GB)")
arg.add_argument("-t", "--threads", default="1,2")
arg.add_argument("-r", "--repeats", type=int, default=3, help="runs of ours; peers run once")
arg.add_argument("filter", nargs="?", default="")
arg = arg.parse_args()
os.makedirs(arg.dir, exist_ok=True)


def sky3d():
    r = np.random.default_rng(777)
    w = r.pareto(1.2, 200) + 0.05
    w /= w.sum()
    cnt = r.multinomial(500000, w)
    cen = r.random((200, 3)) * 100
    sig = 0.2 + 1.8 * r.random(200)
    parts = [cen[i] + sig[i] * r.standard_normal((cnt[i], 3)) for i in range(200)]
    parts.append(r.random((500000, 3)) * 100)
    return r.permutation(np.concatenate(parts), axis=0)


data = {
    "Unif2D": lambda: np.random.default_rng(202).random((2000000, 2)) * 100,
    "Unif3D": lambda: np.random.default_rng(203).random((2000000, 3)) * 100,
    "Unif6D": lambda: np.random.default_rng(206).random((1000000, 6)) * 100,
    "Expo2D": lambda: np.random.default_rng(240).exponential(1 / 40, (2000000, 2)),
    "Sky3": sky3d,
    "Unif3D1M": lambda: np.random.default_rng(301).random((1000000, 3)) * 100,
    "Unif3D100k": lambda: np.random.default_rng(300).random((100000, 3)) * 100,
    "Normal2D": lambda: np.random.default_rng(402).standard_normal((2500000, 2)),
    "Normal5D": lambda: np.random.default_rng(405).standard_normal((2500000, 5)),
    "Normal3D": lambda: np.random.default_rng(403).standard_normal((1000000, 3)),
    "Unif2D10M": lambda: np.random.default_rng(202).random((10000000, 2)) * 100,
}

# data, job, radius or K, peers, the answer. A table has every neighbour of every
# row, as nanoflann's has; a table of pairs has each pair once, as scipy's
# query_pairs.
jobs = [
    ("Unif2D", "table", 0.31, ["nanoflann"], "120448166"),
    ("Unif2D", "pairs", 0.31, ["scipy", "nanoflann"], "60224083"),
    ("Unif3D", "table", 1.94, ["nanoflann"], "119696852"),
    ("Unif3D", "pairs", 1.94, ["scipy", "nanoflann"], "59848426"),
    ("Expo2D", "table", 1.54e-4, ["nanoflann"], "118457304"),
    ("Expo2D", "pairs", 1.54e-4, ["scipy", "nanoflann"], "59228652"),
    ("Sky3", "table", 0.141, ["nanoflann"], "60820916"),
    ("Sky3", "pairs", 0.141, ["scipy", "nanoflann"], "30410458"),
    ("Unif2D", "count", 0.31, ["nanoflann"], "120448166"),
    ("Unif3D", "count", 1.94, ["nanoflann"], "119696852"),
    ("Unif3D", "count", 4.22, ["nanoflann"], "1200261202"),
    ("Unif6D", "count", 11.6, ["nanoflann"], "10237938"),
    ("Unif6D", "count", 15.8, ["nanoflann"], "60490904"),
    ("Unif2D", "dbscan", 0.31, [], "1 clusters, 0 noise"),
    ("Unif3D", "dbscan", 1.94, [], "1 clusters, 0 noise"),
    ("Expo2D", "dbscan", 1.54e-4, [], "3467 clusters, 244800 noise"),
    ("Expo2D", "dbscan", 4.89e-4, [], ""),
    ("Sky3", "dbscan", 0.141, ["sklearn", "R"], "814 clusters, 780922 noise"),
    ("Sky3", "dbscan+pairs", 0.141, ["sklearn", "R"], "814 clusters, 780922 noise"),
    ("Sky3", "dbscan", 0.311, [], "503 clusters, 622295 noise"),
    ("Unif6D", "dbscan", 15.8, ["R"], ""),
    ("Normal2D", "tree", 10, [], ""),
    ("Normal5D", "tree", 10, [], ""),
    ("Normal3D", "tree", 10, [], ""),
    ("Unif3D", "hdbscan", 10, [], ""),
    ("Sky3", "hdbscan", 10, [], ""),
    ("Expo2D", "hdbscan", 10, [], ""),
    ("Unif2D", "knn", 8, ["nanoflann"], "222337.455389"),
    ("Unif2D", "knn", 32, ["nanoflann"], ""),
    ("Unif3D", "knn", 8, ["nanoflann", "ANN"], "1952233.597022"),
    ("Unif3D", "knn", 32, ["nanoflann"], "3141286.721369"),
    ("Expo2D", "knn", 8, ["nanoflann"], "221.894785"),
    ("Sky3", "knn", 8, ["nanoflann"], "893961.105011"),
    ("Sky3", "knn", 32, ["nanoflann"], "1432663.579937"),
    ("Unif6D", "knn", 8, ["nanoflann"], "11116169.4469"),
    ("Unif6D", "knn", 32, ["nanoflann"], "14264596.683251"),
    ("Unif3D1M", "bins", 5.0, ["scipy"], "247318068 1649 108383491"),
    ("Unif3D100k", "sdh", 173.3, ["scipy"], "4999950000 106578 0"),
    ("Unif2D10M", "count", 0.31 / 5**0.5, [], ""),
]


def build():
    subprocess.check_call(["go", "build", "-o", os.path.join(arg.dir, "skybench"), "./bench/skybench"], cwd=os.path.dirname(here))
    for name, flags in (("nanoflann", []), ("ann", ["-lANN"])):
        if not os.path.exists(os.path.join(arg.dir, name)):
            for library in (flags, [f.lower() for f in flags]):
                done = subprocess.run(["g++", "-O3", "-march=native", "-o", os.path.join(arg.dir, name), os.path.join(here, "peers", name + ".cpp"), *library, "-lpthread"], capture_output=True)
                if done.returncode == 0:
                    break


def run(program, name, job, value, threads):
    path = os.path.join(arg.dir, name + ".npy")
    value = repr(value)
    peers = os.path.join(here, "peers")
    theirs = {"pairs": "table", "dbscan+pairs": "dbscan"}.get(job, job)
    command = {
        "ours": [os.path.join(arg.dir, "skybench"), path, job, value, str(threads)],
        "nanoflann": [os.path.join(arg.dir, "nanoflann"), path, theirs, value, str(threads)],
        "ANN": [os.path.join(arg.dir, "ann"), path, theirs, value, "1"],
        "scipy": ["/usr/bin/python3", os.path.join(peers, "python.py"), path, "scipy", theirs, value, str(threads)],
        "sklearn": ["/usr/bin/python3", os.path.join(peers, "python.py"), path, "sklearn", theirs, value, str(threads), "10"],
        "R": ["Rscript", os.path.join(peers, "dbscan.R"), path, theirs, value, "1", "10"],
    }[program]
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(program, done.stderr.strip()[-200:], file=sys.stderr)
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


# Distances that a core of the machine of bench/README.md can compute and compare
# in a second, by dimension.
peak = {2: 7.8e9, 3: 5.5e9}


def share(mine, seconds, threads):
    if mine.get("dim") not in peak:
        return ""
    return f"{mine['candidates'] / seconds / threads / peak[mine['dim']]:.0%}"


def agrees(check, answer):
    if not answer:
        return True
    if "cluster" in answer:
        return check.startswith(answer)
    if check == answer:  # several numbers
        return True
    try:
        return abs(float(check) - float(answer)) <= 1e-9 * abs(float(answer))
    except ValueError:
        return False


build()
model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=here, capture_output=True, text=True).stdout.strip()
print(f"{model}, {os.cpu_count()} cores, commit {commit}; wall seconds, median of {arg.repeats} (peers: one run), index included\n")
print("A second time (again): in the memory of the first table.\n")
print("Of peak: candidates looked at per second, of the last time and of one thread, over those a core can compare.\n")
print("| data | job | threads | ours s | again | of peak | MB | peer: s (ratio; again) | answer |")
print("|---|---|---|---|---|---|---|---|---|")
for name, job, value, peers, answer in jobs:
    label = f"{name} {job} {value:.4g}"
    if arg.filter not in label:
        continue
    path = os.path.join(arg.dir, name + ".npy")
    if not os.path.exists(path):
        np.save(path, data[name]())
    for threads in map(int, arg.threads.split(",")):
        ours = [run("ours", name, job, value, threads) for _ in range(arg.repeats)]
        if None in ours:
            sys.exit(f"{label}: ours failed")
        ours.sort(key=lambda r: r["wall"])
        mine = ours[len(ours) // 2]
        times = [mine["wall"]]
        if "again" in mine:
            times.append(sorted(r["again"] for r in ours)[len(ours) // 2])
        again = "".join(f"{s:.3f}" for s in times[1:])
        cells = []
        for peer in peers:
            # scipy's query_pairs and count_neighbors, R and ANN have one thread:
            # compared at one.
            if threads > 1 and (peer in ("R", "ANN") or peer == "scipy" and job in ("pairs", "bins", "sdh")):
                continue
            other = run(peer, name, job, value, threads)
            if other:
                ratios = "; ".join(f"{other['wall'] / s:.1f}×" for s in times)
                cells.append(f"{peer}: {other['wall']:.2f} ({ratios})")
        right = "right" if agrees(mine["check"], answer) else f"WRONG: {mine['check']}, want {answer}"
        if not answer:
            right = mine["check"]
        print(f"| {name} | {job} {value:.4g} | {threads} | {mine['wall']:.3f} | {again} | {share(mine, times[-1], threads)} | {mine['mb']} | {', '.join(cells)} | {right} |", flush=True)
