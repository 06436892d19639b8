#!/usr/bin/env python3
"""Checks whether berth executes more instructions than it used to.

usage: instructions.py BERTH COMPILER [--update] [--only NAME]...

Runs the commands of instructions.csv under valgrind's callgrind, which counts the same instructions on every run, and
compares: more than 3 % above the recorded number fails and names the benchmark. For `berth bench`, only the units of
work are counted; for other commands, everything is. --update records the new counts; the reason belongs into the
commit. Counts depend on the compiler: if it is not the one in the file's first line, nothing is compared. Without that
compiler or without valgrind, the exit status is 77, and 1 if CI is set in the environment.
"""
import argparse
import csv
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

FILE = pathlib.Path(__file__).with_name("instructions.csv")
PROJECT = FILE.parents[2]
LIMIT = 1.03
COUNTED = "berth::experiments::do_units*"
# Under valgrind, long doubles have 53 bits, so that core/support/exact_math.cpp computes every result; on the processor
# it does so one time in thirty. Its instructions are left out.
LEFT_OUT = re.compile(r"^ *([\d,]+) .*\bberth::core::exact::\w+\(", re.M)
# The C library and OpenSSL have variants of functions for each kind of processor; the counts are those of the plain
# ones.
PLAIN = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-BMI2,-ERMS,"
                           "-FMA,-FMA4,-FSRM,-LZCNT,-MOVBE,-SSE4_1,-SSE4_2,-SSSE3,-RTM",
         "OPENSSL_ia32cap": "0"}


def skip(why):
    print(f"instructions: {why}")
    sys.exit(1 if os.environ.get("CI") else 77)


def recorded():
    with FILE.open() as lines:
        compiler = next(lines).removeprefix("# ").strip()
        return compiler, list(csv.DictReader(lines))


def count(berth, command, folder):
    """Counts the instructions of one command; {run} in it is a finished run, {out} an unused name."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        words = [word.format(run=f"{folder}/run", out=f"{own}/out") for word in shlex.split(command)]
        counts = pathlib.Path(own) / "counts"
        inside = [f"--toggle-collect={COUNTED}"] if words[0] == "bench" else []
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", *inside, berth, *words],
            cwd=PROJECT, env=os.environ | PLAIN, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"instructions: berth {command} failed:\n{done.stderr}")
        inclusive = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", "--threshold=100", counts],
            capture_output=True, text=True, check=True).stdout
        left_out = sum(int(n.replace(",", "")) for n in LEFT_OUT.findall(inclusive))
        return int(re.search(r"^(?:summary|totals): (\d+)", counts.read_text(), re.M)[1]) - left_out


def counts_of(berth, rows):
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        subprocess.run([berth, "run", "experiments/quota/company.yaml", "--quiet", "--threads", "1",
                        "--set", "spec.replications=2", "-o", f"{folder}/run"],
                       cwd=PROJECT, check=True, capture_output=True)
        return list(pool.map(lambda row: count(berth, row["command"], folder), rows))


def judge(row, counted):
    """Whether the count is within the limit; prints a line."""
    before = int(row["instructions"])
    ratio = counted / before if before else float("inf")
    verdict = "" if ratio <= LIMIT else f"  more than {LIMIT - 1:.0%} up"
    if ratio < 1 / LIMIT:
        verdict = "  fewer: record it with --update"
    print(f"{row['benchmark']:34} {counted:>13,} {ratio - 1:+8.2%}{verdict}", flush=True)
    return ratio <= LIMIT


def update(compiler, rows):
    with FILE.open("w", newline="") as out:
        out.write(f"# {compiler}\n")
        writer = csv.DictWriter(out, ["benchmark", "instructions", "command"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__)
    parser.add_argument("berth")
    parser.add_argument("compiler")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        skip("valgrind is missing, so that nothing is counted: install it with experiments/setup.sh --for-tests")
    compiler, rows = recorded()
    if compiler != options.compiler and not options.update:
        skip(f"recorded with {compiler}, built with {options.compiler}: not compared")
    chosen = [row for row in rows if not options.only or row["benchmark"] in options.only]
    counted = counts_of(str(pathlib.Path(options.berth).resolve()), chosen)
    kept = [judge(row, n) for row, n in zip(chosen, counted)]
    if options.update:
        for row, n in zip(chosen, counted):
            row["instructions"] = n
        update(options.compiler, rows)
    elif not all(kept):
        names = ", ".join(row["benchmark"] for row, ok in zip(chosen, kept) if not ok)
        print(f"more instructions than tests/instructions/instructions.csv has: {names}\n"
              "Make it as fast as before, or record what it takes now with --update, with the reason "
              "in the commit.")
        sys.exit(1)


if __name__ == "__main__":
    main()
