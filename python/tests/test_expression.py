"""Statistics of expressions against numpy."""

import math
import os
import subprocess

import astropy.coordinates as ac
import astropy.table
import astropy.units as u
import numpy as np
import pytest

from skyjoin import stats

BOX = np.array([8.0, 0.0])


def wrapped(d, side):
    """Return differences to the nearest image."""
    around = side - np.abs(d)
    return d if side == 0 else np.where(around < np.abs(d), np.copysign(around, -d), d)


class Sides:
    """The names of the language as arrays of all pairs."""

    def __init__(self, a, b, box):
        self.names = {}
        for name in a:
            self.names[f"a.{name}"], self.names[f"b.{name}"] = a[name][:, None], b[name][None, :]
        inside = [{k: v[k] % side if side else v[k] for k, side in zip("xy", box)} for v in (a, b)]
        self.names["dx"], self.names["dy"] = (wrapped(inside[0][k][:, None] - inside[1][k][None, :], side) for k, side in zip("xy", box))
        self.names["r"] = np.sqrt(self.names["dx"] ** 2 + self.names["dy"] ** 2)
        self.names["a[1]"], self.names["b[0]"] = self.names["a.y"], self.names["b.x"]
        self.names["dot(a, b)"] = self.names["a.x"] * self.names["b.x"] + self.names["a.y"] * self.names["b.y"]


def grow(rng, names, depth):
    """Return a random number of the language, and its values of all pairs. Each operation is rounded as numpy rounds it."""
    if depth == 0 or rng.random() < 0.1:
        if rng.random() < 0.2:
            k = round(float(rng.uniform(-3, 3)), 3)
            return f"({k})", np.float64(k)
        name = str(rng.choice(list(names)))
        return name, names[name]
    (s, x), (t, y) = grow(rng, names, depth - 1), grow(rng, names, depth - 1)
    kind = int(rng.integers(12))
    return [
        lambda: (f"({s} + {t})", x + y), lambda: (f"({s} - {t})", x - y), lambda: (f"({s} * {t})", x * y),
        lambda: (f"({s} / (1 + abs({t})))", x / (1 + np.abs(y))), lambda: (f"sqrt(abs({s}))", np.sqrt(np.abs(x))), lambda: (f"-{s}", -x),
        lambda: (f"min({s}, {t})", np.minimum(x, y)), lambda: (f"max({s}, {t})", np.maximum(x, y)), lambda: (f"floor({s})", np.floor(x)),
        lambda: (f"({s})^2", x * x), lambda: (f"({s})^3", x * x * x), lambda: (f"abs({s})", np.abs(x)),
    ][kind]()


def condition(rng, names):
    (s, x), (t, y) = grow(rng, names, 2), grow(rng, names, 2)
    (v, z), bound = grow(rng, names, 1), round(float(rng.uniform(-2, 2)), 2)
    return f"{s} < {t} and not {v} >= {bound} or {v} between {bound} and {bound + 1}", (x < y) & ~(z >= bound) | (z >= bound) & (z <= bound + 1)


@pytest.mark.parametrize("seed", range(120))
def test_random_expressions_are_numpys(seed):
    rng = np.random.default_rng(7000 + seed)
    n, m = int(rng.integers(2, 60)), int(rng.integers(1, 70))

    def catalog(rows):
        kind = rng.choice([np.float64, np.float32])
        return {"x": rng.normal(0, 4, rows).astype(kind), "y": rng.normal(0, 4, rows), "w": rng.integers(0, 9, rows)}

    a, other = catalog(n), catalog(m) if rng.integers(2) else None
    box = BOX if rng.integers(2) else np.zeros(2)
    wide = [{k: v.astype(np.float64) for k, v in c.items()} for c in (a, a if other is None else other)]
    names = Sides(*wide, box).names
    how = dict(columns=["x", "y"], n_jobs=int(rng.integers(1, 4)), metric="periodic", metric_params={"box": box})
    if not box.any() and rng.integers(2):
        del how["metric"], how["metric_params"]
    met = np.ones((n, n if other is None else m), dtype=bool)
    apart = met.copy()
    if other is None:
        np.fill_diagonal(apart, False)
        once = bool(rng.integers(2))
        how["meet"] = "once" if once else "both"
        met = np.triu(met, 1) if once else apart
    of_rows = {**how, "meet": "auto", "per_row": True}
    text, values = grow(rng, names, 4)
    values = np.broadcast_to(values, met.shape)
    assert stats.stat(text, a, other, **how) == math.fsum(values[met]), text
    each = stats.stat(text, a, other, **of_rows)
    assert list(each) == [math.fsum(v[k]) for v, k in zip(values, apart)]
    for reduce, pick, none in (("min", np.argmin, np.inf), ("max", np.argmax, -np.inf)):
        best, row = stats.stat(text, a, other, reduce=reduce, **of_rows)
        there = np.where(apart, values, none)
        assert np.array_equal(row, pick(there, axis=1)) and np.array_equal(best, there[np.arange(n), row])
    edges = np.unique(np.round(rng.uniform(-10, 20, 7), 1))
    got = stats.stat(text, a, other, reduce="hist", bins=edges, **how)
    assert list(got.counts) == [((values >= lo) & (values < hi) & met).sum() for lo, hi in zip(edges, edges[1:])]
    assert (got.below, got.beyond, got.nan) == ((values[met] < edges[0]).sum(), (values[met] >= edges[-1]).sum(), 0)
    text, true = condition(rng, names)
    true = np.broadcast_to(true, met.shape)
    assert stats.stat(text, a, other, reduce="count", **how) == (true & met).sum(), text
    for ours, want in zip(stats.stat(text, a, other, reduce="pairs", **how), np.nonzero(true & met)):
        assert np.array_equal(ours, want)
    assert np.array_equal(stats.stat(text, a, other, reduce="count", **of_rows), (true & apart).sum(axis=1))


def test_forms_that_commute_are_met_once():
    x = {"x": np.array([1.0, 2, 4])}
    assert stats.stat("abs(a.x - b.x)", x) == 1 + 3 + 2
    assert stats.stat("a.x - b.x", x, reduce="hist", bins=[-5, 0, 5]).counts.tolist() == [3, 3]
    assert stats.stat("a.x < b.x", x, reduce="pairs")[0].tolist() == [0, 0, 1]


def test_angles_are_astropys():
    rng = np.random.default_rng(8)
    a = ac.SkyCoord(rng.uniform(0, 360, 40), rng.uniform(-90, 90, 40), unit="deg")
    b = ac.SkyCoord(np.append(rng.uniform(0, 360, 49), (a[0].ra.deg + 180) % 360), np.append(rng.uniform(-90, 90, 49), -a[0].dec.deg), unit="deg")
    want = a[:, None].separation(b[None, :]).deg
    nearest, row = stats.stat("r", a, b, metric="sky", reduce="min", per_row=True)
    assert np.array_equal(row, want.argmin(axis=1)) and np.allclose(nearest, want.min(axis=1), rtol=0, atol=1e-12)
    assert abs(stats.stat("r", a[:1], b[-1:], metric="sky") - 180) < 1e-12
    # Of one declination the difference of RA goes the short way; columns in radians say so.
    t = astropy.table.QTable({"lon": [6.2, 0.1] * u.rad, "lat": [0.0, 0.0] * u.rad})
    dlon = stats.stat("abs(dlon)", t, columns=["lon", "lat"], metric="sky")
    assert abs(dlon - np.degrees(2 * np.pi - 6.1)) < 1e-12
    assert abs(stats.stat("r", t, columns=["lon", "lat"], metric="sky") - dlon) < 1e-12
    far = {"ra": [0.0, 90], "dec": [0.0, 0], "d": [3.0, 4]}
    assert abs(stats.stat("r", far, columns=["ra", "dec", "d"], metric="sky-distance") - 5) < 1e-14


def test_the_command_says_the_same(tmp_path):
    command = os.environ.get("SKYJOIN_COMMAND")
    if not command:
        pytest.skip("SKYJOIN_COMMAND is not set: the command is not tried")
    path = tmp_path / "points.csv"
    rows = np.random.default_rng(9).normal(size=(300, 3))
    np.savetxt(path, rows, delimiter=",", header="x,y,m", comments="", fmt="%.17g")
    for text, flags in (("exp(-r/2) * a.m", ["-c", "x,y"]), ("hypot(dx, dy)^0.5 + cos(a.m * b.m)", ["-c", "x,y"]), ("log(abs(a.m)) // 1 % 3", [])):
        got = subprocess.run([command, "stat", str(path), *flags, "--expr", text, "--reduce", "sum", "-o", "-", "-q"], check=True, stdout=subprocess.PIPE,
                             text=True).stdout
        assert float(got.split()[1]) == stats.stat(text, dict(zip("xym", rows.T)), columns=["x", "y"]), text


def test_columns_are_those_that_are_read():
    t = {"x": [0.0, 1], "name": ["p", "q"], "bad": [np.nan, 1], "id": [1 << 60, 5], "a b": [2.0, 3]}
    assert stats.stat('"a.a b" * "b.a b"', t) == 6 and stats.stat("abs(dx)", t, columns=["x"]) == 1
    assert stats.stat("a.x < 1", t, {"only": ["text", "of", "three"]}, reduce="count") == 3
    assert stats.stat("r", np.eye(2)) == math.sqrt(2)
    assert stats.stat("r", np.eye(2)[:0]) == 0
    for expression, more, text in (
            ("a.name < b.x", {}, "takes numbers|take numbers"), ("a.bad * b.bad", {}, "contains NaN"), ("a.id - b.id", {}, "1152921504606846976"),
            ("a.nope", {}, "no column nope"), ("a.x +", {}, "expression"), ("a.x", {"reduce": "count"}, "condition"), ("a.x", {"reduce": "min"}, "each row"),
            ("a.x", {"reduce": "hist"}, "bins"), ("a.x", {"reduce": "hist", "bins": [2, 1]}, "ascend"), ("a.x", {"reduce": "median"}, "median"),
            ("r", {}, "coordinates"), ("r", {"columns": ["x"], "metric": "sky"}, "1 coordinates on the sky"), (3, {}, "must be text"),
            ("r", {"columns": ["x"], "metric": "manhattan"}, "manhattan"), ("a.x", {"meet": "once", "per_row": True}, "meets all others")):
        with pytest.raises(ValueError, match=text):
            stats.stat(expression, t, **more)
    with pytest.raises(KeyError, match="'nope'"):
        stats.stat("r", t, columns=["nope"])


def test_limits():
    x = {"x": np.zeros(20000)}
    with pytest.raises(MemoryError, match="allowed"):
        stats.stat("a.x = b.x", x, reduce="pairs", memory="1MiB")

    class Enough(Exception):
        pass

    def stop(done, total):
        assert total == 20000 * 19999
        raise Enough

    with pytest.raises(Enough):
        stats.stat("exp(a.x) - b.x", x, progress=stop)
