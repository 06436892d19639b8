"""Writes an experiment of a site and lets berth, or the plain model, run it."""

import csv
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

JOBS = ("job", "submit_s", "gpus", "model", "batch_size", "steps", "samples", "plan", "step_s", "limit_s")
SPEEDS = ("model", "batch_size", "gpus", "steps_per_s")
SCHEDULE = ("job", "first_round", "last_round", "workers")

# Constants of the sites, in seconds: measured on the two runs of site A and the one of site B that are not tests.
ROUND = {"round": 120, "lookAhead": 60, "perEndedLease": 1, "launch": 6}
TICK = {"tick": 360, "launch": 25}
SPARE = 2  # replays have this many times the servers, for jobs that are not done when their record is

EXPERIMENT = """\
apiVersion: berth/v1
kind: Experiment
metadata: {{name: {name}}}
spec:
  topology:
    spec:
      levels: [{{name: server, count: {servers}}}]
      machines: [{{type: node}}]
      machineTypes: {{node: {{capacity: {{cpu: 64, memory: 512Gi, nvidia.com/gpu: {gpus}}}}}}}
  workload: [{{trace: {{format: training, file: jobs.csv{speeds}, zero: trace}}}}]
  scheduler: {{rounds: {{{rounds}}}}}
"""


@dataclass
class Answer:
    times: dict      # job -> time from arrival to end
    launches: int    # changes of workers, or launches at a tick
    schedule: list   # (job, first round, last round, workers); empty for ticks


@dataclass
class Task:
    """One run of a site: its folder of inputs, and the keys of `scheduler: rounds`."""

    folder: Path
    servers: int
    gpus: int
    rounds: dict


def write(folder, site, jobs, speeds, rounds, schedule=None):
    """Writes the inputs of a run and returns its task. rounds: durations are numbers of seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(folder / "jobs.csv", JOBS, jobs)
    if speeds:
        write_csv(folder / "speeds.csv", SPEEDS, speeds)
    if schedule is not None:
        write_csv(folder / "schedule.csv", SCHEDULE, [dict(zip(SCHEDULE, row)) for row in schedule])
    servers = site.servers * (SPARE if schedule is not None else 1)
    keys = ", ".join(f"{key}: {value if isinstance(value, str) else f'{value}s'}" for key, value in rounds.items())
    (folder / "experiment.yaml").write_text(EXPERIMENT.format(
        name=folder.name, servers=servers, gpus=site.gpus, rounds=keys,
        speeds=", speeds: {file: speeds.csv}" if speeds else ""), encoding="utf-8")
    return Task(folder, servers, site.gpus, rounds)


def write_csv(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def run_berth(berth, task):
    out = task.folder / "out"
    ended = subprocess.run([berth, "run", task.folder / "experiment.yaml", "--quiet", "-o", out],
                           stderr=subprocess.PIPE, text=True)
    if ended.returncode != 0:
        raise SystemExit(ended.stderr)
    jobs = rows_of(out / "jobs.csv")
    times = {row["job"]: float(row["finish_s"]) - float(row["submit_s"]) for row in jobs}
    if "tick" in task.rounds:
        return Answer(times, sum(int(row["launches"]) for row in jobs), [])
    schedule = [(row["job"], int(row["first_round"]), int(row["last_round"]), row["workers"])
                for row in rows_of(out / "leases.csv")]
    return Answer(times, len(schedule), schedule)


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run_model(task):
    """The same by the plain model of the tests."""
    model_folder = str(Path(__file__).resolve().parents[2] / "tests/rounds")
    if model_folder not in sys.path:
        sys.path.insert(0, model_folder)
    import model
    rounds = {key: value if isinstance(value, str) else model.scaled(str(value), model.SECOND)
              for key, value in task.rounds.items()}
    if "replay" in rounds:
        rounds["replay"] = task.folder / rounds["replay"]
    speeds = task.folder / "speeds.csv"
    result = model.run(task.folder / "jobs.csv", speeds if speeds.exists() else None, rounds, task.servers, task.gpus)
    times = {job.name: (job.finish - job.submit) / model.SECOND for job in result.jobs}
    if "tick" in rounds:
        return Answer(times, sum(job.launches for job in result.jobs), [])
    return Answer(times, len(result.leases), result.leases)
