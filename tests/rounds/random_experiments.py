"""Small random experiments of training jobs: files of jobs and speeds, keys of `scheduler: rounds`, a cluster.

Speeds, passes and times of arrival have few values, so that many things happen at one instant and many jobs are equal.
"""

import csv
import random
from dataclasses import dataclass
from pathlib import Path

import model

JOBS = ("job", "submit_s", "gpus", "model", "batch_size", "steps", "samples", "plan", "step_s", "limit_s")
SPEEDS = ("model", "batch_size", "gpus", "steps_per_s")
BATCHES = (8, 16, 32, 64)
POLICIES = ("max-min", "mst", "allox", "themis", "gandiva-fair")
TICKING = ("srtf", "srsf", "tiresias", "themis")

EXPERIMENT = """\
apiVersion: berth/v1
kind: Experiment
metadata: {{name: rounds}}
spec:
  topology:
    spec:
      levels: [{{name: server, count: {servers}}}]
      machines: [{{type: node}}]
      machineTypes: {{node: {{capacity: {{cpu: 64, memory: 512Gi, nvidia.com/gpu: {gpus}}}}}}}
  workload: [{{trace: {{format: training, file: jobs.csv, speeds: {{file: speeds.csv}}, zero: trace}}}}]
  scheduler: {{rounds: {{{rounds}}}}}
"""


@dataclass
class Case:
    folder: Path
    servers: int
    gpus: int      # of a server
    rounds: dict   # durations in seconds

    def answer(self):
        """What the model says."""
        rounds = {key: value if isinstance(value, str) else value * model.SECOND
                  for key, value in self.rounds.items()}
        if "replay" in rounds:
            rounds["replay"] = self.folder / rounds["replay"]
        return model.run(self.folder / "jobs.csv", self.folder / "speeds.csv", rounds, self.servers, self.gpus)


def random_case(seed, folder):
    rng = random.Random(seed)
    kind = rng.choice(("rounds", "rounds", "ticks", "replay"))
    servers, gpus = rng.randint(1, 4), rng.choice((1, 2, 4))
    sizes = [size for size in (1, 2, 4, 8, 16) if size <= servers * gpus and (size <= gpus or size % gpus == 0)]
    write_csv(folder / "speeds.csv", SPEEDS, random_speeds(rng, sizes))
    write_csv(folder / "jobs.csv", JOBS, random_jobs(rng, sizes, own_speeds=kind == "ticks"))
    if kind == "ticks":
        rounds = {"policy": rng.choice(TICKING), "tick": rng.choice((60, 360)), "launch": rng.choice((0, 5, 25))}
        return written(Case(folder, servers, gpus, rounds))
    length = rng.choice((60, 120))
    rounds = {"policy": rng.choice(POLICIES), "round": length, "lookAhead": rng.choice((length // 2, length // 4)),
              "perEndedLease": rng.choice((0, 1, 7)), "launch": rng.choice((0, 6, 20)),
              "start": rng.choice((0, 60, 254))}
    case = Case(folder, servers, gpus, rounds)
    if kind == "replay":
        write_csv(folder / "schedule.csv", ("job", "first_round", "last_round", "workers"),
                  [{"job": job, "first_round": first, "last_round": last, "workers": " ".join(map(str, workers))}
                   for job, first, last, workers in case.answer().leases if rng.random() < 0.9])
        # Other speeds than those of the record, so that jobs end before or after it, and room for the latter.
        write_csv(folder / "speeds.csv", SPEEDS, random_speeds(rng, sizes))
        case = Case(folder, 2 * servers, gpus, {"replay": "schedule.csv", **{
            key: value for key, value in rounds.items() if key not in ("policy", "lookAhead")}})
    return written(case)


def written(case):
    keys = ", ".join(f"{key}: {value if isinstance(value, str) else f'{value}s'}" for key, value in case.rounds.items())
    (case.folder / "experiment.yaml").write_text(
        EXPERIMENT.format(servers=case.servers, gpus=case.gpus, rounds=keys), encoding="utf-8")
    return case


def random_speeds(rng, sizes):
    return [{"model": name, "batch_size": batch, "gpus": size,
             "steps_per_s": rng.choice((2, 4, round(rng.uniform(0.5, 20), 6)))}
            for name in ("one", "two") for batch in BATCHES for size in sizes]


def random_jobs(rng, sizes, own_speeds):
    jobs, now = [], 0
    for number in range(rng.randint(1, 20)):
        now = round(now + rng.choice((0, 0, 60, 120, rng.uniform(0, 400))), 3)
        passes = rng.random() < 0.6
        jobs.append({
            "job": number, "submit_s": now, "gpus": rng.choice(sizes), "model": rng.choice(("one", "two")),
            "batch_size": rng.choice(BATCHES[:2]), "steps": rng.choice((100, 1000, rng.randint(1, 5000))),
            "samples": rng.choice((800, 4096, 5000)) if passes else "",
            "plan": random_plan(rng) if passes else "",
            "step_s": rng.choice((0.25, 0.333, round(rng.uniform(0.05, 2), 3))) if own_speeds else "",
            "limit_s": rng.choice((120, 600, 1111.5)) if rng.random() < 0.2 else ""})
        if own_speeds:
            jobs[-1].update(samples="", plan="")
    return jobs


def random_plan(rng):
    epochs = sorted(rng.sample(range(1, 12), rng.randint(0, 3)))
    return " ".join(f"{rng.choice(BATCHES)}@{epoch}" for epoch in epochs)


def write_csv(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
