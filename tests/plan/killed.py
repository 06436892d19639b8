#!/usr/bin/env python3
"""A plan of 200 choices that is killed again and again ends with the same bytes as one that is not.

usage: killed.py BERTH [--kills N]
"""
import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PLAN = """kind: Plan
metadata: {name: killed}
spec:
  experiment:
    kind: Experiment
    spec:
      topology:
        spec:
          levels: [{name: server, count: 1}]
          machines: [{type: host}]
          machineTypes: {host: {capacity: {cpu: 1}}}
      types: {one: {cpu: 1}}
      workload:
        - generate:
            arrivals: {distribution: exponential, mean: 10s}
            service: {distribution: exponential, mean: 40s}
            count: 200
            type: one
  choose:
    - {path: 'levels[server].count', range: {from: 201, to: 400, step: 1}, monotone: false}
  require: ['pods_finished>=201']
"""


def contents(folder):
    """The bytes of each file, except for those that say how fast a run was."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "run.json"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("berth")
    parser.add_argument("--kills", type=int, default=5)
    options = parser.parse_args()
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "plan.yaml").write_text(PLAN)
        command = [options.berth, "plan", str(folder / "plan.yaml"), "-q", "-o"]
        begin = time.monotonic()
        whole = subprocess.run([*command, str(folder / "whole")], capture_output=True, text=True, check=False)
        took = time.monotonic() - begin
        if whole.returncode != 1 or "200 of 200 choices tried" not in whole.stdout:
            sys.exit(f"expected 200 choices that all miss the requirement: {whole.stdout}{whole.stderr}")
        killed = 0
        for _ in range(options.kills):
            process = subprocess.Popen([*command, str(folder / "killed"), "-j", "1"], stdout=subprocess.DEVNULL)
            time.sleep(draw.uniform(0.1, 0.3) * took)
            killed += process.poll() is None
            process.kill()
            process.wait()
        again = subprocess.run([*command, str(folder / "killed")], capture_output=True, text=True, check=False)
        if (again.returncode, again.stdout) != (whole.returncode, whole.stdout):
            sys.exit(f"the answer differs: {again.stdout}{again.stderr}")
        expected, found = contents(folder / "whole"), contents(folder / "killed")
        wrong = [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)]
        if wrong or not killed:
            sys.exit(f"{killed} kills; files that differ: {', '.join(sorted(wrong)[:10])}")
        print(f"{len(expected)} files are the same after {killed} kills")


if __name__ == "__main__":
    main()
