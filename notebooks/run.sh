#!/bin/sh
# Runs the notebooks from start to end, each in a folder of its own that is thrown
# away, with bin/cluster on the PATH. A command that fails ends the run. With --update the
# results are written into the notebooks.
#
# The package skyjoin is that of this checkout, with bin/libskyjoin.so.
# Needs python3-ipykernel and jupyter-nbconvert (Debian's will do).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH="$here/../bin:$PATH"
PYTHONPATH="$here/../python/src"
SKYJOIN_LIBRARY="$here/../bin/libskyjoin.so"
export PATH PYTHONPATH SKYJOIN_LIBRARY
python=${PYTHON:-/usr/bin/python3}
command -v cluster >/dev/null || { echo "bin/cluster is not there: run make first" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() {
	mkdir "$work/${1%.ipynb}"
	(cd "$work/${1%.ipynb}" && cp "../$1" . && "$python" -m nbconvert --to notebook --execute --ExecutePreprocessor.timeout=300 \
		--log-level=WARN --output-dir ../out "$1")
}

# What cannot fail proves nothing: a notebook with a command that fails has to.
cat >"$work/fails.ipynb" <<'END'
{"cells": [{"cell_type": "code", "execution_count": null, "id": "a", "metadata": {}, "outputs": [],
"source": ["%%bash\n", "set -euo pipefail\n", "cluster info not-there.parquet\n", "echo on"]}],
"metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
"nbformat": 4, "nbformat_minor": 5}
END
if run fails.ipynb 2>/dev/null; then
	echo "a notebook with a command that fails ran to its end" >&2
	exit 1
fi

for notebook in "$here"/${ONLY:-}*.ipynb; do
	name=$(basename "$notebook")
	cp "$notebook" "$work/$name"
	run "$name" >&2 || { echo "$name: failed" >&2; exit 1; }
	if [ "${1-}" = --update ]; then
		"$python" - "$work/out/$name" "$notebook" <<'END'
# Times of execution would change the file every time.
import json, sys
book = json.load(open(sys.argv[1], encoding="utf-8"))
for cell in book["cells"]:
    cell["metadata"] = {}
book["metadata"] = {"kernelspec": book["metadata"]["kernelspec"], "language_info": {"name": "python"}}
with open(sys.argv[2], "w", encoding="utf-8") as f:
    json.dump(book, f, indent=1, ensure_ascii=False)
    f.write("\n")
END
	fi
	echo "$name: ran to its end"
done
