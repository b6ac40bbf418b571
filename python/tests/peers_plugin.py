"""A plugin of pytest that puts our classes in the place of the peers' and writes how their tests went.

It is loaded by test_peers.py, in a process of its own.
"""

import importlib
import json
import os
import sys

import pytest

# Where a name of the peers is found, and which of our modules has it.
PLACES = {"sklearn.cluster": "skyjoin.cluster", "sklearn.neighbors": "skyjoin.neighbors", "astropy.coordinates": "skyjoin.sky",
          "astropy.coordinates.matching": "skyjoin.sky"}


def pytest_configure(config):
    """Exchange names before a test module is imported."""
    for theirs, ours in PLACES.items():
        if theirs.split(".")[0] == os.environ["PEERS"]:
            theirs, ours = importlib.import_module(theirs), importlib.import_module(ours)
            for name in set(ours.__all__) & set(dir(theirs)):
                setattr(theirs, name, getattr(ours, name))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """Find out whether a test runs code of ours."""
    ours = []

    def look(frame, event, argument):
        if frame.f_globals.get("__name__", "").startswith("skyjoin."):
            ours.append(frame)
            sys.setprofile(None)

    sys.setprofile(look)
    yield
    sys.setprofile(None)
    item.user_properties.append(("ours", bool(ours)))


outcomes = {}


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        crash = getattr(report.longrepr, "reprcrash", None)
        outcomes[report.nodeid.split("::")[-1]] = {
            "outcome": report.outcome, "ours": dict(report.user_properties).get("ours", False), "why": crash.message if crash else str(report.longrepr)}


def pytest_sessionfinish(session):
    with open(os.environ["PEERS_OUT"], "w", encoding="utf-8") as f:
        json.dump(outcomes, f)
