"""The C library: its structs, its names, what it links, and a C program that uses it."""

import ctypes
import inspect
import os
import re
import shutil
import subprocess

import pytest

import skyjoin
from skyjoin import _library as c

PROGRAM = r"""
#include "skyjoin.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static skyjoin_error err = {sizeof err};

static int check(int code, const char *what) {
  if (code) fprintf(stderr, "%s: %d %s\n", what, code, err.message);
  return code;
}

/* Fills one or two fields of a function of all pairs. */
static int fields(uint64_t points, const skyjoin_metric *metric, const skyjoin_stat *what, int32_t f, void *to, int64_t n, int32_t g, void *other, int64_t m) {
  int32_t names[] = {f, g};
  void *arrays[] = {to, other};
  int64_t sizes[] = {n, m};
  uint64_t job;
  int code = skyjoin_stat_start(points, metric, what, 0, &job, &err);
  if (code) return code;
  if (!(code = skyjoin_job_wait(job, -1, &err)) && !(code = skyjoin_job_fill(job, names, arrays, sizes, g ? 2 : 1, &err)))
    code = skyjoin_job_wait(job, -1, &err);
  skyjoin_job_free(job);
  return code;
}

int main(void) {
  double x[] = {1, 2, 2, 8, 8, 25}, y[] = {2, 2, 3, 7, 8, 80};
  skyjoin_column columns[] = {{x, sizeof *x, 0, 0, SKYJOIN_FLOAT64}, {y, sizeof *y, 0, 0, SKYJOIN_FLOAT64}};
  uint64_t points, job;
  if (skyjoin_abi() / 1000 != SKYJOIN_ABI / 1000 || skyjoin_abi() < SKYJOIN_ABI) return 1;
  if (check(skyjoin_points_new(columns, 2, 6, 0, &points, &err), "points")) return 1;
  skyjoin_dbscan what = {sizeof what, 0, 3, 2, 0};
  if (check(skyjoin_dbscan_start(points, 0, &what, 0, &job, &err), "start")) return 1;
  if (check(skyjoin_job_wait(job, -1, &err), "wait")) return 1;
  int64_t labels[6], n;
  if (check(skyjoin_job_size(job, SKYJOIN_LABELS, &n, &err), "size") || n != 6) return 1;
  int32_t field = SKYJOIN_LABELS;
  void *arrays[] = {labels};
  if (check(skyjoin_job_fill(job, &field, arrays, &n, 1, &err), "fill")) return 1;
  if (check(skyjoin_job_wait(job, -1, &err), "wait")) return 1;
  for (int i = 0; i < 6; i++) printf("%lld ", (long long)labels[i]);
  skyjoin_job_free(job);
  /* A function of all pairs: sums, bins, pairs, and a box. */
  const char *names[] = {"x", "y"};
  int32_t coordinates[] = {0, 1};
  double edges[] = {0, 1.5, 10}, sum;
  uint64_t bins[2], totals[4];
  skyjoin_stat all = {sizeof all, 0, 0, "abs(a.y - b.y)", names, 0, coordinates, 0, 0, 0, 2, SKYJOIN_SUM};
  if (check(fields(points, 0, &all, SKYJOIN_VALUES, &sum, 1, 0, 0, 0), "sum")) return 1;
  printf("%g ", sum);
  all.expression = "r", all.reduction = SKYJOIN_HISTOGRAM, all.edges = edges, all.nedges = 3;
  if (check(fields(points, 0, &all, SKYJOIN_PAIRS, bins, 2, SKYJOIN_TOTALS, totals, 4), "hist")) return 1;
  printf("%d %d %d %d %d %d ", (int)bins[0], (int)bins[1], (int)totals[0], (int)totals[1], (int)totals[2], (int)totals[3]);
  double sides[] = {7, 0};
  skyjoin_metric box = {sizeof box, SKYJOIN_PERIODIC, sides, 0, 2, 0};
  int64_t a[2], b[2];
  all.expression = "abs(dx) < 0.5 and abs(dy) < 2", all.reduction = SKYJOIN_LIST, all.nedges = 0;
  if (check(fields(points, &box, &all, SKYJOIN_ROWS_A, a, 2, SKYJOIN_ROWS_B, b, 2), "pairs")) return 1;
  printf("%d-%d %d-%d ", (int)a[0], (int)b[0], (int)a[1], (int)b[1]);
  all.expression = "r +";
  printf("%d\n", skyjoin_stat_start(points, 0, &all, 0, &job, &err));
  /* A handle that is gone, values that cannot be, and an older program are errors. */
  printf("%d ", skyjoin_job_wait(job, 0, &err));
  y[4] = NAN;
  int code = skyjoin_points_new(columns, 2, 6, 0, &points, &err);
  printf("%d %lld %lld ", code, (long long)err.row, (long long)err.column);
  what.size = 8;
  printf("%d\n", skyjoin_dbscan_start(points, 0, &what, 0, &job, &err));
  return 0;
}
"""


@pytest.fixture(scope="module")
def library():
    c.library()
    return os.environ.get("SKYJOIN_LIBRARY") or os.path.join(os.path.dirname(skyjoin.__file__), "libskyjoin.so")


def test_a_c_program(root, library, tmp_path):
    source, program = tmp_path / "use.c", tmp_path / "use"
    source.write_text(PROGRAM)
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-I", os.path.join(root, "capi"), str(source),
                    library, "-Wl,-rpath," + os.path.dirname(library), "-o", str(program)], check=True)
    # The name that programs look for is that of the interface's major version.
    os.symlink(library, tmp_path / "libskyjoin.so.1")
    done = subprocess.run([str(program)], stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert done.stdout == "0 0 0 1 1 -1 412 4 6 0 5 15 0 1-2 3-4 1\n6 2 4 1 1\n"


def test_r_uses_the_same_header(root, library, tmp_path):
    if shutil.which("Rscript") is None:
        pytest.skip("no R here: the library is not tried from R")
    source, shim = os.path.join(root, "python", "tests", "r", "dbscan"), tmp_path / "dbscan.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-std=c99", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-I", os.path.join(root, "capi"),
                    source + ".c", library, "-o", str(shim)], check=True)
    os.symlink(library, tmp_path / "libskyjoin.so.1")
    done = subprocess.run(["Rscript", "--vanilla", source + ".R", str(shim)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert done.stdout == "231 groups; invalid request: radius -1, it must be positive and finite", done.stdout


def test_structs_are_those_of_the_header(root, tmp_path):
    """Sizes and offsets of all members, as the C compiler has them."""
    lines, want = [], []
    for name, struct in inspect.getmembers(c, lambda v: inspect.isclass(v) and issubclass(v, ctypes.Structure) and hasattr(v, "_fields_")):
        kind = "skyjoin_" + re.sub(r"(?<=.)([A-Z])", r"_\1", name).lower()
        lines.append(f'printf("{kind} %zu\\n", sizeof({kind}));')
        want.append(f"{kind} {ctypes.sizeof(struct)}")
        for field, *_ in struct._fields_:
            lines.append(f'printf("{kind}.{field} %zu\\n", offsetof({kind}, {field}));')
            want.append(f"{kind}.{field} {getattr(struct, field).offset}")
    source, program = tmp_path / "sizes.c", tmp_path / "sizes"
    source.write_text('#include "skyjoin.h"\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {' + "\n".join(lines) + "return 0;}\n")
    subprocess.run(["cc", "-I", os.path.join(root, "capi"), str(source), "-o", str(program)], check=True)
    assert subprocess.run([str(program)], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines() == want
    assert len(want) > 80
    header = open(os.path.join(root, "capi", "skyjoin.h"), encoding="utf-8").read()
    assert len(re.findall(r"^typedef struct", header, re.M)) == sum(line.count(".") == 0 for line in want)


def test_fields_and_codes_are_those_of_the_header(root):
    header = open(os.path.join(root, "capi", "skyjoin.h"), encoding="utf-8").read()
    for name, value in re.findall(r"SKYJOIN_([A-Z0-9_]+) = (\d+)", header):
        if hasattr(c, name):
            assert getattr(c, name) == int(value), name
    fields = re.search(r"enum skyjoin_field \{(.*?)\};", header, re.S)[1]
    assert {int(v) for v in re.findall(r"= (\d+)", fields)} == set(c.FIELD_DTYPE)


def test_programs_of_an_older_version_go_on(monkeypatch):
    """A struct that ends before the members that came later is read as far as it goes."""
    import numpy as np

    from skyjoin import stats

    x = np.random.default_rng(0).random((3, 200))
    want = stats.DD(1, None, [0.1, 0.3, 0.5], *x, periodic=False)["npairs"]

    def older(self, **values):
        ctypes.Structure.__init__(self, size=c.Count.patch_a.offset, patches=-7, **values)

    monkeypatch.setattr(c.Count, "__init__", older)
    assert np.array_equal(stats.DD(1, None, [0.1, 0.3, 0.5], *x, periodic=False)["npairs"], want)


def test_only_names_of_the_header_are_exported(root, library):
    if shutil.which("nm") is None:
        pytest.skip("no nm here: the names of the library are not looked at")
    out = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    exported = {line.split()[-1] for line in out.splitlines()}
    header = open(os.path.join(root, "capi", "skyjoin.h"), encoding="utf-8").read()
    declared = set(re.findall(r"^(?:int32_t|void|const char \*)\s?\*?(skyjoin_\w+)\(", header, re.M))
    assert exported == declared
    versions = subprocess.run(["nm", "-D", "--undefined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert max(int(v) for v in re.findall(r"@GLIBC_2\.(\d+)", versions)) <= 34
    needed = subprocess.run(["readelf", "-d", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.findall(r"\(NEEDED\).*\[(.*)\]", needed) == ["libc.so.6"]  # no driver, no CUDA: they are looked for at run time


def test_the_library_reads_no_files(root):
    go = shutil.which("go")
    if go is None:
        pytest.skip("no Go here: what the library is made of is not looked at")
    deps = subprocess.run([go, "list", "-deps", "./capi"], cwd=root, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    assert "skyjoin/neighbors" in deps
    assert not [d for d in deps if d.startswith("skyjoin/io") or "/arrow/" in d or d.startswith("skyjoin/internal/format")]


def test_threadpoolctl_is_told(monkeypatch):
    """A stand-in for threadpoolctl 3.2, which Debian does not have: what it is given works."""
    import sys
    import types

    class LibController:
        pass

    told = []
    monkeypatch.setitem(sys.modules, "threadpoolctl", types.SimpleNamespace(register=told.append, LibController=LibController))
    lib = c.library()
    c._tell_threadpoolctl(lib)
    controller = told[0]()
    try:
        controller.set_num_threads(1)
        assert controller.get_num_threads() == 1
        assert controller.get_version() == skyjoin.__version__
    finally:
        controller.set_num_threads(0)
    assert controller.get_num_threads() == len(os.sched_getaffinity(0))
    assert os.path.basename(os.environ.get("SKYJOIN_LIBRARY", "libskyjoin.so")).startswith(controller.filename_prefixes)
