#!/bin/sh
# Installs a wheel that experiments/release.sh made into a fresh Python environment, and runs the README's example and
# the package's tests there. It downloads packages, so it is not part of the suite.
#   wheel.sh WHEEL
set -eu
wheel=$(realpath "$1")
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/berth-wheel.XXXXXX")
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/fresh"
"$work/fresh/bin/pip" --quiet install "$wheel"
"$work/fresh/bin/berth" run docs/examples/training.yaml --quiet -o "$work/training"
"$work/fresh/bin/python" -c 'import berth; print(berth.run("docs/examples/training.yaml"))'

"$work/fresh/bin/pip" --quiet install --requirement tests/python/requirements.txt
PATH="$work/fresh/bin:$PATH" BERTH_PROGRAM="$work/fresh/bin/berth" PYTHONDONTWRITEBYTECODE=1 \
    "$work/fresh/bin/python" -m pytest -q -p no:cacheprovider tests/python
