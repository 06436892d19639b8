"""Nothing of a run, a scheduler or an environment is kept forever, and nothing is freed while it is in use."""

import copy
import ctypes
import gc
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import typing
import unittest
import warnings
import weakref

import berth
from berth.gym import Cluster, ClusterVector
from experiments_of_tests import queue

PROGRAM = os.environ["BERTH_PROGRAM"]
SMALL = queue(until="100s")
SWEEP = {
    "apiVersion": "berth/v1",
    "kind": "Sweep",
    "metadata": {"name": "one"},
    "spec": {"experiment": SMALL, "axes": [{"name": "first", "path": "spec.seed", "values": [1, 2]}]},
}


class FirstFit(berth.Scheduler):
    made: typing.ClassVar = weakref.WeakSet()

    def __init__(self):
        self.made.add(self)

    def __deepcopy__(self, memo):
        return type(self)()

    def schedule(self, view, act):
        for job in view.waiting:
            fits = (view.free >= job.demand).all(axis=1)
            if fits.any():
                act.start(job, [int(fits.argmax())])


class Tightest(FirstFit):
    schedule = None

    def score(self, pod, view):
        return -(view.free - pod.demand).sum(axis=1)


class Raises(FirstFit):
    def schedule(self, view, act):
        super().schedule(view, act)
        if view.now > 50:
            raise LookupError


class _InUse(ctypes.Structure):
    """The C library's figures about its memory: struct mallinfo2."""

    names = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    _fields_ = [(name, ctypes.c_size_t) for name in names]


def memory():
    """Bytes in use besides Python's small objects. Memory that the C library keeps for later does not count."""
    ask = ctypes.CDLL(None).mallinfo2
    ask.restype = _InUse
    told = ask()
    return told.uordblks + told.hblkhd


def threads():
    return len(os.listdir("/proc/self/task"))


def steps(environment, count):
    _, info = environment.reset()
    for _ in range(count):
        mask = info["action_mask"]
        info = environment.step(mask.argmax(axis=1) if mask.ndim == 2 else int(mask.argmax()))[4]


class Lifetimes(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def grows(self, work, times=90):
        """The growth of the process in bytes and in objects with each call, after a warm-up."""
        for _ in range(times // 3):
            work()
        gc.collect()
        before, objects = memory(), len(gc.get_objects())
        for _ in range(times):
            work()
        gc.collect()
        return (memory() - before) / times, (len(gc.get_objects()) - objects) / times

    def test_nothing_grows(self):
        def run_and_read():
            mine = berth.run(SMALL)
            mine.jobs["wait_s"], mine.pods.to_pandas(), mine.metrics.to_arrow(), repr(mine)

        def fail():
            with self.assertRaises(berth.SchedulerError):
                berth.run(SMALL, scheduler=Raises)

        some = berth.run(SMALL)
        one, many = Cluster(SMALL, queue=8), ClusterVector(SMALL, 3, queue=8)
        for work in (
            run_and_read,
            fail,
            lambda: berth.run(SMALL, scheduler=FirstFit),
            lambda: berth.run(SMALL, scheduler=Tightest()),
            lambda: berth.compare(some, some),
            lambda: steps(one, 30),
            lambda: steps(many, 30),
            lambda: steps(Cluster(SMALL, queue=8), 5),
        ):
            with self.subTest(work):
                more_bytes, more_objects = self.grows(work)
                self.assertLess(more_bytes, 4096)  # a run has ten times as much
                self.assertLess(more_objects, 0.5)

    def test_schedulers_go_with_their_run(self):
        for scheduler in (FirstFit, FirstFit(), Tightest):
            berth.run(SMALL, scheduler=scheduler)
        with self.assertRaises(berth.SchedulerError):
            berth.run(SMALL, scheduler=Raises)
        del scheduler
        gc.collect()
        self.assertEqual(len(FirstFit.made), 0)

    def test_a_table_outlives_its_run(self):
        mine = berth.run(SMALL)
        seen = weakref.ref(mine)
        arrow, jobs = mine.jobs.to_arrow(), mine.jobs
        del mine
        gc.collect()
        self.assertIsNone(seen())
        self.assertEqual(arrow.num_rows, len(jobs))
        self.assertEqual(len(jobs["job"]), arrow.num_rows)

    def test_threads_end_with_their_environments(self):
        steps(Cluster(SMALL, queue=8), 3)
        before, of_python = threads(), threading.active_count()
        kept = [Cluster(SMALL, queue=8), ClusterVector(SMALL, 4, queue=8)]
        for environment in kept:
            steps(environment, 3)
        self.assertEqual(threads(), before + 5)
        kept[0].close()
        del environment, kept
        gc.collect()
        self.assertEqual(threads(), before)
        self.assertEqual(threading.active_count(), of_python)

    def test_folders_go_with_what_needs_them(self):
        with tempfile.TemporaryDirectory() as place:
            before, tempfile.tempdir = tempfile.tempdir, place
            try:
                mine = berth.run(SMALL)
                sweep = berth.sweep(SWEEP)
                point = sweep.run(first=1)
                self.assertTrue(mine.folder.is_dir() and sweep.folder.is_dir())
                del sweep
                gc.collect()
                self.assertGreater(len(point.jobs), 0)
                self.assertEqual(pickle.loads(pickle.dumps(point)).digest, point.digest)
                del mine, point
                gc.collect()
                self.assertEqual(os.listdir(place), [])
            finally:
                tempfile.tempdir = before

    def test_copies_of_a_sweep_have_files_of_their_own(self):
        with tempfile.TemporaryDirectory() as place:
            before, tempfile.tempdir = tempfile.tempdir, place
            try:
                for copied in (copy.copy, copy.deepcopy, lambda sweep: pickle.loads(pickle.dumps(sweep))):
                    mine = berth.sweep(SWEEP)
                    expected, digest = (mine.folder / "results.csv").read_bytes(), mine.run(first=2).digest
                    other, point = copied(mine), copied(mine.run(first=2))
                    del mine
                    gc.collect()
                    self.assertEqual((other.folder / "results.csv").read_bytes(), expected)
                    self.assertEqual((other.run(first=2).digest, point.digest), (digest, digest))
                    self.assertEqual((len(other.results), point.label), (4, "first=2"))
                    berth.compare(other.run(first=2), point)
                    subprocess.run([PROGRAM, "verify", other.folder], check=True, stdout=subprocess.DEVNULL)
                    del other, point
                    gc.collect()
                    self.assertEqual(os.listdir(place), [])
                users = berth.sweep(SWEEP, out=os.path.join(place, "mine"))
                for copied in (copy.copy, copy.deepcopy, lambda sweep: pickle.loads(pickle.dumps(sweep))):
                    self.assertEqual(copied(users).folder, users.folder)
                make, _ = berth.sweep(SWEEP).__reduce__()
                for name in ("../elsewhere", "/elsewhere", "points/../../elsewhere", "a\0b", ""):
                    with self.assertRaisesRegex(berth.InputError, "expected the path of a file in a sweep's folder"):
                        make({name: b""})
                gc.collect()
                self.assertEqual(os.listdir(place), ["mine"])
            finally:
                tempfile.tempdir = before

    def test_other_interpreters_are_refused(self):
        name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
        script = (
            f"import {name} as interpreters\n"
            "inside = 'try: import berth\\n'\n"
            "inside += 'except ImportError as error: print(error, flush=True)\\n'\n"
            "for first in ('', 'import berth'):\n"
            "    exec(first)\n"
            "    interpreters.run_string(interpreters.create(), inside)\n"
            "print(berth.__version__)\n"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        refused = "berth works in the main interpreter alone: expected processes, such as those of multiprocessing, "
        self.assertEqual(
            done.stdout.splitlines(), [refused + "instead of sub-interpreters"] * 2 + [berth.__version__], done.stderr
        )


if __name__ == "__main__":
    unittest.main()
