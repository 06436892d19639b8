# Functions shared by the tests that install what is published into a fresh Debian. They source this file in the
# project's folder.

fail() { echo "$(basename "$0"): $*" >&2; exit 1; }
skip() { echo "$(basename "$0"): skipped: $*" >&2; exit 77; }

own_release=$(. /etc/os-release && echo "$VERSION_CODENAME")

# Makes a Debian in a folder, with these packages; ends with 77 if that is not possible.
fresh_debian() { # RELEASE ROOT [PACKAGE...]
    local release=$1 root=$2 mirror
    shift 2
    command -v debootstrap >/dev/null || skip "no debootstrap"
    [ "$(id -u)" -eq 0 ] || skip "debootstrap needs root's rights"
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $own_release" | head -n 1)
    [ -n "$mirror" ] || skip "apt knows no mirror of $own_release"
    debootstrap --variant=minbase ${1:+--include="$(IFS=,; echo "$*")"} "$release" "$root" "$mirror" >"$root.log" 2>&1 || {
        tail -n 5 "$root.log"
        skip "debootstrap cannot make a Debian $release here"
    }
}

# Checks that the README's first example prints what the README shows, except for the time that it takes.
runs_first_example() { # ROOT BERTH
    local root=$1 berth=$2 timeless='s/ in [0-9.]+ s$/ in TIME/'
    awk '/^```/ { if (shown) exit; shown = marked; next } shown { print } { marked = /^<!-- test: output -->$/ }' \
        README.md | sed -E "$timeless" >"$root.expected"
    grep -q "^training: " "$root.expected" || fail "the README shows no output of its first example"
    cp docs/examples/training.yaml "$root/tmp/"
    chroot "$root" sh -c "cd /tmp && exec $berth run training.yaml" 2>&1 | sed -E "$timeless" >"$root.found"
    diff "$root.expected" "$root.found" || fail "the first example prints something else than the README shows"
    rm -r "$root/tmp/out" "$root/tmp/training.yaml"
}
