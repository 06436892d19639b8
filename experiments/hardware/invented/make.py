#!/usr/bin/env python3
"""Makes tables of the form of shockwave32 and muri64, all invented: 12 jobs of 4 models at each of two sites.

usage: make.py [DIR]

The "real" runs are the plain model of tests/rounds with speeds that are up to 10 % off the table, the "authors'
simulator" is the same with a longer launch and no stretch. So nothing here is a measurement.
"""

import csv
import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[2] / "tests/rounds")]
import model  # noqa: E402
from read import read_rounds, read_ticks  # noqa: E402
from run import ROUND, TICK, run_model, write  # noqa: E402

MODELS = {"Ada": (8, 64, 40000), "Bea": (16, 128, 30000), "Cid": (32, 32, 20000), "Dot": (64, 512, 90000)}
POLICIES = {"allox": (200, 240), "themis": (180, 230), "max-min": (340, 400), "mst": (340, 400)}
TICKING = ("srtf", "srsf", "tiresias", "themis")


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    make_rounds(out / "shockwave32", random.Random(1))
    make_ticks(out / "muri64", random.Random(2))


def make_rounds(folder, rng):
    jobs, plans = [], []
    for number in range(12):
        name = list(MODELS)[number % 4]
        first, largest, samples = MODELS[name]
        epochs = rng.randint(60, 160)
        steps = epochs * -(-samples // first)
        mode = rng.choice(("static", "accordion", "gns")) if largest > first else "static"
        gpus = rng.choice((1, 4, 8, 8))  # more than there are, so that jobs take turns
        jobs.append({"job": number, "model": name, "batch_size": first, "gpus": gpus, "mode": mode, "steps": steps,
                     "nominal_s": round(steps / speed_of(name, first, gpus)), "arrival_s": 30 * number,
                     "epochs": epochs, "samples_per_epoch": samples})
        plans += plan(number, mode, first, largest, epochs)
    write_csv(folder / "jobs.csv", jobs)
    write_csv(folder / "batch-plan.csv", plans)
    write_csv(folder / "throughput.csv", [
        {"table": table, "consolidated": "yes", "model": name, "batch_size": batch, "gpus": gpus,
         "steps_per_s": f"{speed_of(name, batch, gpus) * factor:.6f}"}
        for table, factor in (("tacc", 1), ("elsewhere", 1.4)) for name, (first, largest, _) in MODELS.items()
        for batch in doubled(first, largest) for gpus in (1, 4, 8)])
    write_csv(folder / "runs.csv", [
        {"policy": policy, "source": "physical", "ready_from_s": low, "ready_before_s": high}
        for policy, (low, high) in POLICIES.items()])
    write_csv(folder / "results.csv", [],
              ["policy", "source", "job", "jct_s", "launches_scheduled"])
    write_csv(folder / "schedule.csv", [], ["policy", "source", "job", "first_round", "last_round", "workers"])
    results, schedule = [], []
    for source, keys, spread in (("physical", ROUND, 0.1),
                                 ("authors-simulator", {**ROUND, "launch": 20, "perEndedLease": 0}, 0)):
        for policy, (low, high) in POLICIES.items():
            site = read_rounds(folder)
            speeds = [{**row, "steps_per_s": f"{float(row['steps_per_s']) * rng.uniform(1 - spread, 1 + spread):.6f}"}
                      for row in site.speeds]
            start = (low + high) // 2 + 3 if source == "physical" else 0
            rounds = {"policy": policy, **keys, "start": start}
            answer = run_model(write(folder / "tmp", site, site.jobs, speeds, rounds))
            for job, time in answer.times.items():
                launches = sum(row[0] == job for row in answer.schedule)
                results.append({"policy": policy, "source": source, "job": job, "jct_s": round(time, 3),
                                "launches_scheduled": launches})
            schedule += [{"policy": policy, "source": source, "job": job, "first_round": first, "last_round": last,
                          "workers": " ".join(map(str, workers))} for job, first, last, workers in answer.schedule]
    remove(folder / "tmp")
    write_csv(folder / "results.csv", results)
    write_csv(folder / "schedule.csv", schedule)


def speed_of(name, batch, gpus):
    """Steps a second: half a batch of the first size takes half as long, and GPUs are not quite worth their number."""
    first, _, samples = MODELS[name]
    return samples / first / 100 * (first / batch) ** 0.8 * gpus**0.9


def doubled(first, largest):
    sizes = [first]
    while sizes[-1] < largest:
        sizes.append(2 * sizes[-1])
    return sizes


def plan(job, mode, first, largest, epochs):
    sizes = {"static": [first], "accordion": [first, largest], "gns": doubled(first, largest)}[mode]
    length = max(epochs // len(sizes), 1)
    return [{"job": job, "from_epoch": number * length, "epochs": length, "batch_size": size}
            for number, size in enumerate(sizes)]


def make_ticks(folder, rng):
    jobs = []
    for number in range(12):
        iteration = rng.choice((200, 350, 500, 1100))
        jobs.append({"job": number, "gpus": rng.choice((1, 4, 8, 8, 16, 32)), "submit_s": f"{700 * number}.0",
                     "iterations": rng.randint(500, 60000), "model": list(MODELS)[number % 4], "batch_size": 16,
                     "profiled_iteration_ms": iteration})
    write_csv(folder / "jobs.csv", jobs)
    write_csv(folder / "results.csv", [], ["policy", "job", "jct_s", "launches"])
    results = []
    for policy in TICKING:
        site = read_ticks(folder)
        slower = [{**row, "step_s": f"{float(row['step_s']) * rng.uniform(1, 1.1):.6f}"} for row in site.jobs]
        task = write(folder / "tmp", site, slower, [], {"policy": policy, **TICK})
        rounds = {"policy": policy, **{key: value * model.SECOND for key, value in TICK.items()}}
        for job in model.run(task.folder / "jobs.csv", None, rounds, site.servers, site.gpus).jobs:
            results.append({"policy": policy, "job": job.name, "launches": job.launches,
                            "jct_s": round((job.finish - job.submit) / model.SECOND, 3)})
    remove(folder / "tmp")
    write_csv(folder / "results.csv", results)


def remove(folder):
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def write_csv(path, rows, columns=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns or list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
