"""Builds the wheel and the source archive of skyjoin with Go and the standard library alone (PEP 517).

The library is built by ``make library`` of the checkout; the wheel holds it and the
Python files, in a fixed order and with fixed dates, so that equal sources make equal
wheels. ``pip install .`` works without an index. The source archive has the Go packages
of the library in its folder ``go``, and the modules that these need, vendored while it
is made.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.join(HERE, "go") if os.path.isdir(os.path.join(HERE, "go")) else os.path.dirname(HERE)  # of an archive, or of a checkout


def _project():
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as f:
        text = f.read()

    def value(name):
        return re.search(rf'^{name} = "(.*)"$', text, re.M)[1]

    needs = re.search(r"^dependencies = \[(.*)\]$", text, re.M)[1]
    return value("version"), value("description"), value("requires-python"), re.findall(r'"([^"]+)"', needs)


def _metadata():
    version, description, python, needs = _project()
    lines = ["Metadata-Version: 2.1", "Name: skyjoin", f"Version: {version}", f"Summary: {description}", f"Requires-Python: {python}",
             "Description-Content-Type: text/markdown"]
    lines += [f"Requires-Dist: {need}" for need in needs]
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as f:
        return "\n".join(lines) + "\n\n" + f.read()


def _tag(library):
    """Return the wheel's tag: the library links nothing of Python, and the C library from some version on."""
    with open(library, "rb") as f:
        found = re.findall(rb"GLIBC_2\.(\d+)\0", f.read())
    minor = max(map(int, found), default=17)
    machine = {"amd64": "x86_64", "arm64": "aarch64"}[subprocess.run(
        ["go", "env", "GOARCH"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()]
    return f"py3-none-manylinux_2_{max(minor, 17)}_{machine}"


def _library():
    if shutil.which("go") is None:
        raise SystemExit("skyjoin is built with Go, which is not on the path: install Go 1.26 or later (https://go.dev/dl), or take a wheel")
    subprocess.run(["make", "library"], cwd=ROOT, check=True)
    return os.path.join(ROOT, "bin", "libskyjoin.so")


def _write(path, files):
    """Write a wheel of names and contents, with the record of all."""
    version = _project()[0]
    record = f"skyjoin-{version}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, data in sorted(files.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
            z.writestr(_entry(name), data)
        z.writestr(_entry(record), "".join(lines) + f"{record},,\n")


def _entry(name):
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
    return info


def _wheel(directory, editable):
    library = _library()
    version, tag = _project()[0], _tag(library)
    info = f"skyjoin-{version}.dist-info"
    source, files = os.path.join(HERE, "src"), {}
    if editable:
        shutil.copy(library, os.path.join(source, "skyjoin", "libskyjoin.so"))
        files["skyjoin.pth"] = (source + "\n").encode()
    else:
        for folder, _, names in os.walk(source):
            for name in names:
                if name.endswith((".py", ".pyi", ".typed")):
                    path = os.path.join(folder, name)
                    with open(path, "rb") as f:
                        files[os.path.relpath(path, source)] = f.read()
        with open(library, "rb") as f:
            files["skyjoin/libskyjoin.so"] = f.read()
    with open(os.path.join(ROOT, "LICENSE"), "rb") as f:
        files[f"{info}/LICENSE"] = f.read()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: skyjoin_build\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    name = f"skyjoin-{version}-{tag}.whl"
    _write(os.path.join(directory, name), files)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Make the wheel."""
    return _wheel(wheel_directory, editable=False)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Make a wheel that points to this folder."""
    return _wheel(wheel_directory, editable=True)


def build_sdist(sdist_directory, config_settings=None):
    """Make the source archive."""
    name = f"skyjoin-{_project()[0]}"
    with tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, name)
        shutil.copytree(HERE, tree, ignore=shutil.ignore_patterns("tests", "examples", "*.so", "__pycache__", "test.sh", "stubs.py"))
        with open(os.path.join(tree, "PKG-INFO"), "w", encoding="utf-8") as f:
            f.write(_metadata())
        if ROOT == os.path.dirname(HERE):
            _sources(os.path.join(tree, "go"))
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path in sorted(os.path.join(at, file) for at, _, files in os.walk(tree) for file in files):
                info = tar.gettarinfo(path, os.path.relpath(path, folder))
                info.mtime, info.uid, info.gid, info.uname, info.gname = 315532800, 0, 0, "", ""
                info.mode = 0o755 if info.mode & 0o100 else 0o644
                with open(path, "rb") as f:
                    tar.addfile(info, f)
    with open(os.path.join(sdist_directory, name + ".tar.gz"), "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as f:
        f.write(data.getvalue())
    return name + ".tar.gz"


def _sources(to):
    """Write what `make library` needs: the packages of the library, and the modules of others."""
    files = {"Makefile", "LICENSE", "go.mod", "go.sum", os.path.join("internal", "cuda", "available.sh")}
    found = subprocess.run(["go", "list", "-deps", "-tags", "cuda", "-json=Dir,Standard,Module,EmbedFiles", "./capi"], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE, text=True, env={**os.environ, "CGO_ENABLED": "1"}).stdout
    decoder, at = json.JSONDecoder(), 0
    while at < len(found.rstrip()):
        package, at = decoder.raw_decode(found, at)
        at += len(found[at:]) - len(found[at:].lstrip())
        if package.get("Module", {}).get("Main"):
            here = os.path.relpath(package["Dir"], ROOT)
            names = [n for n in os.listdir(package["Dir"]) if not n.endswith("_test.go") and os.path.isfile(os.path.join(package["Dir"], n))]
            files |= {os.path.join(here, n) for n in names + package.get("EmbedFiles", [])}
    for folder in ("include", "stub"):
        here = os.path.join("internal", "cuda", folder)
        files |= {os.path.join(here, n) for n in os.listdir(os.path.join(ROOT, here))}
    for name in sorted(files):
        os.makedirs(os.path.dirname(os.path.join(to, name)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, name), os.path.join(to, name))
    subprocess.run(["go", "mod", "vendor"], cwd=to, check=True)


def get_requires_for_build_wheel(config_settings=None):
    """Nothing is needed but Go."""
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel
