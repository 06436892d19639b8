#!/usr/bin/env python3
"""Runs the program that has a toy scheduler: toy_test.py BERTH

The toy's folder is all that the program has of it, and each of its layers is tried: its document kind, what it decides
in a run, its table, its answer to why, and its section of the page.
"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BERTH = sys.argv.pop(1)
TOY = Path(__file__).resolve().parent / "toy"


def berth(*arguments):
    return subprocess.run([BERTH, *map(str, arguments)], text=True, capture_output=True)


class Toy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name) / "out"
        done = berth("run", TOY / "toy.yaml", "-o", cls.out, "--check-invariants")
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_document(self):
        self.assertEqual(berth("validate", TOY / "tickets.yaml", TOY / "toy.yaml").returncode, 0)
        wrong = Path(self.folder.name) / "wrong.yaml"
        wrong.write_text((TOY / "tickets.yaml").read_text().replace("count: 2", "count: 0"))
        self.assertIn("wrong.yaml:3:8: error", berth("validate", wrong).stderr)

    def test_schema(self):
        definitions = json.loads(berth("schema").stdout)["$defs"]
        self.assertIn("toy", definitions["scheduler"]["properties"])
        self.assertIn("objects", definitions["toy"]["properties"])

    def test_run(self):
        rows = [line.split(",") for line in (self.out / "jobs.csv").read_text().splitlines()]
        started = {row[rows[0].index("job")]: row[rows[0].index("start_s")] for row in rows[1:]}
        self.assertEqual(started, {"a": "0", "b": "0", "c": "10", "d": "20"})

    def test_table(self):
        self.assertEqual((self.out / "tickets.csv").read_text(), "count\n2\n")
        self.assertEqual(berth("verify", self.out).returncode, 0)

    def test_why(self):
        told = json.loads(berth("why", self.out, "d", "--json").stdout)
        self.assertEqual(told["last_failure"]["toy"], {"tickets": 2})
        self.assertEqual(told["last_failure"]["waiting_before"], 0)
        self.assertIn("there are 2 tickets", berth("why", self.out, "d").stdout)

    def test_page(self):
        page = Path(self.folder.name) / "page.html"
        self.assertEqual(berth("report", self.out, "-o", page).returncode, 0)
        text = page.read_text()
        data = json.loads(re.search('<script type="application/json" id="data">([^<]*)<', text)[1])
        self.assertEqual(data["runs"][0]["toy"], {"tickets": 2})
        self.assertIn("admitted by tickets", data["runs"][0]["answer"]["question"])
        self.assertIn("There were 2 tickets.", data["runs"][0]["answer"]["limits"])
        self.assertIn("Jobs looked for places with ", text)  # its section is in the page's script

    def test_others(self):
        self.assertIn("kueue", berth("list").stdout + berth("--help").stdout)


if __name__ == "__main__":
    unittest.main()
