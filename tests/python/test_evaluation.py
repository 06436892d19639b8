"""Schedulers as files, which run in a process with limits and are compared with a baseline."""

import pathlib
import tempfile
import time
import unittest

import berth
import numpy
from experiments_of_tests import queue

SCHEDULERS = """
import berth

class Fcfs(berth.Scheduler):
    def schedule(self, view, act):
        print("what it prints is no answer")
        for job in view.waiting:
            fits = (view.free >= job.demand).all(axis=1)
            if not fits.any():
                return
            act.start(job, [int(fits.argmax())])

class Lifo(berth.Scheduler):
    def schedule(self, view, act):
        for job in reversed(view.waiting):
            fits = (view.free >= job.demand).all(axis=1)
            if fits.any():
                act.start(job, [int(fits.argmax())])

class Late(berth.Scheduler):
    def schedule(self, view, act):
        if len(view.waiting) > 1:
            for job in view.waiting:
                fits = (view.free >= job.demand).all(axis=1)
                if fits.any():
                    act.start(job, [int(fits.argmax())])

class Raises(berth.Scheduler):
    def schedule(self, view, act):
        1 / 0

class Loops(berth.Scheduler):
    def schedule(self, view, act):
        while True:
            pass

class Eats(berth.Scheduler):
    def schedule(self, view, act):
        self.eaten = bytearray(1 << 34)

class Exits(berth.Scheduler):
    def schedule(self, view, act):
        import os
        os._exit(3)
"""


class Evaluations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "mine.py"
        self.file.write_text(SCHEDULERS)

    def evaluate(self, name, **options):
        return berth.evaluate(f"{self.file}:{name}", queue(mean="1s"), seeds=[1, 2, 3], **options)

    def test_the_same_as_the_baseline(self):
        found = self.evaluate("Fcfs")
        self.assertIsNone(found.error)
        self.assertEqual((found.difference.pairs, found.difference.mean, found.difference.better), (3, 0, None))
        self.assertEqual(list(found.scores), [(0, 1), (0, 2), (0, 3)])

    def test_worse_than_the_baseline(self):
        self.assertEqual(self.evaluate("Late").scores, self.evaluate("Late").scores)
        found = self.evaluate("Late", baseline=f"{self.file}:Fcfs")
        self.assertIsNone(found.error)
        self.assertNotEqual(found.difference.mean, 0)
        self.assertLessEqual(found.difference.low, found.difference.mean)

    def test_failures_are_answers(self):
        for name, said in [
            ("Raises", "raised ZeroDivisionError"),
            ("Eats", "MemoryError"),
            ("Exits", "status 3"),
            ("Nobody", "it has no Nobody"),
        ]:
            with self.subTest(name):
                found = self.evaluate(name, memory_limit=3 << 30)
                self.assertIn(said, found.error)
                self.assertIsNone(found.score)

    def at_import(self, lines):
        """The result of evaluating a file that begins with these lines."""
        self.file.write_text(lines + SCHEDULERS)
        return self.evaluate("Fcfs", time_limit=20, memory_limit=3 << 30)

    def test_what_a_file_does_at_import(self):
        for lines, said in [
            ("class A(:\n", "SyntaxError"),
            ("def f(): f()\nf()\n", "RecursionError"),
            ("x = bytearray(1 << 34)\n", "MemoryError"),
            ("raise SystemExit(0)\n", "it ended its process: SystemExit: 0"),
            ("import os; os._exit(5)\n", "its process ended with status 5"),
            ("import ctypes; ctypes.string_at(0)\n", "its process ended with status -11"),
            ("while True: print('x' * 1000000)\n", "File too large"),
        ]:
            with self.subTest(lines):
                self.assertIn(said, self.at_import(lines).error)

    def test_only_its_own_answers_count(self):
        expected = self.at_import("").scores
        for lines in (
            "import os; os.fork()\n",
            "import os\nfor fd in range(3, 64):\n  try: os.write(fd, b'0.5\\n')\n  except OSError: pass\n",
        ):
            with self.subTest(lines):
                self.assertEqual(self.at_import(lines).scores, expected)

    def test_processes_that_it_started_end_with_it(self):
        pid = self.file.with_name("pid")
        self.at_import(
            "import os, time\n"
            f"if os.fork() == 0:\n  open({str(pid)!r}, 'w').write(str(os.getpid()))\n  time.sleep(600)\n"
        )
        state = pathlib.Path(f"/proc/{pid.read_text()}/stat")
        for _ in range(100):
            if not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return
            time.sleep(0.1)
        self.fail("it still runs")

    def test_time(self):
        self.assertIn("longer than 2 s", self.evaluate("Loops", time_limit=2).error)

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(berth.InputError, "FILE.py:CLASS"):
            berth.evaluate("nowhere.py:A", queue())
        with self.assertRaisesRegex(berth.InputError, "no metric"):
            self.evaluate("Fcfs", metric="nonsense")
        with self.assertRaisesRegex(berth.InputError, "expected one of each"):
            berth.evaluate(f"{self.file}:Fcfs", [])

    def test_a_seed_counts_once(self):
        for seeds, twice in (([1, 1, 2], 1), ((3, 2, 1, 2), 2), (numpy.array([0, 7, 0]), 0)):
            with self.assertRaisesRegex(
                berth.InputError, f"^seeds: error: {twice} is given twice: expected each seed once$"
            ):
                berth.evaluate(f"{self.file}:Fcfs", queue(), seeds=seeds)


if __name__ == "__main__":
    unittest.main()
