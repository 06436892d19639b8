#!/usr/bin/env bash
# The Debian package in a fresh Debian: lintian finds no error in it, it is installed with its dependencies,
# it runs the README's first example with the README's output, and it leaves nothing behind.
#   debian.sh BUILD [WORK]   WORK: a folder to work in, with room for a Debian
# Ends with 77 if no Debian can be made: without debootstrap, without root's rights or without a mirror.
set -euo pipefail
cd "$(dirname "$0")/../.."

. tests/installed/fresh_debian.sh

build=$(realpath "$1")
work=$(mktemp -d "${2:-${TMPDIR:-/tmp}}/berth-debian.XXXXXX")
root=$work/root
trap 'rm -rf --one-file-system "$work"' EXIT

command -v dpkg-shlibdeps >/dev/null || skip "no dpkg-shlibdeps"
cpack --config "$build/CPackConfig.cmake" -B "$work" >"$work/cpack.log" 2>&1 || { cat "$work/cpack.log"; fail "cpack failed"; }
package=$(echo "$work"/berth_*.deb)
[ -f "$package" ] || fail "cpack made no package"
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error "$package" || fail "lintian finds errors"
fi

fresh_debian "$own_release" "$root"

# This system's apt knows how to reach the mirror; it installs into the other system.
cp "$package" "$root/root/"
apt-get -qq -y --no-install-recommends \
    -o Dir::State::status="$root/var/lib/dpkg/status" \
    -o Dir::State::extended_states="$root/var/lib/apt/extended_states" \
    -o Dir::Cache::archives="$root/var/cache/apt/archives/" -o Dir::Log="$root/var/log/apt" \
    -o DPkg::Chroot-Directory="$root" -o Debug::NoLocking=1 \
    install "$root/root/$(basename "$package")" >"$work/install.log" 2>&1 || { tail -n 30 "$work/install.log"; fail "apt-get cannot install the package"; }

runs_first_example "$root" berth
chroot "$root" berth complete bash 'berth wo' wo | grep -qx workload || fail "nothing is completed"

# Once the package is removed, only what was there before is left, and nothing is called berth.
listing() { (cd "$root" && find . -xdev ! -path './root/*' ! -path './var/log/*' | LC_ALL=C sort); }
listing >"$work/before"
grep -qx './usr/share/man/man1/berth-run.1.gz\|./usr/bin/berth' "$work/before" || fail "berth is not installed"
chroot "$root" dpkg --purge berth >/dev/null || fail "dpkg cannot remove the package"
listing >"$work/after"
! grep berth "$work/after" || fail "the package leaves these files"
! LC_ALL=C comm -13 "$work/before" "$work/after" | grep . || fail "removing the package makes these files"
echo "$(basename "$package"): installed, run and removed in a fresh $own_release"
