"""The points of a sweep in threads, processes and a Dask cluster: they write the same bytes, and every point ends."""

import concurrent.futures
import contextlib
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

import berth
import dask
import distributed
from experiments_of_tests import queue

SCHEDULERS = """
import os
import berth

class FirstFit(berth.Scheduler):
    def schedule(self, view, act):
        for job in view.waiting:
            fits = (view.free >= job.demand).all(axis=1)
            if fits.any():
                act.start(job, [int(fits.argmax())])

class Dies(FirstFit):
    def begin(self, view):
        os._exit(7)

class Raises(FirstFit):
    def begin(self, view):
        raise LookupError("none")
"""


def sweep(axis, values):
    return {
        "apiVersion": "berth/v1",
        "kind": "Sweep",
        "metadata": {"name": "points"},
        "spec": {"experiment": queue(), "axes": [{"name": "axis", "path": axis, "values": values}]},
    }


LOADS = sweep("spec.workload[0].generate.arrivals.mean", ["3s", "4s", "6s"])


def processes(count=2):
    return concurrent.futures.ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))


class Executors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # A task that ended its worker is not retried, so that the test ends soon.
        cls.settings = dask.config.set({"distributed.scheduler.allowed-failures": 0})
        cls.cluster = distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs="CRITICAL",
        )
        cls.client = distributed.Client(cls.cluster)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.close()

    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)

    def schedulers(self, *names):
        file = self.place / "schedulers.py"
        file.write_text(SCHEDULERS)
        return sweep("spec.scheduler", [{"python": f"{file}:{name}"} for name in names])

    def test_plans(self):
        folders = [pathlib.Path(tempfile.mkdtemp(dir=self.place), name) for name in ("here", "elsewhere")]
        asked = {
            "choose": "levels[server].count=1..6",
            "require": "job_wait_s_mean<=20s",
            "replications": 20,
        }
        with processes() as pool:
            here = berth.plan(queue(), out=folders[0], **asked)
            elsewhere = berth.plan(queue(), pool, folders[1], **asked)
        self.assertEqual(here.summary, elsewhere.summary)
        self.assertTrue(here.answer.endswith(" servers"))
        for name in ("plan.json", "plan.yaml", "plan.html", "results.csv"):
            self.assertEqual(*((folder / name).read_bytes() for folder in folders))
        self.assertGreater(len(here.sweep.points), 6)
        self.assertIn("servers", repr(berth.Plan(folders[1])))

    def test_the_same_bytes_everywhere(self):
        expected = berth.sweep(LOADS)
        digests = [expected.run(axis=point["axis"]).digest for point in expected.points]
        with processes() as in_processes, concurrent.futures.ThreadPoolExecutor(2) as in_threads:
            for executor in (in_processes, in_threads, self.client.get_executor(pure=False)):
                with self.subTest(type(executor).__name__):
                    mine = berth.sweep(LOADS, executor)
                    self.assertEqual(
                        (mine.folder / "results.csv").read_bytes(), (expected.folder / "results.csv").read_bytes()
                    )
                    self.assertEqual([mine.run(axis=point["axis"]).digest for point in mine.points], digests)

    def test_code_of_a_document_is_asked_for(self):
        given = self.schedulers("FirstFit")
        for executor in (None, self.client.get_executor(pure=False)):
            with (
                self.subTest(executor),
                self.assertRaisesRegex(
                    berth.InputError, "the experiment runs the code of .*schedulers.py: expected --allow-code"
                ),
            ):
                berth.sweep(given, executor, out=self.place / "refused")
            self.assertFalse((self.place / "refused").exists())

    def test_a_point_that_raises_is_named(self):
        given = self.schedulers("FirstFit", "Raises")
        for executor in (None, self.client.get_executor(pure=False)):
            with self.subTest(executor), self.assertRaises(berth.SweepError) as caught:
                berth.sweep(given, executor, out=self.place / f"by-{executor is None}", allow_code=True)
            ((name, why),) = caught.exception.failed
            self.assertIn("Raises", name)
            self.assertIn("begin() of Raises raised LookupError: none", why)

    def test_a_worker_that_dies_fails_its_point_alone(self):
        given = self.schedulers("FirstFit", "Dies")
        out = self.place / "out"
        with self.assertRaises(berth.SweepError) as caught:
            berth.sweep(given, self.client.get_executor(pure=False), out=out, allow_code=True)
        ((name, why),) = caught.exception.failed
        self.assertIn("Dies", name)
        self.assertIn("its worker failed: KilledWorker", why)
        self.assertEqual(len(berth.open(out).results), 2)

    def test_a_pool_whose_worker_dies(self):
        given = self.schedulers("FirstFit", "Dies")
        with processes(1) as executor, self.assertRaises(berth.SweepError) as caught:
            berth.sweep(given, executor, allow_code=True)
        self.assertIn("Dies", str(caught.exception))
        self.assertIn("its worker failed: BrokenProcessPool", str(caught.exception))

    def test_ctrl_c_ends_it_and_points_stay(self):
        script = (
            "import concurrent.futures, sys, berth\n"
            "from test_executors import LOADS\n"
            "LOADS['spec']['experiment']['spec']['workload'][0]['generate']['until'] = '60000s'\n"
            "with concurrent.futures.ThreadPoolExecutor(1) as executor:\n"
            "    berth.sweep(LOADS, executor, out=sys.argv[1], progress=lambda p: print(p.done, flush=True))\n"
        )
        path = os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        with subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", script, self.place / "out"],
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as child:
            while (line := child.stdout.readline()) != "1\n":
                self.assertEqual(line, "0\n")
            began = time.monotonic()
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", said)
        self.assertLess(time.monotonic() - began, 30)
        done = [folder for folder in (self.place / "out" / "points").iterdir() if (folder / "manifest.json").exists()]
        self.assertGreaterEqual(len(done), 1)

    def test_sigkills_leave_whole_points_and_the_next_sweep_goes_on(self):
        given = sweep("spec.seed", list(range(1, 25)))
        undisturbed = berth.sweep(given)
        expected = (undisturbed.folder / "results.csv").read_bytes()
        script = (
            "import concurrent.futures, multiprocessing, sys, berth\n"
            "from test_executors import processes, sweep\n"
            "if __name__ == '__main__':\n"
            "    with processes() as executor:\n"
            "        berth.sweep(sweep('spec.seed', list(range(1, 25))), executor, out=sys.argv[1])\n"
        )
        (self.place / "killed.py").write_text(script)
        path = os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        words = [sys.executable, "-W", "ignore", self.place / "killed.py", self.place / "out"]
        points = self.place / "out" / "points"
        dice = random.Random(7)
        killed, seen = 0, set()

        def whole():
            return [p for p in points.glob("*") if "." not in p.name] if points.exists() else []

        for kill in range(200 if os.environ.get("BERTH_LONG") else 8):
            if len(whole()) == 24:
                shutil.rmtree(self.place / "out")
            enough = min(len(whole()) + dice.randrange(0, 7), 24)
            with subprocess.Popen(
                words,
                env={**os.environ, "PYTHONPATH": path},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            ) as child:
                while child.poll() is None and len(whole()) < enough:
                    time.sleep(0.002)
                time.sleep(dice.random() * (1.5 if kill % 4 == 0 else 0.05))
                # Its workers die with it, or live on until they notice that it is gone.
                with contextlib.suppress(ProcessLookupError):
                    (os.killpg if kill % 2 else os.kill)(child.pid, signal.SIGKILL)
                killed += child.wait() == -signal.SIGKILL
            seen.add(len(whole()))
            for point in whole():
                self.assertTrue((point / "run.json").exists(), point)  # this file is written last
        self.assertGreater(killed, 3)
        self.assertGreater(len(seen), 2)
        with processes() as executor:
            berth.sweep(given, executor, out=self.place / "out")
        self.assertEqual((self.place / "out" / "results.csv").read_bytes(), expected)
        program = os.environ["BERTH_PROGRAM"]
        subprocess.run([program, "verify", self.place / "out"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    unittest.main()
