"""Forecasts and calibrations from Python, beside those of the program."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import berth

BERTH = os.environ["BERTH_PROGRAM"]
JOBS = "name,user,submit,start,finish,time_limit,cpu\n" + "".join(
    f"job-{i},user-{i % 3},{100 * i},{100 * i + 50},{100 * i + 400 + 37 * (i % 7)},1000,1\n" for i in range(60)
)
EXPERIMENT = {
    "kind": "Experiment",
    "metadata": {"name": "recorded"},
    "spec": {
        "topology": {
            "spec": {
                "levels": [{"name": "host", "count": 1}],
                "machines": [{"type": "node"}],
                "machineTypes": {"node": {"capacity": {"cpu": 2}}},
            }
        },
        "workload": [{"trace": {"format": "csv", "file": "jobs.csv"}}],
        "scheduler": {"profile": {"queueSort": "easy-backfill"}},
    },
}


class Forecasts(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(place.name)
        pathlib.Path("jobs.csv").write_text(JOBS)
        pathlib.Path("recorded.json").write_text(json.dumps(EXPERIMENT))

    def told(self, *arguments):
        return subprocess.run([BERTH, *arguments], check=True, capture_output=True, text=True).stdout

    def test_a_forecast_is_that_of_the_command(self):
        run = berth.run("recorded.json", out="out")
        answer = berth.forecast(run, at="4000s", replications=20, threads=1)
        self.assertEqual(
            answer.data, json.loads(self.told("forecast", "out", "--at", "4000s", "--replications", "20", "--json"))
        )
        self.assertEqual(str(answer), self.told("forecast", "out", "--at", "4000s", "--replications", "20"))
        answer.save("page.html")
        self.assertIn('"forecast":{"schema"', pathlib.Path("page.html").read_text())

    def test_a_calibration_is_that_of_the_command(self):
        answer = berth.calibrate("recorded.json", explain=1)
        self.assertEqual(answer.data, json.loads(self.told("calibrate", "recorded.json", "--explain", "1", "--json")))
        self.assertGreater(answer.data["all"]["jobs"], 0)

    def test_warnings_are_given(self):
        pathlib.Path("jobs.csv").write_text(JOBS + "late,user-0,9000,8000,9500,1000,1\n")
        told = subprocess.run([BERTH, "calibrate", "recorded.json", "--json"], capture_output=True, text=True).stderr
        self.assertIn("warning: ", told)
        with self.assertWarns(berth.BerthWarning) as seen:
            berth.calibrate("recorded.json")
        self.assertIn(str(seen.warning), told)

    def test_what_is_wrong_is_said(self):
        with self.assertRaisesRegex(berth.InputError, "format: error: it is of a history"):
            berth.forecast("recorded.json", format="sacct")
        with self.assertRaisesRegex(berth.InputError, "at: error: 'soon': expected a time, such as 5d"):
            berth.forecast("recorded.json", at="soon")
        with self.assertRaisesRegex(berth.InputError, "is no state"):
            berth.forecast("recorded.json")
