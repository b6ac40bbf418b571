#!/usr/bin/env bash
# Installs the package as a user does, into a virtual environment that sees the
# packages of the system, and runs its tests there; arguments are pytest's.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PYTHON" -m venv --system-site-packages "$work/venv"
install=$(sed -n 's/^\t\(pip install .*\)/\1/p' ../docs/python.md) # as users are told
(cd .. && PATH="$work/venv/bin:$PATH" PIP_NO_INDEX=1 PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 $install)
cd tests
PYTHONDONTWRITEBYTECODE=1 "$work/venv/bin/python" -m pytest -q -p no:cacheprovider "$@"
