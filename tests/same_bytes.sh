#!/usr/bin/env bash
# Runs the ready experiments and a sweep in several ways, and compares the directories byte by byte.
# usage: same_bytes.sh BERTH [OTHER-BERTH]...
# The first way is BERTH with one thread, here. The others run each OTHER-BERTH in the way of elsewhere(); if none is
# given, they run BERTH in the ways of as_here(), at_fixed_addresses() and elsewhere().
set -euo pipefail
cd "$(dirname "$0")/.."
programs=()
for program in "$@"; do
    programs+=("$(realpath "$program")")
done
one=${programs[0]:?usage: same_bytes.sh BERTH [OTHER-BERTH]...}
others=("${programs[@]:1}")
[ "${#others[@]}" -gt 0 ] || others=("$one")

home=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/elsewhere"

# A locale that writes 1,5 if one can be made, otherwise one without bytes above 127.
mkdir "$work/locales"
locale=C
if localedef -i de_DE -f UTF-8 "$work/locales/de_DE.UTF-8" 2>/dev/null; then
    locale=de_DE.UTF-8
fi

as_here() { # PROGRAM COMMAND DOCUMENT OUTPUT
    "$1" "$2" "$3" -j 3 --quiet -o "$4"
}
at_fixed_addresses() {
    setarch -R "$1" "$2" "$3" -j 2 --quiet -o "$4"
}
elsewhere() {
    (cd "$work/elsewhere" && env -i PATH="$PATH" LOCPATH="$work/locales" LC_ALL="$locale" TZ=America/St_Johns \
        HOME=/nowhere MALLOC_PERTURB_=165 "$1" "$2" "$home/$3" -j 8 --quiet -o "$4")
}
# Another program is run only in the way that differs most.
ways=(elsewhere)
if [ "$#" -eq 1 ]; then
    ways+=(as_here)
    if setarch -R true 2>/dev/null; then
        ways+=(at_fixed_addresses)
    else
        echo "  addresses cannot be fixed here: setarch -R is refused"
    fi
fi

documents=(experiments/sweeps/pack-and-spread.yaml)
for document in experiments/{paper,quota,devices,providers,fgd}/*.yaml; do
    if grep -q '^kind: Experiment$' "$document"; then
        documents+=("$document")
    fi
done
[ "${#documents[@]}" -ge 20 ] || { echo "same_bytes.sh: found ${#documents[@]} documents" >&2; exit 1; }

# Runs a command, and shows its warnings only if it fails. They are kept in FOLDER, since several commands run at a
# time.
quietly() { # FOLDER COMMAND...
    "${@:2}" 2>"$1/said" || { cat "$1/said" >&2; return 1; }
}

same() { # DOCUMENT
    local document=$1 command=run here other way
    here=$(mktemp -d "$work/XXXXXX")
    ! grep -q '^kind: Sweep$' "$document" || command=sweep
    quietly "$here" "$one" "$command" "$document" -j 1 --quiet -o "$here/one" || return 1
    for other in "${others[@]}"; do
        for way in "${ways[@]}"; do
            quietly "$here" "$way" "$other" "$command" "$document" "$here/other" || return 1
            if ! diff -rq -x run.json -x results.sqlite -x sweep-manifest.json "$here/one" "$here/other"; then
                echo "same_bytes.sh: $document: other bytes from $other, ${way//_/ }" >&2
                return 1
            fi
            rm -r "$here/other"
        done
    done
    rm -r "$here"
    echo "  $document: the same"
}

# Runs as many at a time as there are processors.
failed=0
for document in "${documents[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
        wait -n || failed=1
    done
    [ "$failed" = 0 ] || break
    same "$document" &
done
for job in $(jobs -p); do
    wait "$job" || failed=1
done
[ "$failed" = 0 ] || exit 1
echo "  ${#documents[@]} documents, ${#others[@]} programs, ${#ways[@]} ways (${ways[*]//_/ }; $locale)"
