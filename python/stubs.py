#!/usr/bin/env python3
"""Writes the type stubs of the public modules and docs/python-reference.md: python/stubs.py [--check].

A parameter's type follows from its name, a result's from the table below; what has no
entry is an error, so that nothing stays without a type.
"""

import importlib
import inspect
import os
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "src")
MODULES = ("cluster", "neighbors", "sky", "stats", "table", "errors")

ANGLE = "float | str | Any"  # an astropy Quantity or Angle
PARAMETERS = {
    "ArrayLike": "X matchcoord catalogcoord coords1 coords2 X1 Y1 Z1 RA1 DEC1 ra dec pmra pmdec years box",
    "ArrayLike | None": "patch patch_centers y sample_weight weights1 weights2 X2 Y2 Z2 RA2 DEC2 boxsize x z w",
    "ArrayLike | str": "bins binfile",
    "float": "alpha xi pimax mu_max min_sep max_sep",
    "float | str": "contamination",
    ANGLE: "eps radius max_eps seplimit distlimit cluster_selection_epsilon",
    ANGLE + " | None": "min_radius",
    "int": "leaf_size min_cluster_size n_neighbors nthneighbor nmu_bins num_bootstrap",
    "int | None": "n_jobs p max_cluster_size npibins nthreads nbins npatch",
    "float | None": "bin_size",
    "bool": "copy verbose link_in_dec link_in_ra per_row star counts allow_single_cluster predecessor_correction novelty return_distance sort_results return_probabilities periodic autocorr "
            "output_ravg output_rpavg output_savg output_thetaavg",
    "str": "expression reduce meet metric algorithm border device cluster_selection_method ties var_method method cluster_method mode find join missing los",
    "str | Callable[[NDArray[Any]], ArrayLike] | None": "weights",
    "str | None": "store_centers fallback weight_type ra_units dec_units sep_units cross_patch_weight",
    "dict[str, Any] | None": "metric_params",
    "int | str | None": "memory",
    "bool | Callable[[int, int], None] | None": "progress",
    "Sequence[str] | None": "columns columns_b",
    "Callable[..., ArrayLike] | None": "func",
    "np.random.Generator | None": "rng",
    "list[NNCorrelation]": "corrs",
    "Any": "a b source outlier_label storekdtree fit_params more options params deep",
    "NNCorrelation": "rr",
    "NNCorrelation | None": "dr rd",
    "Catalog": "cat1",
    "Catalog | None": "cat2",
}
OF_NAME = {name: kind for kind, names in PARAMETERS.items() for name in names.split()}
SPECIAL = {  # where a name means something else
    ("dbscan", "p"): "int", ("OPTICS.__init__", "min_samples"): "float", ("OPTICS.__init__", "min_cluster_size"): "float | None",
    ("OPTICS.__init__", "eps"): ANGLE + " | None", ("HDBSCAN.__init__", "min_samples"): "int | None",
    ("kneighbors", "n_neighbors"): "int | None", ("kneighbors_graph", "n_neighbors"): "int | None",
    ("radius_neighbors", "radius"): ANGLE + " | None", ("radius_neighbors_graph", "radius"): ANGLE + " | None",
    ("kneighbors", "X"): "ArrayLike | None", ("kneighbors_graph", "X"): "ArrayLike | None", ("radius_neighbors", "X"): "ArrayLike | None",
    ("radius_neighbors_graph", "X"): "ArrayLike | None", ("Catalog.__init__", "ra"): "ArrayLike | None",
    ("Catalog.__init__", "dec"): "ArrayLike | None", ("Catalog.__init__", "y"): "ArrayLike | None",
    ("with_columns", "columns"): "ArrayLike", ("without", "names"): "Iterable[str]", ("stat", "bins"): "ArrayLike | None", ("Columns.__init__", "arrays"): "Mapping[str, Any]",
    ("Columns.__init__", "units"): "dict[str, str] | None", ("Columns.__init__", "missing"): "dict[str, NDArray[np.bool_]] | None",
}
FLOATS, INTS = "NDArray[np.float64]", "NDArray[np.int64]"
NAMED = {"sky": {"Match": [INTS, INTS, FLOATS]}, "stats": {"Histogram": ["NDArray[np.uint64]", FLOATS, "int", "int", "int"]}}
RESULTS = {
    "__init__": "None", "fit": "Self", "set_params": "Self", "process": "Self", "get_params": "dict[str, Any]", "score": "float",
    "fit_predict": INTS, "kneighbors": f"tuple[{FLOATS}, {INTS}] | {INTS}", "radius_neighbors": "tuple[NDArray[Any], NDArray[Any]] | NDArray[Any]",
    "kneighbors_graph": "Any", "radius_neighbors_graph": "Any", "predict": "NDArray[Any]", "predict_proba": FLOATS,
    "dbscan": f"tuple[{INTS}, {INTS}]", "HDBSCAN.predict": f"{INTS} | tuple[{INTS}, {FLOATS}]",
    "match_coordinates_sky": f"tuple[{INTS}, Any, Any]", "match_coordinates_3d": f"tuple[{INTS}, Any, Any]",
    "search_around_sky": f"tuple[{INTS}, {INTS}, Any, Any]", "search_around_3d": f"tuple[{INTS}, {INTS}, Any, Any]",
    "crossmatch": "Match", "link": INTS, "propagate": f"tuple[{FLOATS}, {FLOATS}]", "rdf": f"tuple[{FLOATS}, {FLOATS}]",
    "stat": "Any", "DD": "NDArray[Any]", "DR": "NDArray[Any]", "DDrppi": "NDArray[Any]", "DDsmu": "NDArray[Any]", "DDtheta": "NDArray[Any]",
    "calculateXi": f"tuple[{FLOATS}, {FLOATS}]", "estimate_cov": FLOATS, "estimate_multi_cov": FLOATS, "build_cov_design_matrix": f"tuple[{FLOATS}, {FLOATS}]", "read": "Columns", "matrix": "Any", "positions": "list[Any]", "with_columns": "Any", "without": "NDArray[np.bool_] | None",
}
ATTRIBUTES = {
    "DBSCAN": {"labels_": INTS, "core_sample_indices_": INTS, "components_": "NDArray[Any]", "counts_": INTS},
    "HDBSCAN": {"labels_": INTS, "probabilities_": FLOATS, "outlier_scores_": FLOATS, "cluster_persistence_": FLOATS,
                "core_distances_": FLOATS, "centroids_": "NDArray[Any]", "medoids_": "NDArray[Any]"},
    "OPTICS": {"labels_": INTS, "ordering_": INTS, "predecessor_": INTS, "reachability_": FLOATS, "core_distances_": FLOATS,
               "cluster_hierarchy_": INTS},
    "KNeighborsClassifier": {"classes_": "NDArray[Any]"}, "RadiusNeighborsClassifier": {"classes_": "NDArray[Any]"},
    "LocalOutlierFactor": {"negative_outlier_factor_": FLOATS, "n_neighbors_": "int", "offset_": "float"},
    "Catalog": {"ntot": "int", "sumw": "float", "coords": "str", "w": FLOATS + " | None", "npatch": "int", "patch": "NDArray[np.int32] | None",
                "patch_centers": FLOATS + " | None"},
    "NNCorrelation": {n: FLOATS for n in ("edges", "rnom", "meanr", "meanlogr", "npairs", "weight", "xi", "varxi", "cov")} | {"tot": "float"},
    "Columns": {"units": "dict[str, str]", "missing": "dict[str, NDArray[np.bool_]]"},
}


def signature(f, where, method):
    """Return the parameters and result of a function as a stub has them."""
    short = where.split(".")[-1]
    parts, star = [], False
    for name, p in inspect.signature(f).parameters.items():
        if name == "self":
            parts.append("self")
            continue
        if p.kind == p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        kind = SPECIAL.get((where, name)) or SPECIAL.get((short, name)) or ("float" if name == "min_samples" else None) or OF_NAME.get(name)
        if kind is None:
            raise SystemExit(f"stubs.py has no type of the parameter {name} of {where}")
        mark = {p.VAR_KEYWORD: "**", p.VAR_POSITIONAL: "*"}.get(p.kind, "")
        parts.append(f"{mark}{name}: {kind}" + ("" if p.default is p.empty else " = ..."))
    result = RESULTS.get(where) or RESULTS.get(short)
    if result is None:
        raise SystemExit(f"stubs.py has no type of the result of {where}")
    return f"def {short}({', '.join(parts)}) -> {result}: ..."


def stub(module):
    """Return the stub of a module."""
    lines = ["# Made by python/stubs.py.", "from collections.abc import Callable, Iterable, Mapping, Sequence", "from typing import Any, NamedTuple", "",
             "import numpy as np", "from numpy.typing import ArrayLike, NDArray", "from typing_extensions import Self", ""]
    m = importlib.import_module("skyjoin." + module)
    for name, kinds in NAMED.get(module, {}).items():
        fields = getattr(m, name)._fields
        lines += [f"class {name}(NamedTuple):", *(f"    {field}: {kind}" for field, kind in zip(fields, kinds, strict=True)), ""]
    for name in m.__all__:
        thing = getattr(m, name)
        if name in NAMED.get(module, {}):
            continue
        if inspect.isfunction(thing):
            lines += [signature(thing, name, False), ""]
            continue
        bases = [b.__name__ for b in thing.__mro__ if b.__module__ == "builtins" and b is not object]
        lines.append(f"class {name}({bases[0]}):" if bases else f"class {name}:")
        body = [f"    {a}: {t}" for a, t in ATTRIBUTES.get(name, {}).items()]
        for method, f in inspect.getmembers(thing):
            if inspect.isfunction(f) and f.__module__.startswith("skyjoin") and (method == "__init__" or not method.startswith("_")):
                body.append("    " + signature(f, f"{name}.{method}", True))
            elif isinstance(f, property) and not method.startswith("_"):
                body.append(f"    @property\n    def {method}(self) -> {FLOATS if method.endswith('_') else 'Callable[..., NDArray[Any]]'}: ...")
        lines += body or ["    ..."]
        lines.append("")
    return "\n".join(lines)


def reference():
    """Return the page of all signatures and docstrings."""

    def entry(level, name, f, text):
        arguments = str(inspect.signature(f)).replace("(self, ", "(").replace("(self)", "()")
        return [f"{level} {name}", "", "```text", name.split(".")[-1] + arguments, "", inspect.cleandoc(text), "```", ""]

    lines = ["# Reference of the Python package", "", "Signatures and docstrings of all public names, as `help` shows them; [python.md](python.md) is the guide. "
             "Made by python/stubs.py.", ""]
    for module in MODULES:
        m = importlib.import_module("skyjoin." + module)
        lines += [f"## skyjoin.{module}", "", inspect.cleandoc(m.__doc__), ""]
        for name in getattr(m, "__all__", ()):
            thing = getattr(m, name)
            if inspect.isclass(thing) and issubclass(thing, Exception):
                lines += [f"### {name}", "", inspect.cleandoc(thing.__doc__), ""]
                continue
            lines += entry("###", name, thing, thing.__doc__)
            for method, f in inspect.getmembers(thing, inspect.isfunction) if inspect.isclass(thing) else ():
                if not method.startswith("_") and f.__module__.startswith("skyjoin"):
                    lines += entry("####", f"{name}.{method}", f, f.__doc__)
    return "\n".join(lines[:-1]) + "\n"


def main():
    sys.path.insert(0, SOURCE)
    stale = []
    made = {os.path.join(SOURCE, "skyjoin", module + ".pyi"): lambda module=module: stub(module) for module in MODULES}
    made[os.path.join(os.path.dirname(SOURCE), "..", "docs", "python-reference.md")] = reference
    for path, make in made.items():
        text = make()
        have = open(path, encoding="utf-8").read() if os.path.exists(path) else None
        if have == text:
            continue
        stale.append(os.path.basename(path))
        if "--check" not in sys.argv:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
    if "--check" in sys.argv and stale:
        raise SystemExit(f"{', '.join(stale)}: not what python/stubs.py makes")


if __name__ == "__main__":
    main()
