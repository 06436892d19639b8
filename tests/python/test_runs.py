"""Runs from Python equal those of the command, and tables have the columns of the files."""

import contextlib
import csv
import io
import json
import os
import pathlib
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import berth
from experiments_of_tests import queue

ROOT = pathlib.Path(__file__).resolve().parents[2]
BERTH = pathlib.Path(os.environ["BERTH_PROGRAM"])
EXAMPLES = ["docs/examples/training.yaml", "docs/examples/two-teams.yaml", "docs/examples/locality.yaml"]


def run(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", berth.BerthWarning)
        return berth.run(*arguments, **options)


def by_command(folder, file, *options):
    subprocess.run([BERTH, "run", file, "-o", folder, "--quiet", *options], check=True, capture_output=True, cwd=ROOT)
    return folder


def cells(table):
    """The fields of a table as in the CSV file, empty if a value is missing."""
    columns = []
    for column in table.schema:
        place = table.columns.index(column.name)
        values = table._native.column(place)
        columns.append(values)
    return columns


class SameAsTheCommand(unittest.TestCase):
    def test_files_are_the_same_bytes(self):
        for example in EXAMPLES:
            with self.subTest(example), tempfile.TemporaryDirectory() as place:
                folder = pathlib.Path(by_command(f"{place}/run", example, "--set", "spec.replications=2"))
                mine = run(ROOT / example, set={"spec.replications": 2})
                names = sorted(p.name for p in folder.iterdir())
                self.assertEqual(names, mine.files)
                for name in names:
                    if name not in ("run.json", "experiment.yaml", "manifest.json"):
                        self.assertEqual((folder / name).read_bytes(), mine.file(name), name)
                opened = berth.open(folder)
                self.assertEqual(opened["pods_submitted"], mine["pods_submitted"])

    def test_columns_are_the_fields(self):
        for example in EXAMPLES:
            mine = run(ROOT / example, set={"spec.replications": 2})
            for name in mine.tables:
                if name == "metrics":
                    continue
                rows = list(csv.reader(io.StringIO(mine.file(f"{name}.csv").decode(), newline="")))
                table = mine.table(name)
                with self.subTest(example=example, table=name):
                    self.assertEqual(rows[0], table.columns)
                    self.assertEqual(len(rows) - 1, len(table))
                    for place, column in enumerate(table.schema):
                        self.check(column, [row[place] for row in rows[1:]], table._native.texts(place, len(table)))

    def check(self, column, fields, texts):
        for field, text in zip(fields, texts):
            if column.type == "number" and field:
                self.assertAlmostEqual(float(field), float(text), delta=1e-5 * max(1, abs(float(field))))
            elif column.type == "time" and field:
                self.assertEqual(f"{field} s", text)
            elif column.type == "flag" and field:
                self.assertEqual(field, text.lower())
            else:
                self.assertEqual(field, text)

    def test_nothing_is_written_unless_asked_for(self):
        with tempfile.TemporaryDirectory() as place:
            before = sorted(pathlib.Path.cwd().iterdir())
            mine = run(queue())
            self.assertEqual(before, sorted(pathlib.Path.cwd().iterdir()))
            mine.write(f"{place}/copy")
            subprocess.run([BERTH, "verify", f"{place}/copy"], check=True, capture_output=True)
            self.assertEqual(berth.open(f"{place}/copy").digest, mine.digest)
            there = run(queue(), out=f"{place}/out")
            self.assertEqual(there.digest, mine.digest)

    def test_the_same_run_whatever_the_threads(self):
        self.assertEqual(run(queue(replications=5), threads=1).digest, run(queue(replications=5), threads=4).digest)
        self.assertNotEqual(run(queue(), seed=1).digest, run(queue(), seed=2).digest)

    def test_runs_are_pickled(self):
        mine = run(queue())
        again = pickle.loads(pickle.dumps(mine))
        self.assertEqual(again.digest, mine.digest)
        self.assertEqual(len(again.jobs), len(mine.jobs))

    def test_names_with_commas_quotes_and_line_ends(self):
        given = queue(replications=1)
        given["spec"]["workload"] = [
            {"pods": [{"name": name, "type": "one", "lifetime": "10s"} for name in ('a,"b"', "c", "ü")]}
        ]
        self.assertEqual(list(run(given).jobs["job"]), ['a,"b"', "c", "ü"])

    def test_others_run_meanwhile(self):
        counted = [0]
        over = threading.Event()

        def count():
            while not over.is_set():
                counted[0] += 1
                time.sleep(0)

        other = threading.Thread(target=count)
        other.start()
        run(queue(until="200000s", replications=1))
        over.set()
        other.join()
        self.assertGreater(counted[0], 100)


class WrongInput(unittest.TestCase):
    def told(self, *arguments, **options):
        with self.assertRaises(berth.InputError) as caught:
            run(*arguments, **options)
        return caught.exception

    def test_places(self):
        error = self.told("apiVersion: berth/v1\nkind: Experiment\nspec: {topolgy: {}}\n")
        self.assertEqual((error.file, error.line), ("experiment", 3))
        self.assertIn("topolgy", str(error))
        error = self.told({**queue(), "spec": {**queue()["spec"], "replicas": 3}})
        self.assertIn("unknown key 'replicas'", str(error))
        self.assertIsNotNone(error.line)

    def test_damaged_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("gz", "zst"):
                trace = pathlib.Path(folder) / f"t.csv.{ending}"
                trace.write_text("name,submit\na,0\n")
                given = queue()
                given["spec"]["workload"].append({"trace": {"format": "csv", "file": str(trace)}})
                self.assertIn(f"{trace}: error: cut short or damaged (", str(self.told(given)))

    def test_arguments(self):
        self.assertIn("expected a path", str(self.told(3)))
        self.assertIn("whole number", str(self.told(queue(), threads=0)))
        self.assertIn("spec.nothing", str(self.told(queue(), set={"spec.nothing.there": 1})))
        self.assertIn("expected a dict", str(self.told(queue(), set=["a"])))
        self.assertIn("nowhere.yaml", str(self.told("nowhere.yaml")))
        self.assertIn("object", str(self.told({"spec": object()})))

    def test_tables_that_are_not_there(self):
        mine = run(queue())
        with self.assertRaisesRegex(berth.InputError, "expected censored.csv"):
            _ = mine.quotas
        with self.assertRaisesRegex(berth.InputError, "did you mean 'jobs'"):
            mine.table("job")

    def test_the_process_lives_on(self):
        for _ in range(50):
            self.told({"kind": "Experiment"})
        self.assertGreater(run(queue())["pods_submitted"], 0)


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_a_run_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as place:
            script = (
                "import berth, sys; sys.path.insert(0, sys.argv[1])\n"
                "from experiments_of_tests import queue\n"
                "print('begins', flush=True)\n"
                "berth.run(queue(until='100000000s'), out=sys.argv[2])\n"
            )
            child = subprocess.Popen(
                [sys.executable, "-c", script, str(pathlib.Path(__file__).parent), f"{place}/run"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            child.stdout.readline()
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=30)
            self.assertIn("KeyboardInterrupt", said)
            self.assertEqual(list(pathlib.Path(place).iterdir()), [])


class Questions(unittest.TestCase):
    def test_compare_is_the_commands(self):
        with tempfile.TemporaryDirectory() as place:
            a, b = run(queue(), out=f"{place}/a"), run(queue(mean="4s"), out=f"{place}/b")
            mine = berth.compare(f"{place}/a", f"{place}/b")
            out = f"{place}/c.json"
            subprocess.run([BERTH, "compare", f"{place}/a", f"{place}/b", "-o", out], check=True, capture_output=True)
            self.assertEqual(mine.data, json.loads(pathlib.Path(out).read_text()))
            self.assertEqual(berth.compare(a, b).metrics.columns, mine.metrics.columns)
            self.assertEqual(berth.compare(a, a).verdict("pods_submitted"), "equal")

    def test_why_is_the_commands(self):
        with tempfile.TemporaryDirectory() as place:
            mine = run(queue(mean="1s"), out=f"{place}/run")
            told = subprocess.run(
                [BERTH, "why", f"{place}/run", "generate-100"], check=True, capture_output=True, text=True
            ).stdout
            self.assertEqual(str(berth.why(mine, "generate-100")), told)
            with self.assertRaises(berth.InputError):
                berth.why(mine, "nobody")

    def test_cores(self):
        request = {"topology": {"z": {"r": {"s": {}}}}, "group": {}}
        for verb in ("place", "allocate", "candidates", "quota"):
            with self.subTest(verb), self.assertRaises(berth.InputError):
                getattr(berth, verb)({"nonsense": 1})
            with self.assertRaises(berth.InputError):
                getattr(berth, verb)([request])

    def test_sweeps(self):
        sweep = {
            "apiVersion": "berth/v1",
            "kind": "Sweep",
            "metadata": {"name": "sweep"},
            "spec": {
                "experiment": queue(),
                "axes": [{"name": "load", "path": "spec.workload[0].generate.arrivals.mean", "values": ["3s", "6s"]}],
            },
        }
        import concurrent.futures

        mine = berth.sweep(sweep)
        self.assertEqual([point["load"] for point in mine.points], ["3s", "6s"])
        self.assertEqual(len(mine.results), 4)
        self.assertGreater(mine.run(load="3s")["pods_submitted"], mine.run(load="6s")["pods_submitted"])
        with concurrent.futures.ThreadPoolExecutor(2) as executor:
            other = berth.sweep(sweep, executor)
        self.assertEqual((mine.folder / "results.csv").read_bytes(), (other.folder / "results.csv").read_bytes())


class WholeFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)
        self.run_of_test = run(queue(replications=1, until="60s"))
        self.assertTrue(self.run_of_test.folder.is_dir())

    @contextlib.contextmanager
    def on_a_full_disk(self):
        """No file can have more than 1000 bytes, which is told in the same way."""
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    def test_what_cannot_be_written_leaves_what_was_there(self):
        for name, write in (
            ("page.html", lambda: self.run_of_test.report(self.place / "page.html")),
            ("metrics.parquet", lambda: self.run_of_test.to_parquet(self.place)),
        ):
            (self.place / name).write_text("what was there")
            with self.subTest(name), self.on_a_full_disk(), self.assertRaises(OSError):
                write()
            self.assertEqual((self.place / name).read_text(), "what was there")
            (self.place / name).unlink()
            self.assertEqual(os.listdir(self.place), [])

    def test_an_error_names_the_file_that_was_asked_for(self):
        with self.assertRaises(FileNotFoundError) as caught:
            self.run_of_test.report(self.place / "none" / "page.html")
        self.assertEqual(caught.exception.filename, str(self.place / "none" / "page.html"))
        self.assertIsNone(caught.exception.filename2)
        (self.place / "folder.html").mkdir()
        with self.assertRaises(IsADirectoryError):
            self.run_of_test.report(self.place / "folder.html")

    def test_a_link_stays_a_link(self):
        (self.place / "pages").mkdir()
        for link, target, write in (
            ("page.html", "pages/mine.html", lambda: self.run_of_test.report(self.place / "page.html")),
            ("jobs.parquet", "pages/mine.parquet", lambda: self.run_of_test.to_parquet(self.place)),
        ):
            (self.place / link).symlink_to(target)
            for _ in range(2):  # the target is made, and then replaced
                write()
                self.assertEqual(os.readlink(self.place / link), target)
                self.assertGreater((self.place / target).stat().st_size, 1000)
        self.assertEqual(sorted(os.listdir(self.place / "pages")), ["mine.html", "mine.parquet"])

    def test_a_page_goes_into_a_pipe(self):
        os.mkfifo(self.place / "pipe")
        with open(self.place / "read", "wb") as read, subprocess.Popen(["cat", self.place / "pipe"], stdout=read):
            self.run_of_test.report(self.place / "pipe")
        self.run_of_test.report(self.place / "page.htm")
        self.assertEqual((self.place / "read").read_bytes(), (self.place / "page.htm").read_bytes())
        self.assertTrue((self.place / "pipe").is_fifo())

    def test_a_page_has_no_other_ending(self):
        (self.place / "jobs.csv").write_text("job")
        for name in ("jobs.csv", "page.pdf", "page", "page.HTML"):
            with self.assertRaisesRegex(
                berth.InputError, f"{name}: error: a report is a page in HTML: expected a name that ends in .html; "
            ):
                self.run_of_test.report(self.place / name)
        self.assertEqual((self.place / "jobs.csv").read_text(), "job")
        self.assertEqual(os.listdir(self.place), ["jobs.csv"])


if __name__ == "__main__":
    unittest.main()
