"""Reads the tables of runs on real GPUs: what a run needs as its input, and what was measured.

Times are seconds as the tables write them; speeds stay texts, so that nothing is rounded twice.
"""

import csv
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal

TABLE = "tacc"          # the speeds that the published simulation uses
LONGEST = Decimal("1.5")  # a job is declared done when it has run this many times its stated duration


@dataclass
class Site:
    """One cluster: the jobs of all its runs, and each policy's measured run."""

    name: str
    servers: int
    gpus: int                # of a server
    jobs: list               # rows of berth's jobs.csv
    speeds: list             # rows of berth's speeds.csv; empty if jobs state their own
    real: dict               # policy -> job -> time from arrival to end
    launches: dict           # policy -> launches of the real run
    simulated: dict = field(default_factory=dict)    # the same as real, by the authors' simulator
    simulated_launches: dict = field(default_factory=dict)
    schedule: dict = field(default_factory=dict)     # policy -> (job, first round, last round, workers) of the real run
    simulated_schedule: dict = field(default_factory=dict)
    starts: dict = field(default_factory=dict)       # policy -> interval in which its first round began

    @property
    def arrivals(self):
        return {row["job"]: float(row["submit_s"]) for row in self.jobs}


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_rounds(folder):
    """The site of rounds and leases: 8 servers of 4 GPUs."""
    jobs = rows_of(folder / "jobs.csv")
    site = Site("A", 8, 4, [], [], defaultdict(dict), defaultdict(int), defaultdict(dict), defaultdict(int),
                defaultdict(list), defaultdict(list))
    plans = read_plans(jobs, rows_of(folder / "batch-plan.csv"))
    for row in jobs:
        site.jobs.append({
            "job": row["job"], "submit_s": row["arrival_s"], "gpus": row["gpus"], "model": row["model"],
            "batch_size": row["batch_size"], "steps": row["steps"], "samples": row["samples_per_epoch"],
            "plan": " ".join(f"{batch}@{epoch}" for epoch, batch in plans[row["job"]]), "step_s": "",
            "limit_s": str(LONGEST * Decimal(row["nominal_s"]))})
    for row in rows_of(folder / "throughput.csv"):
        if row["table"] == TABLE and row["consolidated"] == "yes":
            site.speeds.append({key: row[key] for key in ("model", "batch_size", "gpus", "steps_per_s")})
    for row in rows_of(folder / "results.csv"):
        physical = row["source"] == "physical"
        (site.real if physical else site.simulated)[row["policy"]][row["job"]] = float(row["jct_s"])
        launches = site.launches if physical else site.simulated_launches
        launches[row["policy"]] += int(row["launches_scheduled"])
    for row in rows_of(folder / "schedule.csv"):
        schedule = site.schedule if row["source"] == "physical" else site.simulated_schedule
        schedule[row["policy"]].append((row["job"], int(row["first_round"]), int(row["last_round"]), row["workers"]))
    for row in rows_of(folder / "runs.csv"):
        if row["source"] == "physical":
            site.starts[row["policy"]] = (Decimal(row["ready_from_s"]), Decimal(row["ready_before_s"]))
    return site


def read_plans(jobs, rows):
    """Batch sizes by epoch, without the first one, which the job states."""
    plans = defaultdict(list)
    for row in rows:
        plans[row["job"]].append((int(row["from_epoch"]), int(row["batch_size"]), int(row["epochs"])))
    for job in jobs:
        plan = plans[job["job"]]
        if job["mode"] == "gns" and len(plan) > 1 and plan[-1][1:] == (int(job["batch_size"]), 1):
            plan.pop()  # an artefact of the planning function, says the README of the tables
        plans[job["job"]] = [(epoch, batch) for epoch, batch, _ in plan if epoch > 0]
    return plans


def read_ticks(folder):
    """The site of ticks: 8 servers of 8 GPUs. The policies that pack jobs together are left out."""
    site = Site("B", 8, 8, [], [], defaultdict(dict), defaultdict(int))
    for row in rows_of(folder / "jobs.csv"):
        site.jobs.append({
            "job": row["job"], "submit_s": row["submit_s"], "gpus": row["gpus"], "model": row["model"],
            "batch_size": row["batch_size"], "steps": row["iterations"], "samples": "", "plan": "",
            "step_s": str(Decimal(row["profiled_iteration_ms"]) / 1000), "limit_s": ""})
    for row in rows_of(folder / "results.csv"):
        site.real[row["policy"]][row["job"]] = float(row["jct_s"])
        site.launches[row["policy"]] += int(row["launches"])
    return site


def faster(site, factor):
    """Rows of jobs and of speeds with all speeds times a factor, to six digits and to nanoseconds."""
    if factor == 1:
        return site.jobs, site.speeds
    micro, nano = Decimal("0.000001"), Decimal("0.000000001")
    speeds = [{**row, "steps_per_s": str((Decimal(row["steps_per_s"]) * factor).quantize(micro))}
              for row in site.speeds]
    jobs = [{**row, "step_s": row["step_s"] and str((Decimal(row["step_s"]) / factor).quantize(nano))}
            for row in site.jobs]
    return jobs, speeds
