"""The command, for what works on files."""

import json
import os
import shutil
import subprocess


def run(*arguments, command=None, **flags):
    """Run the command ``cluster`` with ``--json`` and return what it reports.

    Parameters
    ----------
    *arguments : str
        The command and its inputs.
    command : str, optional
        The program; else $SKYJOIN_COMMAND, else ``cluster`` on the path.
    **flags
        ``min_points=5`` is ``--min-points 5``, True is a flag without a value, a
        list gives a flag several times.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If the request cannot be (exit status 2); the message is the command's.
    RuntimeError
        If the run fails.

    Examples
    --------
    >>> import skyjoin
    >>> skyjoin.run("dbscan", "field.parquet", eps="0.1deg", min_points=5, output="labels.parquet")  # doctest: +SKIP
    """
    if not arguments:
        raise ValueError("run needs the name of a command, as 'dbscan'")
    program = command or os.environ.get("SKYJOIN_COMMAND") or shutil.which("cluster")
    if program is None:
        raise RuntimeError("no command 'cluster' on the path: build it with 'make build' and set SKYJOIN_COMMAND to bin/cluster")
    argv = [program, *map(str, arguments), "--json"]
    for name, values in flags.items():
        flag = "--" + name.replace("_", "-")
        for value in values if isinstance(values, (list, tuple)) else [values]:
            if value is True:
                argv.append(flag)
            elif value is not None and value is not False:
                argv += [flag, str(value)]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise (ValueError if done.returncode == 2 else RuntimeError)(done.stderr.strip() or f"cluster ended with {done.returncode}")
    return json.loads(done.stdout)
