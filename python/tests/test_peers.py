"""The peers' own test modules, run from the installed packages with our names in place of theirs."""

import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = {"sklearn": "1.2.1", "astropy": "5.2.1"}  # of the table


def table():
    """Return the rows of peers.txt by module, and the cases that pass there."""
    rows, passes = {}, {}
    with open(os.path.join(HERE, "peers.txt"), encoding="utf-8") as f:
        for line in map(str.strip, f):
            if line and not line.startswith("#"):
                if " | " not in line:
                    module, number = line.split(": ")
                    rows[module], passes[module] = [], int(number)
                else:
                    rows[module].append([v.strip() for v in re.split(r" \|(?= )", line)])
    return rows, passes


ROWS, PASSES = table()


def is_of(row, test):
    """Tell whether a row of the table is about a test."""
    name, _, parameters = test.partition("[")
    pattern = row[1]
    if pattern.startswith("not "):
        return name == row[0] and not re.search(pattern[4:], parameters)
    return name == row[0] and re.search(pattern, parameters) is not None


@pytest.mark.parametrize("module", ROWS)
def test_peers_own_tests(module, tmp_path):
    peer = importlib.import_module(module.split(".")[0])
    if not peer.__version__.startswith(VERSIONS[peer.__name__]):
        pytest.skip(f"the table of what fails is of {peer.__name__} {VERSIONS[peer.__name__]}, this is {peer.__version__}")
    got = outcomes(module, tmp_path)
    wrong, passed = [], 0
    for test, found in got.items():
        rows = [row for row in ROWS[module] if is_of(row, test)]
        passed += found["outcome"] == "passed" and found["ours"]
        if found["outcome"] == "failed" and not rows:
            wrong.append(f"{test}: {found['why'][:300]}")
        elif rows and found["outcome"] != "failed":
            wrong.append(f"{test}: {found['outcome']}, though {rows[0][3]!r} is given as why it fails")
        elif rows and not re.search(rows[0][2], found["why"]):
            wrong.append(f"{test}: fails not by {rows[0][2]!r} but by {found['why'][:300]}")
    wrong += [f"{row}: there is no such test" for row in ROWS[module] if not any(is_of(row, test) for test in got)]
    assert not wrong, "\n".join(wrong)
    assert passed == PASSES[module]


def test_sklearns_hdbscan():
    if importlib.util.find_spec("sklearn.cluster.tests.test_hdbscan") is None:
        pytest.skip("scikit-learn has HDBSCAN from 1.3 on")
    pytest.fail("scikit-learn has a test_hdbscan here: add what fails with ours to peers.txt")


def outcomes(module, folder):
    """Return how the tests of a module went, by name."""
    path = folder / "outcomes.json"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=line", "-W", "ignore", "-p", "no:cacheprovider", "-p", "peers_plugin", "--pyargs", module],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PEERS": module.split(".")[0], "PEERS_OUT": str(path), "SKLEARN_RUN_FLOAT32_TESTS": "1",
             "PYTHONPATH": os.pathsep.join(filter(None, [HERE, os.environ.get("PYTHONPATH")]))})
    assert path.exists(), done.stdout[-2000:]
    return json.loads(path.read_text())
