"""The progress of a run or a sweep is shown to users who wait for it, and to no others."""

import concurrent.futures
import os
import pty
import subprocess
import sys
import unittest
import warnings

import berth
from experiments_of_tests import queue

SLOW = """
import sys, time
import berth
from experiments_of_tests import queue

class Slow(berth.Scheduler):
    def begin(self, view):
        time.sleep(1.5)
    def schedule(self, view, act):
        pass

berth.run(queue(replications=2), scheduler=Slow(), progress=eval(sys.argv[1]))
print("over", file=sys.stderr)
"""


def sweep(replications=2):
    return {
        "apiVersion": "berth/v1",
        "kind": "Sweep",
        "metadata": {"name": "loads"},
        "spec": {
            "experiment": queue(replications=replications),
            "axes": [{"name": "load", "path": "spec.workload[0].generate.arrivals.mean", "values": ["3s", "4s", "5s"]}],
        },
    }


class Progress(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore", berth.BerthWarning)

    def test_a_callable_is_told_of_a_run(self):
        told = []
        berth.run(queue(replications=7), progress=told.append)
        self.assertEqual((told[-1].done, told[-1].total), (7, 7))
        self.assertIn("7 of 7 replications", told[-1].text)
        self.assertEqual(told, sorted(told, key=lambda one: one.done))

    def test_a_function_that_does_nothing_when_it_is_called_is_refused(self):
        async def later(progress):
            pass

        def bit_by_bit(progress):
            yield progress

        class Later:
            async def __call__(self, progress):
                pass

        for wanted, what in ((later, "an async function"), (Later(), "an async function"), (bit_by_bit, "a generator")):
            with self.subTest(wanted), self.assertRaisesRegex(berth.InputError, f"^progress: error: {what}: expected"):
                berth.run(queue(), progress=wanted)

    def test_a_callable_is_told_of_a_sweep(self):
        for executor in (None, concurrent.futures.ThreadPoolExecutor(2)):
            with self.subTest(executor):
                told = []
                berth.sweep(sweep(), executor, progress=told.append)
                self.assertEqual((told[-1].done, told[-1].total), (3, 3))
                self.assertIn("loads: 3 of 3 points", told[-1].text)

    def test_what_a_callable_raises_ends_the_run(self):
        def stop(progress):
            raise LookupError(progress.text)

        for call in (berth.run, berth.sweep):
            with self.subTest(call), self.assertRaises(LookupError):
                call(queue() if call is berth.run else sweep(), progress=stop)

    def test_anything_else_is_refused(self):
        with self.assertRaisesRegex(berth.InputError, "progress: error: a str: expected"):
            berth.run(queue(), progress="yes")

    def said(self, wanted, terminal):
        """The output of a run of three seconds on standard error."""
        path = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])
        near, far = pty.openpty() if terminal else os.pipe()
        options = {"stderr": far, "env": {**os.environ, "PYTHONPATH": path, "COLUMNS": "40"}}
        with subprocess.Popen([sys.executable, "-W", "ignore", "-c", SLOW, wanted], **options):
            os.close(far)
            text = b""
            try:
                while more := os.read(near, 4096):
                    text += more
            except OSError:  # a terminal ends in this way
                pass
        os.close(near)
        return text.decode()

    def test_a_terminal_has_a_line_that_goes_again(self):
        said = self.said("None", terminal=True)
        self.assertIn("\r\033[Kqueue: 0 of 2 replications", said)
        self.assertTrue(said.endswith("\r\033[Kover\r\n"), said)
        lines = said.split("\r\033[K")
        self.assertLess(max(map(len, lines[:-1])), 40)

    def test_a_file_has_lines_only_if_they_are_asked_for(self):
        self.assertEqual(self.said("None", terminal=False), "over\n")
        self.assertEqual(self.said("False", terminal=True), "over\r\n")
        said = self.said("True", terminal=False).splitlines()
        self.assertRegex(said[0], "^queue: 0 of 2 replications")
        self.assertLessEqual(len(said), 3)

    def test_nobody_can_read_it(self):
        for close in ("sys.stderr.close()", "sys.stderr = None", "sys.stderr = open('/dev/full', 'w', buffering=1)"):
            for wanted in ("None", "True"):
                path = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])
                script = f"import sys\n{close}\n" + SLOW.replace("file=sys.stderr", "file=sys.stdout")
                done = subprocess.run(
                    [sys.executable, "-W", "ignore", "-c", script, wanted],
                    env={**os.environ, "PYTHONPATH": path},
                    stdout=subprocess.PIPE,
                    text=True,
                )
                with self.subTest(close=close, wanted=wanted):
                    self.assertEqual(done.stdout, "over\n")


if __name__ == "__main__":
    unittest.main()
