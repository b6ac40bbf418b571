"""Examples in docstrings."""

import doctest
import importlib
import os
import re
import subprocess

import pytest


@pytest.mark.parametrize("name", ["skyjoin.cluster", "skyjoin.neighbors", "skyjoin.sky", "skyjoin.stats", "skyjoin.table", "skyjoin._command"])
def test_examples(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0
    missing = [n for n in getattr(module, "__all__", []) if not getattr(module, n).__doc__]
    assert not missing


def test_the_page_runs(root, tmp_path, monkeypatch):
    """Every block of Python of docs/python.md, one after the other."""
    page = open(os.path.join(root, "docs", "python.md"), encoding="utf-8").read()
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    command = os.environ.get("SKYJOIN_COMMAND")
    monkeypatch.chdir(tmp_path)
    if command:
        subprocess.run([command, "gen", "sky", "-n", "4000", "-o", "field.parquet"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    names, ran = {}, 0
    for block in blocks:
        if "skyjoin.run(" in block and not command:
            continue
        exec(compile(block, "docs/python.md", "exec"), names)
        ran += 1
    assert ran >= 2
    assert names["found"].labels_.max() == 1


def test_run():
    import skyjoin

    if not os.environ.get("SKYJOIN_COMMAND"):
        pytest.skip("SKYJOIN_COMMAND is not set: the command is not tried")
    with pytest.raises(ValueError, match="--eps"):
        skyjoin.run("dbscan", "field.parquet", eps=-1)
    assert "gpus" in skyjoin.run("devices")
