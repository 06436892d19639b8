#!/usr/bin/env bash
# The Debian package in a fresh Debian: it has no error that lintian knows, is installed with what it
# depends on, runs the README's first example with the README's output, and leaves nothing behind.
#   debian.sh BUILD [WORK]   WORK: a folder to work in that has room for a Debian
# Ends with 77 where no Debian can be made: without debootstrap, without root's rights or a mirror.
set -euo pipefail
cd "$(dirname "$0")/../.."

build=$(realpath "$1")
work=$(mktemp -d "${2:-${TMPDIR:-/tmp}}/berth-debian.XXXXXX")
root=$work/root
trap 'rm -rf --one-file-system "$work"' EXIT

fail() { echo "debian.sh: $*" >&2; exit 1; }
skip() { echo "debian.sh: skipped: $*" >&2; exit 77; }

command -v dpkg-shlibdeps >/dev/null || skip "no dpkg-shlibdeps"
cpack --config "$build/CPackConfig.cmake" -B "$work" >"$work/cpack.log" 2>&1 || { cat "$work/cpack.log"; fail "cpack failed"; }
package=$(echo "$work"/berth_*.deb)
[ -f "$package" ] || fail "cpack made no package"
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error "$package" || fail "lintian finds errors"
fi

command -v debootstrap >/dev/null || skip "no debootstrap"
[ "$(id -u)" -eq 0 ] || skip "debootstrap needs root's rights"
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $release" | head -n 1)
[ -n "$mirror" ] || skip "apt knows no mirror of $release"
debootstrap --variant=minbase "$release" "$root" "$mirror" >"$work/debootstrap.log" 2>&1 || {
    tail -n 5 "$work/debootstrap.log"
    skip "debootstrap cannot make a Debian here"
}

# This system's apt knows how to reach the mirror; it installs into the other system.
cp "$package" "$root/root/"
apt-get -qq -y --no-install-recommends \
    -o Dir::State::status="$root/var/lib/dpkg/status" \
    -o Dir::State::extended_states="$root/var/lib/apt/extended_states" \
    -o Dir::Cache::archives="$root/var/cache/apt/archives/" -o Dir::Log="$root/var/log/apt" \
    -o DPkg::Chroot-Directory="$root" -o Debug::NoLocking=1 \
    install "$root/root/$(basename "$package")" >"$work/install.log" 2>&1 || { tail -n 30 "$work/install.log"; fail "apt-get cannot install the package"; }

# The README's first example prints what the README shows; only how long it takes is another.
timeless() { sed -E 's/ in [0-9.]+ s$/ in TIME/'; }
cp docs/examples/training.yaml "$root/tmp/"
awk '/^```/ { if (shown) exit; shown = marked; next } shown { print } { marked = /^<!-- test: output -->$/ }' README.md |
    timeless >"$work/expected"
grep -q "^training: " "$work/expected" || fail "the README shows no output of its first example"
chroot "$root" sh -c 'cd /tmp && exec berth run training.yaml' 2>&1 | timeless >"$work/found"
diff "$work/expected" "$work/found" || fail "the first example prints something else than the README shows"
rm -r "$root/tmp/out" "$root/tmp/training.yaml"
chroot "$root" berth complete bash 'berth wo' wo | grep -qx workload || fail "nothing is completed"

# What is there once the package is gone was there before, and nothing is called berth.
listing() { (cd "$root" && find . -xdev ! -path './root/*' ! -path './var/log/*' | LC_ALL=C sort); }
listing >"$work/before"
grep -qx './usr/share/man/man1/berth-run.1.gz\|./usr/bin/berth' "$work/before" || fail "berth is not installed"
chroot "$root" dpkg --purge berth >/dev/null || fail "dpkg cannot remove the package"
listing >"$work/after"
! grep berth "$work/after" || fail "the package leaves these files"
! LC_ALL=C comm -13 "$work/before" "$work/after" | grep . || fail "removing the package makes these files"
echo "$(basename "$package"): installed, run and removed in a fresh $release"
