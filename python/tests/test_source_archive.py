"""The source archive: it builds the library and the package without a module of Go's cache or a network."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile

import pytest


def test_the_archive_builds_by_itself(root, tmp_path):
    if shutil.which("go") is None or shutil.which("make") is None:
        pytest.skip("no Go or no make here: the archive is not built")
    spec = importlib.util.spec_from_file_location("skyjoin_build", os.path.join(root, "python", "build_backend", "skyjoin_build.py"))
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    archives = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        archives.append(tmp_path / folder / backend.build_sdist(str(tmp_path / folder)))
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with tarfile.open(archives[0]) as tar:
        tar.extractall(tmp_path, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(tmp_path)
    tree = tmp_path / archives[0].name[:-len(".tar.gz")]
    assert {"PKG-INFO", "pyproject.toml", "src", "build_backend", "go"} <= set(os.listdir(tree))
    assert os.path.exists(tree / "go" / "vendor" / "modules.txt") and not os.path.exists(tree / "go" / "io")
    assert not os.path.exists(os.path.join(root, "vendor")), "what is vendored belongs to the archive alone"
    (tmp_path / "none").mkdir()
    env = {**os.environ, "GOPROXY": "off", "GOFLAGS": "", "GOMODCACHE": str(tmp_path / "none")}
    subprocess.run(["make", "library"], cwd=tree / "go", env=env, check=True, stdout=subprocess.DEVNULL)
    shutil.copy(tree / "go" / "bin" / "libskyjoin.so", tree / "src" / "skyjoin")
    env = {name: v for name, v in os.environ.items() if name != "SKYJOIN_LIBRARY"}
    code = "import skyjoin.cluster; print(skyjoin.__file__, skyjoin.cluster.DBSCAN(min_samples=1).fit([[0.0], [0.1], [9]]).labels_)"
    done = subprocess.run([sys.executable, "-c", code], env={**env, "PYTHONPATH": str(tree / "src")}, check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout.startswith(str(tree)) and done.stdout.endswith("[0 0 1]\n")
