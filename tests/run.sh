#!/usr/bin/env bash
# Installs what testing needs, builds, and runs the tests. Ends with ctest's closing lines or, if tests fail,
# with their output.
#   tests/run.sh          everything: half an hour on two cores, up to an hour and a half if nothing is compiled yet
#   tests/run.sh --quick  the release build and its tests: before each commit
#   tests/run.sh --long   also the random tests at their full sizes, a minute of fuzzing of each reader, the
#                         thread sanitizer, memcheck, other optimisations, mutants of the cores, the coverage
#                         of core and sim, how often intervals cover, and the published files in fresh
#                         Debians, if they can be made
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:---full}
case "$mode" in
    --full | --quick | --long) ;;
    *) echo "run.sh: unknown option $mode: expected --quick or --long" >&2; exit 2 ;;
esac

step() { echo; echo "== $* ($((SECONDS / 60)) min $((SECONDS % 60)) s)"; }

# Runs tests. The output of failing tests is repeated at the end, where people look first.
run_tests() { # PRESET [CTEST-OPTION...]
    local preset=$1
    shift
    ctest --preset "$preset" -j "$(nproc)" --progress "$@" && return
    local result=$?
    echo "== What failed said"
    awk '/^[0-9]+\/[0-9]+ Testing: / { said = "" } { said = said $0 "\n" } /^Test (Failed|Timeout)/ { print said }' \
        "build/$preset/Testing/Temporary/LastTest.log" | tail -n 200
    return "$result"
}

# Tests that take long, and run in the release build anyway. Of strange files and taken places, it is messages and folders
# that are tested, by hundreds of processes. The last two lines: sanitizers leave no room for a memory limit, and audits
# notice a wrong index before the test of the check does.
not_sanitized='one server$|delays nobody|no promise is broken|closed forms: |fingerprints|with bursts'
not_sanitized+='|where they are at hand|random backgrounds|trying everything|unlike GPUs|SIGKILL|hold them, and'
not_sanitized+='|says it will write|keeps the owner out|what the paper claims|overtake on shared GPUs'
not_sanitized+='|goes where another one is|goes the same way|strange files: |taken places: '
not_sanitized+='|in the place of a result$|hostile: a small|endless: '
not_sanitized+='|no memory is not called broken|that missed a change are found'

# Runs one test program under memcheck, which takes thirty times as long: tests that take seconds without it are left
# out.
memcheck() { # NAME [LEFT-OUT...]
    local name=$1 filter
    filter=$(printf '~"%s"' "${@:2}")
    echo "$name, without ${*:2}"
    env -u BERTH_LONG valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
        "build/release/berth_${name}_test" "$filter"
}

experiments/setup.sh --packages-only --for-tests
[ "$mode" = --long ] && export BERTH_LONG=1

step "release"
cmake --preset release -DBERTH_TESTS=ON -DBERTH_PYTHON=ON >/dev/null
cmake --build --preset release

if [ "$mode" != --quick ]; then
    # One build for both: the sanitizers are those of clang. Random runs, fuzzers, vectors and the program's own tests
    # cover all of it; the tests of single files are compiled a second time only with --long.
    step "second compiler, with address and undefined-behaviour sanitizers"
    folders='conformance|fuzz|property'
    targets=(berth berth_{fuzz,conformance_test,property_test})
    if [ "$mode" = --long ]; then
        folders+='|core|sim|topologies|workloads'
        targets+=(berth_{core,sim,topologies,workloads}_test)
    fi
    cmake --preset asan -DBERTH_TESTS=ON >/dev/null
    cmake --build --preset asan --target "${targets[@]}"
    run_tests asan -R "^($folders):" -E "$not_sanitized"
    # The tests of the release build run the program of the other build.
    BERTH_PROGRAM=$PWD/build/asan/berth run_tests release -R '^cli:' -E "$not_sanitized"
    step "the same bytes from both compilers"
    tests/same_bytes.sh build/release/berth build/asan/berth
fi
if [ "$mode" = --long ]; then
    step "every reader, a minute of fuzzing each"
    tests/fuzz/run.sh
    step "thread sanitizer: replications in threads"
    cmake --preset tsan -DBERTH_TESTS=OFF >/dev/null
    cmake --build --preset tsan --target berth
    for experiment in paper/random-pack-rack-soft paper/mega quota/company; do
        build/tsan/berth run "experiments/$experiment.yaml" -j 4 --quiet \
            --set spec.replications=40 -o build/tsan/run
    done
    step "the same bytes at any optimisation"
    for preset in O0 O3; do
        cmake --preset "$preset" -DBERTH_TESTS=OFF >/dev/null
        cmake --build --preset "$preset" --target berth
    done
    tests/same_bytes.sh build/release/berth build/O0/berth build/O3/berth
    step "memcheck"
    memcheck core '*unlike GPUs*' '*given up*' '*score index*' 'machine allocators*'
    memcheck conformance '*at hand*'
    memcheck sim 'duration index*' 'queue policies*'
    memcheck workloads 'intensity*' 'lines: a gigabyte*' 'files: a compressed*' '*where they are*' \
        'background*' 'streams*' 'seeds*'
    step "which lines and branches of core and sim run"
    cmake --preset covered -DBERTH_TESTS=ON >/dev/null
    cmake --build --preset covered --target berth_{conformance,core,property,sim}_test
    python3 tests/coverage_of_code/coverage_of_code.py build/covered \
        --least-lines 0.95 --least-branches 0.85
    step "500 mutants of the cores"
    python3 tests/mutation/mutate.py --count 500 --seed 1 --jobs "$(nproc)" --least 0.8
    step "what is published, in fresh Debians"
    tests/installed/debian.sh build/release || [ $? -eq 77 ]
    tests/installed/published.sh || [ $? -eq 77 ]
    step "how often 95 % intervals cover the long-run value"
    python3 tests/coverage/coverage.py build/release/berth --least 0.9
    step "how often a plan finds Erlang's number of servers"
    python3 tests/plan/erlang.py build/release/berth --seeds 200
fi
step "the whole suite"
run_tests release
