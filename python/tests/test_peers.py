"""The peers' own test modules, run from the installed packages with our names in place of theirs."""

import importlib
import inspect
import itertools
import unittest
import warnings

import numpy as np
import pytest

from skyjoin import cluster, neighbors, sky

# What fails with ours, and why. A call that is handed on to scikit-learn is no pass.
FAILS = {
    "sklearn.cluster.tests.test_dbscan": {
        "test_dbscan_similarity": "metric='precomputed' is not ours",
        "test_dbscan_sparse": "sparse input is not ours",
        "test_dbscan_sparse_precomputed": "metric='precomputed' is not ours",
        "test_dbscan_sparse_precomputed_different_eps": "metric='precomputed' is not ours",
        "test_dbscan_input_not_modified[precomputed-True]": "metric='precomputed' is not ours",
        "test_dbscan_input_not_modified[precomputed-False]": "metric='precomputed' is not ours",
        "test_dbscan_input_not_modified[minkowski-True]": "sparse input is not ours",
        "test_dbscan_no_core_samples": "half of it is about sparse input",
        "test_dbscan_callable": "functions as metrics are not ours",
        "test_dbscan_metric_params": "p other than 2 is not ours",
        "test_dbscan_balltree": "p other than 2 is not ours",
        "test_weighted_dbscan": "metric='precomputed' is not ours",
        "test_dbscan_precomputed_metric_with_degenerate_input_arrays": "metric='precomputed' is not ours",
        "test_dbscan_precomputed_metric_with_initial_rows_zero": "metric='precomputed' is not ours",
    },
    "astropy.coordinates.tests.test_matching": {
        "test_kdtree_storage": "about astropy's cache of its own tree",
        "test_python_kdtree": "about astropy's own tree",
    },
}


def cases(module):
    """Return the calls of a module's tests, their parametrisation written out."""
    for name, test in inspect.getmembers(module, inspect.isfunction):
        if not name.startswith("test_") or test.__module__ != module.__name__:
            continue
        marks = getattr(test, "pytestmark", [])
        sets = []
        for mark in marks:
            if mark.name == "parametrize":
                names = [n.strip() for n in mark.args[0].split(",")] if isinstance(mark.args[0], str) else list(mark.args[0])
                sets.append([dict(zip(names, v if len(names) > 1 else (v,))) for v in mark.args[1]])
        for chosen in itertools.product(*sets):
            arguments = {k: getattr(v, "values", [v])[0] if type(v).__name__ == "ParameterSet" else v for d in chosen for k, v in d.items()}
            shown = "-".join(getattr(v, "__name__", str(v)) for v in arguments.values())
            yield f"{name}[{shown}]" if arguments else name, test, arguments


def run(module_name, names):
    module = importlib.import_module(module_name)
    for name, ours in names.items():
        assert hasattr(module, name)
        setattr(module, name, ours)
    known, seen, wrong, passed = FAILS[module_name], set(), [], 0
    for name, test, arguments in cases(module):
        reason = {name, name.split("[")[0]} & set(known)
        seen |= reason
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                test(**arguments)
        except (unittest.SkipTest, pytest.skip.Exception):
            continue
        except Exception as e:  # noqa: BLE001
            if not reason:
                wrong.append(f"{name}: {type(e).__name__} {str(e)[:200]}")
            continue
        passed += 1
        if reason:
            wrong.append(f"{name}: passes, though {known[reason.pop()]!r} is given as what it fails by")
    assert not wrong, "\n".join(wrong)
    assert seen == set(known), f"tests that are not there: {set(known) - seen}"
    return passed


def test_sklearns_dbscan():
    assert run("sklearn.cluster.tests.test_dbscan", {"DBSCAN": cluster.DBSCAN, "dbscan": cluster.dbscan}) == 8


def test_astropys_matching():
    import sys
    import astropy.coordinates as real

    names = {n: getattr(real, n) for n in dir(sky) if n in sky.__all__ and hasattr(real, n)}
    import astropy.coordinates.matching as matching

    try:
        for n in names:
            setattr(real, n, getattr(sky, n))
            setattr(matching, n, getattr(sky, n))
        module = "astropy.coordinates.tests.test_matching"
        ours = {n: getattr(sky, n) for n in names if hasattr(importlib.import_module(module), n)}
        assert run(module, ours) == 8
    finally:
        for n, v in names.items():
            setattr(real, n, v)
            setattr(matching, n, v)
        sys.modules.pop("astropy.coordinates.tests.test_matching", None)
