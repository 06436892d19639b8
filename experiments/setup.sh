#!/usr/bin/env bash
# Installs what berth needs on Debian 12 (packages, and the report's npm lock file), and builds everything for users:
# the program build/release/berth, the static program, the library for C, manual pages, and the Python package in
# build/release/python. Running it again is quick and changes nothing. --program-only builds only build/release/berth.
# --packages-only and --for-tests are for tests/run.sh: the first builds nothing, and the second also installs what the
# tests need.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
    cmake g++ ninja-build nodejs npm
    libboost-dev libboost-graph-dev libboost-iostreams-dev libboost-program-options-dev
    libboost-random-dev libeigen3-dev libfmt-dev libmpfr-dev libsqlite3-dev libssl-dev
    libyaml-cpp-dev libzstd-dev nlohmann-json3-dev librsvg2-bin python3 ccache mold
)
build=yes
python=yes
tests=no
for option in "$@"; do
    case "$option" in
        --packages-only) build=no ;;
        --program-only) python=no ;;
        --for-tests)
            tests=yes
            packages+=(catch2 chromium clang-19 clang-format-19 clang-tidy-19 debootstrap dpkg-dev fish
                       libclang-rt-19-dev lintian man-db mandoc munge python3 python3-venv python3-yaml
                       slurm-wlm valgrind zsh) ;;
        *) echo "setup.sh: unknown option $option: expected --program-only, --packages-only or --for-tests" >&2
           exit 2 ;;
    esac
done
[ "$python" = no ] || packages+=(pybind11-dev python3-dev)

# A command that exists already needs no package, however it was installed.
provided_by_command() {
    case "$1" in
        cmake | g++) command -v "$1" ;;
        ninja-build) command -v ninja ;;
        nodejs) command -v node ;;
        npm) command -v npm ;;
        *) return 1 ;;
    esac
}
missing=()
for package in "${packages[@]}"; do
    if provided_by_command "$package" >/dev/null; then
        continue
    fi
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
    echo "installing: ${missing[*]}"
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# The report's npm packages, from its lock file. A build needs those that make the page; those that check the page are
# only for tests. The copy of the lock file records what is installed, so that nothing is installed twice.
page=experiments/program/report
installed=$page/node_modules/.installed
if [ "$tests" = yes ]; then
    installed=$page/node_modules/.installed-for-tests
fi
if ! cmp -s "$page/package-lock.json" "$installed"; then
    echo "installing the report's npm packages"
    omit=(--omit=dev)
    [ "$tests" = no ] || omit=()
    npm ci --prefix "$page" "${omit[@]}" --ignore-scripts --no-audit --no-fund --silent
    cp "$page/package-lock.json" "$page/node_modules/.installed"
    cp "$page/package-lock.json" "$installed"
fi

# The packages that the tests of the Python package import, in an environment of their own. The copy of the list records
# what is installed.
environment=build/test-environment
if [ "$tests" = yes ] && ! cmp -s tests/python/requirements.txt "$environment/.installed"; then
    echo "installing the Python packages of the tests"
    /usr/bin/python3 -m venv --clear "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement tests/python/requirements.txt
    cp tests/python/requirements.txt "$environment/.installed"
fi

# Shows the progress of a build and an estimate of the remaining time, and all output of the compiler. On a terminal it
# updates one line; elsewhere it prints a line for each tenth.
progress() {
    local line say told=0 open= began=$SECONDS
    while IFS= read -r line; do
        if [[ $line =~ ^([0-9]+)\ of\ ([0-9]+)\ steps ]]; then
            local finished=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]} took=$((SECONDS - began))
            say="building berth: $finished of $all steps after $(length "$took")"
            ((finished < 10)) || say+="; about $(length $((took * (all - finished) / finished))) left"
            if [ -t 1 ]; then
                printf '\r%s\033[K' "$say"
                open=yes
            elif ((10 * finished / all > told)); then
                told=$((10 * finished / all))
                echo "$say"
            fi
        elif [[ $line != "ninja: "* ]]; then
            [ -z "$open" ] || echo
            open=
            echo "$line"
        fi
    done
    [ -z "$open" ] || echo
}
length() { # SECONDS
    if (($1 < 90)); then echo "$1 s"; else echo "$((($1 + 30) / 60)) min"; fi
}

if [ "$build" = yes ]; then
    options=(-DBERTH_TESTS="${BERTH_TESTS:-OFF}")
    target=berth
    if [ "$python" = yes ]; then
        options+=(-DBERTH_PYTHON=ON)
        target=all
    fi
    cmake --preset release "${options[@]}" >/dev/null
    [ -e build/release/berth ] ||
        echo "building berth: about $((14 / $(nproc) + 1)) minutes on this machine's $(nproc) cores; later only what has changed"
    NINJA_STATUS='%f of %t steps ' cmake --build --preset release --target "$target" 2>&1 | progress
fi
