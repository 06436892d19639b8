#!/usr/bin/env python3
"""How often `berth plan` finds the number of servers that Erlang's formula gives.

usage: erlang.py BERTH [--seeds N] [--first SEED] [--least SHARE]

Jobs come at random to c servers and take exponential times (M/M/c). The plan asks for the least c with which the chance
of a wait longer than t is at most 5 %, at a confidence of 95 %. There are two kinds of cases:

- `clear`: one server less misses the bound by a third or more, and the answer keeps it with room. Erlang's number must
  be found in at least the given share of the seeds.
- `edge`: Erlang's number keeps the bound by 3 % only. A plan in doubt says a larger number. An answer below Erlang's
  number is wrong, and must be as rare as the confidence promises; how often it is larger is printed.
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EVERY_S = 10
SHARE = 0.05


def waits(servers, load):
    """Erlang's C: the share of jobs that wait, with `load` times the work of one server."""
    terms = [load**n / math.factorial(n) for n in range(servers)]
    queued = load**servers / math.factorial(servers) * servers / (servers - load)
    return queued / (sum(terms) + queued)


def longer_than(servers, load, t):
    """The share of jobs that wait longer than t: C e^(-(c m - l) t)."""
    service = load * EVERY_S
    return waits(servers, load) * math.exp(-(servers - load) * t / service)


def least_servers(load, t):
    servers = math.floor(load) + 1
    while longer_than(servers, load, t) > SHARE:
        servers += 1
    return servers


def wait_that_share_exceeds(servers, load):
    """The t that a share of exactly 5 % of the jobs waits longer than."""
    return math.log(waits(servers, load) / SHARE) * load * EVERY_S / (servers - load)


def experiment(load):
    return f"""kind: Experiment
metadata: {{name: erlang}}
spec:
  topology:
    spec:
      levels: [{{name: server, count: 1}}]
      machines: [{{type: host}}]
      machineTypes: {{host: {{capacity: {{cpu: 1}}}}}}
  types: {{one: {{cpu: 1}}}}
  workload:
    - generate:
        arrivals: {{distribution: exponential, mean: {EVERY_S}s}}
        service: {{distribution: exponential, mean: {round(load * EVERY_S * 1000)}ms}}
        count: 4000
        type: one
  record: {{placements: false, from: 2000s, to: 38000s, sampleEvery: 100000s}}
"""


def cases():
    """Each case: its name, the load, and the wait that few may exceed, in milliseconds."""
    return [("clear", 4, 22001),
            ("clear", 8, 12001),
            ("edge", 4, round(1030 * wait_that_share_exceeds(6, 4)) // 10 * 10 + 1)]


def answer(berth, load, wait_ms, seed):
    """The number of servers that a plan finds, and the number of replications that it took."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "erlang.yaml"
        file.write_text(experiment(load))
        first = math.floor(load) + 1
        done = subprocess.run(
            [berth, "plan", str(file), "--choose", f"levels[server].count={first}..{first + 7}", "--require",
             f"job_wait_over_{wait_ms}ms_share<={SHARE}", "--seed", str(seed), "--json", "-q", "-j", "1", "-o",
             str(Path(folder) / "out")],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"seed {seed}: berth plan ended with {done.returncode}: {done.stderr}{done.stdout}")
        found = json.loads(done.stdout)
        return int(found["answer"].split()[0]), found["replications"]


def check_case(options, name, load, wait_ms):
    right = least_servers(load, wait_ms / 1000)
    seeds = range(options.first, options.first + options.seeds)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda seed: answer(options.berth, load, wait_ms, seed), seeds))
    equal = sum(servers == right for servers, _ in found) / options.seeds
    below = sum(servers < right for servers, _ in found) / options.seeds
    replications = sum(count for _, count in found) / options.seeds
    print(f"{name}: load {load}, at most 5 % wait longer than {wait_ms / 1000:.1f} s: Erlang says {right}; found in "
          f"{100 * equal:.1f} % of {options.seeds} seeds, fewer in {100 * below:.1f} %, with {replications:.0f} "
          "replications on average")
    return below <= 1 - options.least and (name == "edge" or equal >= options.least)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("berth")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.95)
    options = parser.parse_args()
    results = [check_case(options, *case) for case in cases()]
    sys.exit(0 if all(results) else "a plan finds Erlang's number less often than it promises")


if __name__ == "__main__":
    main()
