"""Examples in docstrings."""

import doctest
import importlib
import inspect
import os
import re
import subprocess
import warnings

import pytest


@pytest.mark.parametrize("name", ["skyjoin.cluster", "skyjoin.neighbors", "skyjoin.sky", "skyjoin.stats", "skyjoin._correlation", "skyjoin._expression", "skyjoin.table", "skyjoin._command"])
def test_examples(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0
    missing = [n for n in getattr(module, "__all__", []) if not getattr(module, n).__doc__]
    assert not missing


PUBLIC = ("cluster", "neighbors", "sky", "stats", "table")


def public():
    """Yield names, functions or constructors, and docstrings of all that is public."""
    for module in map(importlib.import_module, ("skyjoin." + name for name in PUBLIC)):
        for name in module.__all__:
            thing = getattr(module, name)
            yield f"{module.__name__}.{name}", thing.__init__ if inspect.isclass(thing) else thing, thing.__doc__
            if inspect.isclass(thing):
                for method, f in inspect.getmembers(thing, inspect.isfunction):
                    if not method.startswith("_") and f.__module__.startswith("skyjoin"):
                        yield f"{module.__name__}.{name}.{method}", f, f.__doc__


def test_docstrings_are_numpydocs():
    """Every public docstring has the form of numpydoc, and its parameters are those of the signature."""
    docscrape = pytest.importorskip("numpydoc.docscrape", reason="numpydoc is not installed: the form of docstrings is not looked at")
    wrong, seen = [], 0
    for name, f, text in public():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            doc = docscrape.NumpyDocString(inspect.cleandoc(text))
        named = {n.strip().lstrip("*") for p in doc["Parameters"] for n in p.name.split(",")}
        have = set(inspect.signature(f).parameters) - {"self"}
        seen += 1
        if not doc["Summary"] or named - have or named and have - named:
            wrong.append(f"{name}: {sorted(named ^ have)}")
    assert not wrong and seen > 60, "\n".join(wrong)


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
    with pytest.raises(ValueError, match="name of a command"):
        skyjoin.run()
    with pytest.raises(ValueError, match='unknown command "zzz"'):
        skyjoin.run("zzz")
    with pytest.raises(ValueError, match="--eps"):
        skyjoin.run("dbscan", "field.parquet", eps=-1)
    assert "gpus" in skyjoin.run("devices")


def test_stubs_are_those_of_the_signatures(root):
    import sys

    path = os.path.dirname(os.path.dirname(importlib.import_module("skyjoin").__file__))
    subprocess.run([sys.executable, os.path.join(root, "python", "stubs.py"), "--check"], check=True, env={**os.environ, "PYTHONPATH": path})


def test_two_commands_lead_to_a_catalog_and_its_figure(root, tmp_path):
    """Those of docs/python.md: test.sh has carried out the first in a new environment, this is the second."""
    import sys
    import xml.dom.minidom

    page = open(os.path.join(root, "docs", "python.md"), encoding="utf-8").read()
    install, script = re.findall(r"^\t(pip .*|python .*)$", page, re.M)
    assert install == "pip install ./python"
    subprocess.run([sys.executable, os.path.join(root, script.split()[1])], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    lines = (tmp_path / "clusters.csv").read_text().splitlines()
    clusters = {line.rsplit(",", 1)[1] for line in lines[1:]}
    assert lines[0].endswith(",cluster") and {"-1", "0", "1", "2"} <= clusters
    dots = xml.dom.minidom.parse(str(tmp_path / "clusters.svg")).getElementsByTagName("circle")
    assert len(dots) == len(lines) - 1 and len({d.getAttribute("fill") for d in dots}) == len(clusters)


EXAMPLES = {
    "open_clusters": "cluster of 300: 300 found", "crossmatch": "24961 with, 0 by chance", "correlation": "w =   0.878 ± 0.016",
    "pair_counts": "60936 pairs", "classify": "right: 0.991", "outliers": "[600, 601, 602] of 603",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_gallery(root, name, capsys, tmp_path, monkeypatch):
    import runpy

    monkeypatch.chdir(tmp_path)
    runpy.run_path(os.path.join(root, "python", "examples", name + ".py"))
    assert EXAMPLES[name] in capsys.readouterr().out


def test_the_gallery_is_whole(root):
    page = open(os.path.join(root, "docs", "python.md"), encoding="utf-8").read()
    there = {f[:-3] for f in os.listdir(os.path.join(root, "python", "examples")) if f.endswith(".py")}
    assert there == set(EXAMPLES)
    assert all(f"../python/examples/{name}.py" in page for name in there)
