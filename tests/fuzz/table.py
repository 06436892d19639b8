#!/usr/bin/env python3
"""Summarises libFuzzer's logs in a table with one row for each target.

table.py LOGS FINDINGS PROGRAM TARGET...  ends with 1 if a target failed, and prints the command that runs its input
again.
"""
import re
import sys
from pathlib import Path


def last(pattern, text, otherwise="-"):
    found = re.findall(pattern, text)
    return found[-1] if found else otherwise


def row(target, log):
    return [target,
            last(r"number_of_executed_units:\s*(\d+)", log, last(r"#(\d+)\s", log)),
            last(r"Done \d+ runs in (\d+) second", log),
            last(r"peak_rss_mb:\s*(\d+)", log, last(r"rss: (\d+)Mb", log)),
            last(r"slowest_unit_time_sec:\s*(\d+)", log),
            last(r"cov: (\d+)", log),
            last(r"ft: (\d+)", log)]


def cause(log):
    """What ended a target: the text of an exception or an assertion says more than libFuzzer's summary."""
    for pattern in (r"what\(\):\s*(.*)", r"(.*berth is broken: .*)", r"(.*runtime error: .*)", r"SUMMARY: (.*)"):
        if found := re.search(pattern, log):
            return found[1]
    return log[-400:]


def main(logs, program, targets):
    header = ["target", "executions", "seconds", "peak MB", "slowest s", "edges", "features"]
    rows = [header] + [row(target, (logs / target).read_text(errors="replace")) for target in targets]
    widths = [max(len(line[i]) for line in rows) for i in range(len(header))]
    for line in rows:
        print("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))))
    failed = 0
    for target in targets:
        log = (logs / target).read_text(errors="replace")
        if not re.search(r"^Done \d+ runs", log, re.M):
            failed += 1
            print(f"\n{target}: {cause(log)}")
            found = last(r"Test unit written to (\S+)", log, "")
            print(f"  again: {program} {target} {found}" if found else f"  see {logs / target}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[3], sys.argv[4:]))
