"""Round-based training jobs, computed plainly: an independent model of what berth does with `scheduler: rounds`.

run() takes the files and keys of an experiment and returns what happened. Written from the description of the rules
(sections in comments are those of docs/reference: rounds), not from berth's code. plain_training.py is the run-time
model (section 1), plain_rounds.py rounds and leases (2, 3), plain_fractions.py the policies (4), plain_ticks.py the
second site (5).

What the text leaves open and what is done here
  Numbers. Times are nanoseconds, steps millionths of a step, speeds millionths of a step a second, all integers.
  Progress is counted from the start of a process, never added up piece by piece. Fractions are floats with + - * / and
  comparisons only, sums in the order of the jobs.
  Ends at one instant. A process ends by itself (finish before limit before change of the batch size) before a scheduler
  ends it. Ends, then arrivals of one instant are taken together, and fractions are computed once after them.
  Change of the batch size. It comes after whole passes, and whole passes count: no fraction of a step is lost or won by
  rounding. If the larger steps bring the job to its end, it ends there.
  Limit (1.6). The time of training counts, that of launches does not.
  Received time (3.2). It counts from the launch on, as the clock of a lease does. The 60 s are the look-ahead.
  The running process counts from the last reset on; when it ends, its whole time is added, also what came before the
  reset. That is what the schedulers' source does, and it keeps allox from moving jobs too often. At a reset, received
  time has no running process in it.
  Priorities (3.2). The sum of all times is common to all jobs and left out.
  Order (3.4). Equal jobs: the lower number, that is the earlier arrival.
  Believed speed (4). Processes run at the table's speed, so the mean of old and measured speed is the table's.
  max-min. With fewer jobs than GPUs every fraction is 1.
  mst. Jobs of one speed a GPU are filled in the order of their numbers.
  allox. A job keeps its fraction until it is planned again; only a whole GPU is kept for good. The list is cut to a
  fifth, rounded down, but not below the number of open workers.
  themis. The time alone only grows: a smaller batch size, which adds steps, takes nothing from it (or it could fall
  below 0, and no quotient would do). Bisection gives the least fractions; then all are multiplied by one factor until
  the GPUs are given out, each stopped at 1.
  Ticks (5). Each policy sorts the list of the last decision and keeps the order of equal jobs; new jobs come last.
  Remaining time is rounded up to a nanosecond. A process that ends for its batch size waits for the next tick, which
  decides.
  Replay. The number of ended leases of a round is that of the record: rows that end in the round, of jobs with a later
  row. A job that is not done when its rows are over goes on where it was, or on the lowest GPUs that no row needs.
"""

import csv
from collections import namedtuple
from decimal import ROUND_HALF_UP, Decimal

from plain_rounds import PolicyRounds, Replay
from plain_ticks import Ticks
from plain_training import MILLION, SECOND, Training

Result = namedtuple("Result", "jobs rounds leases")  # Training; (start, ended, launches); (job, first, last, workers)


def scaled(text, factor):
    """A decimal number times a power of ten, as an integer."""
    return int((Decimal(text) * factor).to_integral_value(ROUND_HALF_UP))


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_speeds(path):
    return {(row["model"], int(row["batch_size"]), int(row["gpus"])): scaled(row["steps_per_s"], MILLION)
            for row in read_csv(path)}


def read_jobs(path, speeds):
    jobs = []
    for row in read_csv(path):
        plan = [tuple(int(word) for word in item.split("@")) for item in row["plan"].split()]
        own = speeds
        if row["step_s"]:
            step = scaled(row["step_s"], SECOND)
            own = (MILLION * SECOND + step // 2) // step
        jobs.append(Training(row["job"], scaled(row["submit_s"], SECOND), int(row["gpus"]), row["model"],
                             int(row["batch_size"]), int(row["steps"]), own,
                             int(row["samples"]) if row["samples"] else None, plan,
                             scaled(row["limit_s"], SECOND) if row["limit_s"] else None))
    return jobs


def read_schedule(path):
    return [(row["job"], int(row["first_round"]), int(row["last_round"]),
             tuple(int(word) for word in row["workers"].split())) for row in read_csv(path)]


def leases_of(schedule):
    """Rows of one job on the same workers in rounds that follow each other."""
    leases, running = [], {}
    for number, workers in enumerate([*schedule, {}]):
        for name in list(running):
            first, gpus = running[name]
            if workers.get(name) != gpus:
                leases.append((name, first, number - 1, gpus))
                del running[name]
        for name, gpus in workers.items():
            running.setdefault(name, (number, gpus))
    return leases


def run(jobs_file, speeds_file, rounds, servers, gpus_of_server):
    """Runs an experiment. rounds: keys of `scheduler: {rounds: ...}`, durations in nanoseconds, replay a file."""
    jobs = read_jobs(jobs_file, read_speeds(speeds_file) if speeds_file else {})
    if "tick" in rounds:
        ticks = Ticks(jobs, servers, gpus_of_server, rounds)
        ticks.run()
        return Result(ticks.jobs, ticks.rounds, [])
    gpus = servers * gpus_of_server
    if "replay" in rounds:
        site = Replay(jobs, gpus, rounds, read_schedule(rounds["replay"]))
    else:
        site = PolicyRounds(jobs, gpus, rounds)
    site.run()
    return Result(site.jobs, site.rounds, leases_of(site.schedule))
