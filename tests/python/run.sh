#!/bin/sh
# Runs tests of the Python package of a build: run.sh BUILD-FOLDER [FILE or pytest option...]
# Ends with 77 if the module was not built, or if the test environment does not exist.
set -eu
build=$1
shift
cd "$(dirname "$0")"
environment=../../build/test-environment
if [ -z "$(find "$build/python/berth" -name '_berth*.so' 2>/dev/null)" ]; then
    echo "skipped: $build has no Python module: configure it with -DBERTH_PYTHON=ON, and build berth_python"
    exit 77
fi
if [ ! -f "$environment/.installed" ]; then
    echo "skipped: build/test-environment is missing: experiments/setup.sh --for-tests makes it"
    exit 77
fi
export BERTH_PROGRAM="$build/berth" PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1
exec "$environment/bin/python" -m pytest -q -p no:cacheprovider "$@"
