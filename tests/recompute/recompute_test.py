#!/usr/bin/env python3
"""Tests that recompute.py finds what is wrong: a run directory is changed in one place at a time.

usage: recompute_test.py BERTH
"""

import csv
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from check_run import check_run  # noqa: E402
from recompute import main  # noqa: E402
from statistics_of_runs import nearest_rank, t_quantile_975  # noqa: E402
from summary_checks import repeated_for_sql  # noqa: E402
from untold import is_untold  # noqa: E402

EXPERIMENT = """
apiVersion: berth/v1
kind: Experiment
metadata: {name: small}
spec:
  replications: 3
  topology: {spec: {levels: [{name: rack, count: 2}, {name: server, count: 2}],
    machines: [{type: m}], machineTypes: {m: {capacity: {cpu: 8, nvidia.com/gpu: 4}}}}}
  types: {worker: {cpu: 2, nvidia.com/gpu: 1}}
  quotas:
    - objects:
        - {apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: lab},
           spec: {min: {cpu: 4}, max: {cpu: 32}}}
  workload:
    - groups:
        - {document: {kind: GroupPlacement, spec: {group: {name: gang, size: 6, type: worker},
            constraints: [{level: rack, affinity: pack, soft: false}]}}, at: 5s, lifetime: 40s}
    - generate: {name: pod, type: worker, count: 40, quota: lab,
        arrivals: {distribution: exponential, mean: 2s},
        service: {distribution: constant, value: 9s}}
  scheduler: {profile: {queueSort: fcfs, preFilter: []}}
  failures: {events: [{at: 20s, node: server-0, event: fail},
    {at: 30s, node: server-0, event: repair}],
    csv: "time_s,component,event,cause\\n0.1,rack-1,fail,power\\n0.4,rack-1,repair,\\n"}
  record: {sampleEvery: 5s}
"""

# The generated pods take longer than estimated, so that drains evict some of them.
DRAINED = EXPERIMENT.replace("quota: lab,", "quota: lab, estimate: 1s,").replace("  record:", """
  drains: [{level: rack, at: 8s, for: 6s, grace: 1s},
    {level: server, name: server-1, at: 40s, for: 10s, evict: false}]
  record:""")

# Two jobs find no place in their first cycle, and are not tried again.
DROPPING = EXPERIMENT.replace("lifetime: 40s", "lifetime: 90s").replace(
    "scheduler: {", "scheduler: {retry: never, period: 3s, ")


class Copy(tempfile.TemporaryDirectory):
    """The run directory with one table changed and a matching manifest; to be used in a `with` statement."""

    def __init__(self, run):
        super().__init__(prefix="berth-recompute-")
        self.folder = self.name
        shutil.copytree(run, self.folder, dirs_exist_ok=True)

    def __enter__(self):
        return self

    def rows(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def write(self, name, rows):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        manifest_path = os.path.join(self.folder, "manifest.json")
        with open(manifest_path, encoding="utf-8") as file:
            manifest = json.load(file)
        with open(path, "rb") as file:
            manifest["files"][name] = hashlib.sha256(file.read()).hexdigest()
        with open(manifest_path, "w", encoding="utf-8") as file:
            json.dump(manifest, file)

    def findings(self):
        return list(check_run(self.folder))


class OfRun(unittest.TestCase):
    run_folder = None

    def expect(self, name, change, *words):
        """Checks that after the change some finding contains all the words."""
        with Copy(self.run_folder) as copy:
            rows = copy.rows(name)
            change(rows)
            copy.write(name, rows)
            findings = copy.findings()
        self.assertTrue(any(all(w in f for w in words) for f in findings),
                        f"{words} not in {findings[:10]}")

    def set(self, name, at, column, value, *words):
        def change(rows):
            rows[at][column] = value
        self.expect(name, change, *words)


class Dropping(OfRun):
    def test_nothing_is_found_in_a_run_that_drops_jobs(self):
        self.assertEqual(list(check_run(self.run_folder)), [])

    def test_a_wrong_time_of_a_drop_is_found(self):
        def later(rows):
            row = next(r for r in rows if r["dropped_s"])
            row["dropped_s"] = str(float(row["dropped_s"]) + 3)
        self.expect("jobs.csv", later, "dropped_s is", "it came to wait at")
        self.expect("jobs.csv", later, "queue_length_mean is")

    def test_a_drop_that_is_not_told_is_found(self):
        def untold(rows):
            next(r for r in rows if r["dropped_s"])["dropped_s"] = ""
        self.expect("jobs.csv", untold, "dropped_s is None, its pods are ['dropped']")


class Drained(OfRun):
    def test_nothing_is_found_in_a_run_with_drains(self):
        self.assertEqual(list(check_run(self.run_folder)), [])

    def test_a_wrong_row_of_a_drain_is_found(self):
        self.set("drains.csv", 0, "time_s", "9", "drains.csv: time_s of rack-0 is 9")
        self.set("drains.csv", 1, "emptied_s", "19.5", "drains.csv: emptied_s of rack-1 is 19.5")
        self.set("drains.csv", 1, "component", "rack-0", "drains.csv: rack rack-0, not rack-1")
        self.set("drains.csv", 0, "jobs", "77", "jobs that were evicted, evictions.csv")
        self.expect("drains.csv", lambda rows: rows.pop(), "drains began")

    def test_a_start_on_a_drained_server_is_found(self):
        def start(rows):
            row = next(r for r in rows if not r["group"] and r["start_s"] and r["drained"] == "0")
            row.update(start_s="41", finish_s="50", node="server-1")
        self.expect("pods.csv", start, "starts on server-1", "that is drained from")

    def test_a_start_too_long_before_a_drain_is_found(self):
        def start(rows):
            row = next(r for r in rows if r["group"] and r["start_s"])
            row.update(start_s="7", node="server-0")
        self.expect("pods.csv", start, "starts on server-0", "that is drained from 8000000000 ns")

    def test_uncounted_evictions_by_drains_are_found(self):
        def none(rows):
            next(r for r in rows if r["drained"] != "0")["drained"] = "0"
        self.expect("pods.csv", none, "drained is 0, evictions.csv has")

    def test_too_little_drained_gpu_time_is_found(self):
        def less(rows):
            for row in rows:
                row["gpu_seconds"] = "1" if row["cause"] == "drained" else row["gpu_seconds"]
        self.expect("gpu_time.csv", less, "GPU-seconds drained, the tables say")


class Changed(OfRun):
    def test_nothing_is_found_in_what_berth_wrote(self):
        self.assertEqual(list(check_run(self.run_folder)), [])

    def test_every_metric_that_is_off_by_a_millionth_is_found(self):
        with Copy(self.run_folder) as copy:
            rows = copy.rows("replications.csv")
            changed = [c for c, text in rows[0].items()
                       if c not in ("replication", "seed") and text and not is_untold(c, True)]
            for column in changed:
                rows[0][column] = repr(float(rows[0][column]) * (1 + 1e-6) + 1e-6)
            copy.write("replications.csv", rows)
            found = {f.split(" ")[2] for f in copy.findings() if f.startswith("replication 0: ")}
        # Columns for SQL repeat others: if both are changed alike, both are wrong, and one of them is reported.
        changed = [c for c in changed if c not in repeated_for_sql(rows[0])]
        self.assertGreater(len(changed), 60)
        self.assertEqual(set(changed) - found - {"end_s", "measured_s"}, set())

    def test_a_wrong_end_is_found(self):
        with Copy(self.run_folder) as copy:
            if "end_s" not in copy.rows("replications.csv")[0]:
                self.skipTest("a run of before there was end_s")
        self.set("replications.csv", 0, "end_s", "1000", "GPU-seconds in all")
        self.set("replications.csv", 0, "measured_s", "1000", "measured_s is 1000")

    def test_a_summary_that_is_not_of_its_rows_is_found(self):
        self.set("replications.csv", 1, "wait_s_mean", "1", "summary.json", "mean of wait_s_mean")

    def test_a_pod_that_starts_before_it_comes_is_found(self):
        self.set("pods.csv", 20, "start_s", "0.5", "before it is submitted")

    def test_a_server_with_too_much_is_found(self):
        def all_on_one(rows):
            for row in rows:
                row["node"] = row["node"] and "server-1"
        self.expect("pods.csv", all_on_one, "server-1 has", "in all")

    def test_a_pod_on_a_server_that_is_down_is_found(self):
        def one_on_the_broken(rows):
            row = next(r for r in rows if r["start_s"] and 20 < float(r["start_s"]) < 30)
            row["node"] = "server-0"
        self.expect("pods.csv", one_on_the_broken, "while that is down")

    def test_a_gang_that_does_not_start_together_is_found(self):
        def one_later(rows):
            row = next(r for r in rows if r["group"])
            row["start_s"] = str(float(row["start_s"]) + 1)
        self.expect("pods.csv", one_later, "members joined later")

    def test_a_hard_constraint_that_is_broken_is_found(self):
        def apart(rows):
            for number, row in enumerate(r for r in rows if r["group"]):
                row["node"] = f"server-{number % 4}"
        self.expect("pods.csv", apart, "breaks its hard pack")

    def test_who_overtakes_under_fcfs_is_found(self):
        def overtake(rows):
            waited = [r for r in rows if float(r["wait_s"] or 0) > 1 and r["node_failed"] == "0"]
            waited[-1]["start_s"] = waited[-1]["submit_s"]
        self.expect("pods.csv", overtake, "which came to wait before it")

    def test_a_run_of_another_length_is_found(self):
        def longer(rows):
            row = next(r for r in rows if not r["group"] and r["finish_s"])
            row["finish_s"] = str(float(row["finish_s"]) + 1)
        self.expect("pods.csv", longer, "worked for 10.0 s, not 9.0")

    def test_a_drop_without_a_reason_is_found(self):
        def drop(rows):
            rows[-1].update(outcome="dropped", start_s="", finish_s="", node="", reason="")
        self.expect("pods.csv", drop, "has no reason")

    def test_who_is_given_up_too_early_is_found(self):
        def give_up(rows):
            rows[-1].update(outcome="dropped", start_s="", finish_s="", node="",
                            reason="given up after 2 interruptions by failures.")
        self.expect("pods.csv", give_up, "was interrupted 0 times of 10000")

    def test_an_eviction_too_few_is_found(self):
        self.expect("evictions.csv", lambda rows: rows.pop(), "node_failed is 1")

    def test_a_wrong_outage_is_found(self):
        self.set("failures.csv", 0, "repaired_s", "20", "availability_rack is")
        self.set("failures.csv", 0, "component", "rack-0", "rack_cpu_utilization_min is")
        self.set("failures.csv", 0, "jobs", "2", "interruptions[power] is 0")

    def test_a_wrong_sample_is_found(self):
        self.set("timeseries.csv", 3, "pods_running", "77", "timeseries.csv: pods_running")
        self.set("timeseries.csv", 3, "cpu_requested", "0.123", "timeseries.csv: cpu_requested")
        self.set("quotas.csv", 12, "runtime", "77", "quotas.csv: runtime")
        self.set("gpu_time.csv", 0, "gpu_seconds", "7", "GPU-seconds")

    def test_a_file_that_is_not_the_manifests_is_found(self):
        with Copy(self.run_folder) as copy:
            with open(os.path.join(copy.folder, "pods.csv"), "a", encoding="utf-8") as file:
                file.write("\n")
            self.assertTrue(any("pods.csv has another digest" in f for f in copy.findings()))

    def test_too_few_run_directories_are_no_success(self):
        self.assertEqual(main([self.run_folder]), 0)
        self.assertEqual(main(["--least", "2", self.run_folder]), 2)
        self.assertEqual(main([os.path.dirname(__file__)]), 2)

    def test_statistics_are_those_of_tables(self):
        self.assertAlmostEqual(t_quantile_975(1), 12.706204736432095, places=9)
        self.assertAlmostEqual(t_quantile_975(9), 2.2621571627409915, places=9)
        self.assertAlmostEqual(t_quantile_975(30), 2.0422724563012373, places=9)
        self.assertEqual(nearest_rank([5, 1, 3, 2], 50), 2)
        self.assertEqual(nearest_rank([5, 1, 3, 2], 95), 5)


def make_run(tests, text, berth, folder):
    """Runs the experiment of a class of tests."""
    experiment = os.path.join(folder, "small.yaml")
    with open(experiment, "w", encoding="utf-8") as out:
        out.write(text)
    tests.run_folder = os.path.join(folder, tests.__name__)
    subprocess.run([berth, "run", experiment, "-o", tests.run_folder, "--quiet"], check=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="berth-recompute-") as folder:
        program = sys.argv.pop(1)
        make_run(Changed, EXPERIMENT, program, folder)
        make_run(Drained, DRAINED, program, folder)
        make_run(Dropping, DROPPING, program, folder)
        unittest.main(verbosity=0)
