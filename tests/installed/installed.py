#!/usr/bin/env python3
"""Checks that what `cmake --install` puts into a prefix is complete, agrees with the program, and works from there.

installed.py BUILD: installs that build into a folder of its own. Every file is where it is expected, and none names
the build; each option that `--help` prints is on the manual page, which man and mandoc read without a warning; lines
are completed in bash, and in zsh and fish if they are installed.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import shells

EXPERIMENT = """kind: Experiment
metadata: {name: small}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: small}]
      machineTypes: {small: {capacity: {cpu: 8}}}
  types: {one: {cpu: 1}}
  workload:
    - generate:
        arrivals: {distribution: constant, value: 10s}
        service: {distribution: constant, value: 20s}
        count: 5
        type: one
"""
SWEEP = """kind: Sweep
metadata: {name: points}
spec:
  experiment: {file: small.yaml}
  axes:
    - {name: count, path: 'spec.workload[0].generate.count', values: [5, 10]}
"""
COMPLETIONS = ["bash-completion/completions/berth", "fish/vendor_completions.d/berth.fish", "zsh/site-functions/_berth"]
ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r"^project\(berth VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
LIBRARY = ["include/berth.h", "lib/cmake/berth/berth-config-release.cmake",
           "lib/cmake/berth/berth-config-version.cmake", "lib/cmake/berth/berth-config.cmake",
           "lib/libberth.so", "lib/libberth.so.1", f"lib/libberth.so.1.{VERSION}", "lib/pkgconfig/berth.pc"]
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES C)
find_package(berth {VERSION} REQUIRED)
add_executable(ask_easy ask_easy.c)
target_link_libraries(ask_easy PRIVATE berth::berth)
"""

# How TAB completes the last words of a line: in bash and zsh the whole line, in fish the last word without quotes. Only
# bash ends the name of a run with a slash if the name has to be quoted.
LINES = [
    ("berth wo", "berth workload ", ["workload"]),
    ("berth run --th", "berth run --threads ", ["--threads"]),
    ("berth run sma", "berth run small.yaml ", ["small.yaml"]),
    ("berth run --output=o", "berth run --output=out/", ["--output=out/"]),
    ("berth topology --format=gro", "berth topology --format=group-keys ", ["--format=group-keys"]),
    ("berth list scor", "berth list scores ", ["scores"]),
    ("berth why 'out/my", {"bash": "berth why 'out/my run'/", "zsh": "berth why 'out/my run' "}, ["out/my run"]),
    ('berth why "out/my r', {"bash": 'berth why "out/my run"/', "zsh": 'berth why "out/my run" '}, ["out/my run"]),
    ('berth why "out/my', {"bash": 'berth why "out/my run"/', "zsh": 'berth why "out/my run" '}, ["out/my run"]),
    ("berth why out/my\\ r", {"bash": "berth why out/my\\ run/", "zsh": "berth why out/my\\ run "}, ["out/my run"]),
    ("berth why out/poi", "berth why out/points:", ["out/points:"]),
    ("berth why out/points:count=1", "berth why out/points:count=10 ", ["out/points:count=10"]),
    ("berth compare out/my\\ run -m pods_fin", "berth compare out/my\\ run -m pods_finished ", ["pods_finished"]),
    ("berth compare out/kinds -m wait_s_mean\\[", "berth compare out/kinds -m wait_s_mean\\[team\\ a\\] ",
     ["wait_s_mean[team a]"]),
    ("berth plot out/points --where cou", "berth plot out/points --where count=", ["count="]),
    ("berth run --set spec.scheduler.profile.score=\\[wor",
     "berth run --set spec.scheduler.profile.score=\\[worst-fit\\] ", ["spec.scheduler.profile.score=[worst-fit]"]),
    ("berth run nothing-like-that", "berth run nothing-like-that", []),
    ("cd . && berth verif", "cd . && berth verify ", ["verify"]),
]

faults = []


def check(holds, what):
    if not holds:
        faults.append(what)


def output(*command, **how):
    return subprocess.run(command, text=True, capture_output=True, check=True, **how).stdout


def commands(berth):
    return re.findall(r"^  (\S+)", output(berth, "--help"), re.MULTILINE)


def check_files(build, prefix, names):
    pages = [f"man/man1/{name}.1" for name in ["berth"] + [f"berth-{name}" for name in names]]
    share = pages + COMPLETIONS + ["doc/berth/LICENSE", "doc/berth/README.md"]
    expected = sorted(["bin/berth"] + LIBRARY + [f"share/{name}" for name in share])
    found = sorted(str(file.relative_to(prefix)) for file in prefix.rglob("*") if file.is_file())
    check(found == expected, f"installed {found}: expected {expected}")
    for name in found:
        check(str(build).encode() not in (prefix / name).read_bytes(), f"{name} names the build folder {build}")


def check_library(prefix):
    """Compiles a C program against the prefix, with pkg-config and with CMake, and runs it with the installed
    library."""
    example = ROOT / "docs/examples/ask_easy.c"
    runs = {"LD_LIBRARY_PATH": str(prefix / "lib"), "PATH": "/usr/bin:/bin"}
    with tempfile.TemporaryDirectory() as folder:
        if shutil.which("pkg-config"):
            words = output("pkg-config", "--cflags", "--libs", "berth",
                           env={"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"), "PATH": "/usr/bin:/bin"}).split()
            output("cc", "-std=c99", str(example), *words, "-o", "ask_easy", cwd=folder)
            check("at 90 s job 3 starts" in output(f"{folder}/ask_easy", env=runs), "the example by pkg-config")
        shutil.copy(example, folder)
        Path(folder, "CMakeLists.txt").write_text(PROJECT)
        output("cmake", "-S", folder, "-B", f"{folder}/build", f"-DCMAKE_PREFIX_PATH={prefix}")
        output("cmake", "--build", f"{folder}/build")
        check("at 90 s job 3 starts" in output(f"{folder}/build/ask_easy", env=runs), "the example by CMake")


def plain(page):
    """A manual page as a terminal shows it; man must not report anything."""
    shown = subprocess.run(["man", "--warnings", "-l", page], text=True, capture_output=True,
                           env={"LC_ALL": "C.UTF-8", "MANWIDTH": "300", "PATH": "/usr/bin:/bin", "MANPAGER": "cat"})
    check(shown.returncode == 0 and shown.stderr == "", f"man {page}: {shown.stderr}")
    return re.sub(".\b", "", shown.stdout)


def check_pages(berth, prefix, names):
    pages = {name: prefix / f"share/man/man1/berth-{name}.1" for name in names}
    if shutil.which("mandoc"):
        linted = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages.values(),
                                 prefix / "share/man/man1/berth.1"], text=True, capture_output=True)
        # A page without a date is the same for everyone who makes it.
        said = [line for line in linted.stdout.splitlines() if "missing date" not in line]
        check(not said, "mandoc: " + "\n".join(said))
    if not shutil.which("man"):
        return
    whole = plain(prefix / "share/man/man1/berth.1")
    for name, page in pages.items():
        check(f"  {name}\n" in whole or f"  {name} " in whole, f"berth(1) does not tell of {name}")
        text = plain(page)
        options = re.findall(r"^  (?:-\w \[ )?(--[a-z-]+)", output(berth, name, "--help"), re.MULTILINE)
        check("--help" in options, f"no options in the help of {name}")
        for option in options:
            check(re.search(rf"^ *(-\w, )?{option}( |$)", text, re.MULTILINE), f"berth-{name}(1) has no {option}")


def check_completion(prefix):
    for name in ("bash", "zsh", "fish"):
        if not shutil.which(name):
            print(f"{name} is not installed: its completion is not tested")
            continue
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
            prepare(prefix / "bin/berth", Path(folder))
            try:
                complete_lines(name, shells.start(name, prefix, folder, home))
            except shells.Unanswered as fault:
                faults.append(f"{name}: {fault}")


def complete_lines(name, shell):
    for line, completed, word in LINES:
        expected = word if name == "fish" else completed[name] if isinstance(completed, dict) else completed
        found = shell.after_tab(line)
        check(found == expected, f"{name}: {line!r} becomes {found!r}: expected {expected!r}")
    shell.close()


def prepare(berth, folder):
    """Creates what the lines name: an experiment, a run with a blank in its name, a sweep, a metric's name with
    brackets."""
    (folder / "small.yaml").write_text(EXPERIMENT)
    (folder / "sweep.yml").write_text(SWEEP)
    output(berth, "run", "small.yaml", "-o", "out/my run", "-q", cwd=folder)
    output(berth, "sweep", "sweep.yml", "-o", "out/points", "-q", cwd=folder)
    (folder / "out/kinds").mkdir()
    (folder / "out/kinds/summary.json").write_text("{}")
    (folder / "out/kinds/replications.csv").write_text("replication,seed,wait_s_mean,wait_s_mean[team a]\n")


def main():
    build = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        prefix = Path(folder).resolve() / "prefix"
        output("cmake", "--install", str(build), "--prefix", str(prefix))
        berth = prefix / "bin/berth"
        names = commands(berth)
        check(output(berth, "--version").startswith(f"berth {VERSION} "), output(berth, "--version"))
        cited = (ROOT / "CITATION.cff").read_text()
        for page in ("README.md", "docs/how-to/install-without-a-compiler.md"):
            named = set(re.findall(r"\bberth(?:_sim)?[-_](\d[\d.]*\d)", (ROOT / page).read_text()))
            check(named == {VERSION}, f"{page} names versions {named}: expected {VERSION}")
        check(f"\nversion: {VERSION}\n" in cited, "CITATION.cff has another version than CMakeLists.txt")
        check(len(names) > 10, f"commands: {names}")
        check_files(build, prefix, names)
        check_library(prefix)
        check_pages(berth, prefix, names)
        check_completion(prefix)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
