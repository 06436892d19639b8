#!/usr/bin/env bash
# What experiments/release.sh makes, in a fresh Debian 12 and a fresh Debian 13: the static program and the wheel are
# installed without network and compiler, run the README's first example with the README's output, and write the same
# bytes. The source archive contains the script of the report's page, and the checksums are right.
#   published.sh [FOLDER]    FOLDER: where the published files are left, by default nowhere
# Ends with 77 if no Debian can be made.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/installed/fresh_debian.sh

work=$(mktemp -d "${TMPDIR:-/tmp}/berth-published.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT

# A wheel is for one version of Python. Therefore each Debian's own Python takes part in making it: it is started with
# that Debian's loader, beside this system's compiler.
for release in bookworm trixie; do
    root=$work/$release
    fresh_debian "$release" "$root" python3-dev python3-venv
    name=$(basename "$(readlink -f "$root/usr/bin/python3")")
    # Its own pyconfig.h is looked for beside its headers, since this system's compiler only knows those of this system.
    mkdir -p "$root/usr/include/$name/x86_64-linux-gnu"
    ln -s "../../x86_64-linux-gnu/$name" "$root/usr/include/$name/x86_64-linux-gnu/$name"
    cat >"$root.python" <<END
#!/bin/sh
PYTHONHOME=$root/usr exec $root/lib64/ld-linux-x86-64.so.2 --argv0 "\$0" \\
    --library-path $root/usr/lib/x86_64-linux-gnu $root/usr/bin/$name "\$@"
END
    chmod +x "$root.python"
done
published=${1:-$work/published}
experiments/release.sh "$published" "$work/bookworm.python" "$work/trixie.python"

(cd "$published" && sha256sum --check --quiet SHA256SUMS) || fail "SHA256SUMS has other sums"
tar -tzf "$published"/berth_sim-*.tar.gz >"$work/archived"
grep -q '/experiments/program/report/page\.js$' "$work/archived" || fail "the source archive has no script of the page"

for release in bookworm trixie; do
    root=$work/$release
    install -m 755 "$published"/berth-*-linux-* "$root/usr/local/bin/berth"
    runs_first_example "$root" berth

    tag=$(chroot "$root" python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    cp "$published"/berth_sim-*-"$tag"-*.whl "$root/tmp/"
    chroot "$root" sh -c 'python3 -m venv /tmp/venv && /tmp/venv/bin/pip --quiet install --no-index /tmp/berth_sim-*.whl'
    runs_first_example "$root" /tmp/venv/bin/berth
    cp docs/examples/training.yaml "$root/tmp/"
    chroot "$root" sh -c 'cd /tmp && berth run training.yaml --quiet -o static && /tmp/venv/bin/python -' <<'END' ||
import berth

run = berth.run("training.yaml")
assert berth.open("static").digest == run.digest
assert berth.compare(run, run) and run.jobs.columns
run.report("report.html")
END
        fail "the package does not do in $release what the program does"
    echo "published: installed and run in a fresh $release"
done
