#!/usr/bin/env python3
"""Compares what `berth slurm` decides with recordings of a real Slurm.

compare.py BERTH FOLDER [--own-clock | --known-lengths] [--details] [--require]

FOLDER has recordings, NAME.json each: the cluster, the jobs, the instants of the passes, and what was seen. berth is
given all but what was seen. Each line says how many jobs and tasks started, how many of them start within 2 s of the
real start, and how many on the very same nodes. --known-lengths tells berth how long each job really ran. --own-clock
leaves out the instants of the passes: a line then compares the mean waits. With --require it fails unless 97.8 % of the
starts of recordings of what berth follows are within 2 s and 97.3 % on the same nodes, or on its own clock, in the
median, waits are within 10 % and starts within 0.15 of the mean wait. Without FOLDER the status is 77.
"""
import json
import statistics
import subprocess
import sys
from pathlib import Path

# Of these, docs/reference/slurm-decisions.md says that berth does not follow all.
OPEN = ("gpu_total", "packend", "v26_")
SEEN = ("starts", "ends", "where", "reasons", "state", "tasks", "refused")


def runs_of(job):
    """(start, nodes, end or None, task) of each time that a job or a task of an array ran."""
    if "tasks" in job:
        return [(start[0], start[2], ends[0] if ends else None, task["task"])
                for task in job["tasks"]
                for start, ends in zip(task["starts"], task["ends"] + [None] * len(task["starts"]))]
    starts, ends = job.get("starts", []), job.get("ends", [])
    return [(start["at_s"], start["nodes"], ends[k]["at_s"] if k < len(ends) else None, None)
            for k, start in enumerate(starts)]


def request_of(recording, known_lengths, own_clock):
    request = {key: value for key, value in recording.items() if key not in ("plans", "jobs")}
    if own_clock:
        request.pop("cycles", None)
    request["jobs"] = []
    for job in recording["jobs"]:
        asked = {key: value for key, value in job.items() if key not in SEEN}
        runs = runs_of(job)
        if known_lengths and "tasks" in job:
            asked["task_run_s"] = {str(task): round(end - start, 3) for start, _, end, task in runs if end}
        elif known_lengths and len(runs) == 1 and runs[0][2]:
            asked["run_s"] = round(runs[0][2] - runs[0][0], 3)
        request["jobs"].append(asked)
    return request


def pairs_of(recording, answer):
    """Each real start with the one that berth answers for it, or None."""
    for job in recording["jobs"]:
        starts = answer["jobs"][job["name"]]["starts"]
        for k, real in enumerate(runs_of(job)):
            if real[3] is not None:
                mine = next((start for start in starts if start.get("task") == real[3]), None)
            else:
                mine = starts[k] if k < len(starts) else None
            yield job, real, mine


def compare_driven(recording, answer, details):
    count = near = same = 0
    for job, real, mine in pairs_of(recording, answer):
        is_near = mine is not None and abs(mine["at_s"] - real[0]) <= 2
        is_same = mine is not None and mine["nodes"] == real[1]
        count, near, same = count + 1, near + is_near, same + is_same
        if details and not (is_near and is_same):
            told = mine and (mine["at_s"], mine["by"], mine["nodes"])
            print(f"    {job['name']}: Slurm {real[:2]}, berth {told}")
    return count, near, same


def compare_waits(recording, answer):
    """(mean wait of berth / that of Slurm, mean difference of a start / mean wait of Slurm)."""
    pairs = [(job["submit_s"], real[0], mine["at_s"]) for job, real, mine in pairs_of(recording, answer) if mine]
    real_wait = sum(real - submit for submit, real, _ in pairs)
    mine_wait = sum(mine - submit for submit, _, mine in pairs)
    return mine_wait / real_wait, sum(abs(mine - real) for _, real, mine in pairs) / real_wait


def refusals_differ(recording, answer):
    return sum(("refused" in job) != ("refused" in answer["jobs"][job["name"]]) for job in recording["jobs"])


def is_open(recording):
    return any(name in recording["recording"] for name in OPEN)


def judge_driven(found, require):
    """Prints the sums over all recordings, and over those of what berth follows."""
    for what, rows in (("all", found), ("what is followed", [row for row in found if not is_open(row[0])])):
        starts, near, same = (sum(row[1][part] for row in rows) for part in range(3))
        print(f"{what}: {len(rows)} recordings, {starts} starts, {100 * near / starts:.1f} % within 2 s, "
              f"{100 * same / starts:.1f} % on the same nodes")
    if require and (near < 0.978 * starts or same < 0.973 * starts):
        sys.exit("fewer than 97.8 % of the starts are within 2 s, or 97.3 % on the same nodes")


def judge_waits(found, require):
    wait, difference = (statistics.median(row[1][part] for row in found) for part in range(2))
    print(f"median of {len(found)} recordings: mean wait {wait:.2f} of Slurm's, "
          f"difference of a start {difference:.3f} of the mean wait")
    if require and (not 0.9 <= wait <= 1.1 or difference > 0.15):
        sys.exit("waits are not within 10 % of Slurm's, or starts not within 0.15 of the mean wait")


def answers_of(berth, recordings, known_lengths, own_clock):
    requests = "".join(json.dumps(request_of(each, known_lengths, own_clock)) + "\n" for each in recordings)
    done = subprocess.run([berth, "slurm", "--jsonl"], input=requests, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    own_clock, require = "--own-clock" in sys.argv, "--require" in sys.argv
    if len(arguments) != 2:
        sys.exit("usage: compare.py BERTH FOLDER, where FOLDER has recordings: NAME.json")
    files = sorted(Path(arguments[1]).glob("*.json"))
    if not files:
        print(f"{arguments[1]} has no recordings: skipped")
        sys.exit(77)
    recordings = [json.loads(file.read_text()) for file in files]
    if not own_clock:
        recordings = [recording for recording in recordings if recording.get("cycles", {}).get("main")]
    found = []
    answers = answers_of(arguments[0], recordings, "--known-lengths" in sys.argv, own_clock)
    for recording, answer in zip(recordings, answers, strict=True):
        name = recording["recording"]
        if "error" in answer:
            sys.exit(f"{name}: {answer['error']}")
        if own_clock:
            found.append((recording, compare_waits(recording, answer)))
            print(f"{name:18} mean wait {found[-1][1][0]:.2f} of Slurm's, difference {found[-1][1][1]:.2f}")
        else:
            found.append((recording, compare_driven(recording, answer, "--details" in sys.argv)))
            refusals = refusals_differ(recording, answer)
            told = f", {refusals} other refusals" if refusals else ""
            print(f"{name:18} {'/'.join(map(str, found[-1][1]))}{told}")
    (judge_waits if own_clock else judge_driven)(found, require)


if __name__ == "__main__":
    main()
