"""Schedulers in Python: what they see, what is refused, and that they decide as berth does."""

import contextlib
import functools
import pathlib
import runpy
import time
import unittest
import warnings

import berth
import numpy
from experiments_of_tests import queue


def run(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", berth.BerthWarning)
        return berth.run(*arguments, **options)


class Fcfs(berth.Scheduler):
    """Starts the job that came first on the first server with room, and waits for that job."""

    def schedule(self, view, act):
        for job in view.waiting:
            fits = (view.free >= job.demand).all(axis=1)
            if not fits.any():
                return
            act.start(job, [(int(fits.argmax()), 1)])


class Tightest(berth.Scheduler):
    def score(self, pod, view):
        return -(view.free / view.capacity)[:, 0]


class First(berth.Scheduler):
    """Performs one action on the first job, once."""

    def __init__(self):
        self.done = False

    def do(self, view, act, job):
        raise NotImplementedError

    def schedule(self, view, act):
        if view.waiting and not self.done:
            self.done = True
            self.do(view, act, view.waiting[0])


def doing(what):
    class Doing(First):
        def do(self, view, act, job):
            what(view, act, job)

    return Doing


PROFILE = {"profile": {"queueSort": "fcfs", "score": ["first-fit"]}}


class Decisions(unittest.TestCase):
    def starts(self, ran):
        return list(ran.jobs["start_s"]), list(ran.pods["node"])

    def test_fcfs_is_that_of_a_profile(self):
        for seed in range(5):
            given = queue(mean="1s")
            mine = run(given, seed=seed, scheduler=Fcfs, check_invariants=True)
            given["spec"]["scheduler"] = PROFILE
            self.assertEqual(self.starts(mine), self.starts(run(given, seed=seed)))

    def test_scores_are_those_of_a_profile(self):
        for seed in range(5):
            given = queue(mean="1s")
            given["spec"]["scheduler"] = {"profile": {"queueSort": "fcfs", "score": ["best-fit"]}}
            theirs = run(given, seed=seed)
            mine = run(given, seed=seed, scheduler=Tightest(), check_invariants=True)
            self.assertEqual(self.starts(mine), self.starts(theirs))

    def test_selected_servers_are_those_of_a_profile(self):
        seen = []

        class Emptiest(berth.Scheduler):
            def select(self, pod, candidates, view):
                free = view.free[candidates, 0]
                seen.append(
                    bool((view.free[candidates] >= pod.demand).all()) and len(set(candidates)) == len(candidates)
                )
                return candidates[free.argmax()]

        given = queue(mean="1s")
        given["spec"]["scheduler"] = {"profile": {"queueSort": "fcfs", "score": ["worst-fit"]}}
        theirs = run(given)
        self.assertTrue(self.starts(run(given, scheduler=Emptiest, check_invariants=True)) == self.starts(theirs))
        self.assertTrue(seen and all(seen))

    def test_a_long_reason_ends_with_an_ellipsis(self):
        class Refuses(berth.Scheduler):
            def schedule(self, view, act):
                for job in view.waiting:
                    act.reject(job, "é" * 500_000)

        ran = run(queue(until="60s"), scheduler=Refuses)
        self.assertGreater(len(ran.jobs["reason"]), 3)
        for table in (ran.jobs, ran.pods):
            self.assertEqual(set(table["outcome"]), {"rejected"})
            self.assertEqual(set(table["reason"]), {"é" * 510 + "..."})

    def test_an_order_is_that_of_a_scheduler(self):
        class LastComeFirst(berth.Scheduler):
            def order(self, queue, view):
                times = [job.submit for job in queue]
                assert times == sorted(times) and all(job.start is None for job in queue)
                return reversed(queue)

        class Whole(berth.Scheduler):
            def schedule(self, view, act):
                for job in reversed(view.waiting):
                    fits = (view.free >= job.demand).all(axis=1)
                    if not fits.any():
                        return
                    act.start(job, [(int(fits.argmax()), 1)])

        for seed in range(5):
            given = queue(mean="1s", replications=1)
            theirs = run(given, seed=seed, scheduler=Whole)
            given["spec"]["scheduler"] = PROFILE
            mine = run(given, seed=seed, scheduler=LastComeFirst, check_invariants=True)
            self.assertTrue(self.starts(mine) == self.starts(theirs))

    def test_jobs_of_the_queue_stay_the_same_objects(self):
        known = {}

        class Watches(Tightest):
            def order(self, queue, view):
                assert not any(job.ended for job in queue)
                for job in queue:
                    assert known.setdefault(job.name, job) is job
                return tuple(queue)

        ran = run(queue(mean="1s", replications=1), scheduler=Watches)
        self.assertTrue(known and all(job.ended and job.size == 1 for job in known.values()))
        self.assertLessEqual(set(known), set(ran.jobs["job"]))

    def test_fgd_in_python_is_that_of_berth(self):
        folder = pathlib.Path(__file__).parents[2] / "experiments/fgd"
        fgd = runpy.run_path(str(folder / "fgd.py"))["Fgd"](folder / "invented/openb_pod_list_default.csv")
        first = {
            "spec.scheduler.profile.reserve": [{"name": "gpu-sharing", "ties": "first"}],
            "spec.record.placements": True,
            "spec.replications": 2,
        }
        for changes in (first, {**first, "spec.workload[0].tune.to": 0.9, "spec.seed": 7}):
            theirs = run(folder / "fgd.yaml", set=changes)
            mine = run(folder / "fgd.yaml", set=changes, scheduler=fgd)
            for column in ("node", "devices"):
                self.assertTrue(list(mine.pods[column]) == list(theirs.pods[column]))

    def test_the_same_whatever_the_threads(self):
        given = queue(replications=4)
        self.assertEqual(run(given, scheduler=Fcfs(), threads=1).digest, run(given, scheduler=Fcfs(), threads=4).digest)

    def test_by_file_class_object_and_name(self):
        given = queue()
        by_class = run(given, scheduler=Fcfs)
        given["spec"]["scheduler"] = {"python": f"{__file__}:Fcfs"}
        with self.assertRaisesRegex(berth.InputError, "the experiment runs the code of .*: expected --allow-code"):
            run(given)
        self.assertEqual(run(given, allow_code=True).digest, by_class.digest)
        berth.register("first_come", Fcfs)
        given["spec"]["scheduler"] = {"python": "first_come"}
        self.assertEqual(self.starts(run(given)), self.starts(by_class))

    def test_what_is_kept_outlives_the_run(self):
        kept = []

        class Keeps(Fcfs):
            def schedule(self, view, act):
                kept[:] = [view, act, view.free, view.waiting, view.servers]
                super().schedule(view, act)

        run(queue(replications=1), scheduler=Keeps)
        view, act, free, _, servers = kept
        self.assertGreaterEqual(int(free.sum()), 0)
        self.assertEqual(len({server.name for server in servers}), 4)
        for look in (lambda: view.now, lambda: view.free, lambda: servers[0].up, lambda: act.wake(1)):
            with self.assertRaises(berth.SchedulerError):
                look()
        with self.assertRaises(ValueError):
            free[0, 0] = 5


class Refusals(unittest.TestCase):
    def told(self, scheduler, **options):
        with self.assertRaises(berth.SchedulerError) as caught:
            run(queue(replications=1), scheduler=scheduler, **options)
        return str(caught.exception)

    def test_verbs(self):
        def twice(view, act, job):
            act.start(job, [0])
            act.start(job, [0])

        for said, what in [
            ("runs already", twice),
            ("expected an index from 0 to 3", lambda view, act, job: act.start(job, [(9, 1)])),
            ("expected (server index, members)", lambda view, act, job: act.start(job, ["x"])),
            ("in its list twice", lambda view, act, job: act.start(job, [(0, 1), (0, 1)])),
            ("cannot", lambda view, act, job: act.start(job, [(0, 7)])),
            ("cannot", lambda view, act, job: act.evict(job)),
            ("expected a time", lambda view, act, job: act.wake(view.now - 1)),
            ("expected a time", lambda view, act, job: act.wake(float("nan"))),
        ]:
            with self.subTest(said):
                message = self.told(doing(what))
                self.assertIn(said, message)
                self.assertRegex(message, r"replication 0, at [0-9.]+ s: ")

    def test_raises(self):
        def divide(view, act, job):
            _ = 1 / 0

        with self.assertRaises(berth.SchedulerError) as caught:
            run(queue(), scheduler=doing(divide))
        self.assertIn("raised ZeroDivisionError: division by zero (test_schedulers.py, line", str(caught.exception))
        self.assertIsInstance(caught.exception.__cause__, ZeroDivisionError)

    def test_never_answers(self):
        def loop(view, act, job):
            while True:
                pass

        self.assertIn("did not answer in time", self.told(doing(loop), timeout=0.2))

        class Tells(doing(lambda view, act, job: (act.start(job, [0]), loop(view, act, job)))):
            def started(self, job):
                pass

        self.assertIn("did not answer in time", self.told(Tells, timeout=0.2))

    def test_answers_late(self):
        def sleeps(view, act, job):
            time.sleep(0.8)

        def heeds_nothing(view, act, job):
            until = time.monotonic() + 0.8
            while time.monotonic() < until:
                with contextlib.suppress(BaseException):
                    time.sleep(0.01)

        late = r"at [0-9.]+ s: schedule\(\) of Doing did not answer in time: it took [0-9.]+ s"
        for what, place in ((sleeps, r" \(test_schedulers\.py, line \d+\)"), (heeds_nothing, "")):
            self.assertRegex(self.told(doing(what), timeout=0.3), f"{late}{place}: expected at most 0\\.3 s")
        # A scheduler with enough time is not reported.
        self.assertGreater(len(run(queue(replications=1), scheduler=doing(sleeps), timeout=60).jobs), 0)

    def test_verbs_after_a_run_that_failed(self):
        kept = []

        def keep(view, act, job):
            kept.append(act)
            raise ValueError("no")

        self.assertIn("raised ValueError: no", self.told(doing(keep)))
        with self.assertRaisesRegex(berth.SchedulerError, "outside of schedule"):
            kept[0].wake(99)

    def test_verbs_with_other_arguments_say_what_they_take(self):
        for verb, words, takes in (
            ("start", 1, r"start\(job, placement\)"),
            ("start", 3, r"start\(job, placement\)"),
            ("evict", 0, r"evict\(job\)"),
            ("resize", 1, r"resize\(job, placement\)"),
            ("reject", 1, r"reject\(job, reason\)"),
            ("wake", 0, r"wake\(at\)"),
        ):
            with self.subTest(verb=verb, words=words):

                def calls(view, act, job, verb=verb, words=words):
                    getattr(act, verb)(*[job] * words)

                said = self.told(doing(calls))
                self.assertRegex(said, rf"TypeError: {verb}\(\): other arguments: expected {takes} \(test_sch.*, line")

    def test_what_is_told_need_not_be_a_function(self):
        class Told(Fcfs):
            def __init__(self):
                self.submitted = functools.partial(divmod, 0)

        self.assertIn("submitted() of Told raised TypeError", self.told(Told))

    def test_scores(self):
        class Short(berth.Scheduler):
            def score(self, pod, view):
                return [1.0]

        class NotANumber(berth.Scheduler):
            def score(self, pod, view):
                return numpy.full(4, numpy.nan)

        self.assertIn("expected 4 numbers", self.told(Short))
        self.assertIn("gave NaN for server 0", self.told(NotANumber))

    def test_selected_servers(self):
        def selecting(answer):
            class Selecting(berth.Scheduler):
                def select(self, pod, candidates, view):
                    return answer

            return Selecting

        for answer in (7, -1, 1.5, "node"):
            self.assertIn("expected one of the 4 candidates, or None", self.told(selecting(answer)))
        waits = run(queue(), scheduler=selecting(None)).jobs
        self.assertEqual(waits.to_arrow()["start_s"].null_count, len(waits))

    def test_orders(self):
        def ordering(change):
            class Ordering(berth.Scheduler):
                def order(self, queue, view):
                    return change(queue)

            return Ordering

        kept = []
        self.assertIn("jobs: expected each job of the queue once", self.told(ordering(lambda queue: queue[1:])))
        self.assertIn("which it gave before", self.told(ordering(lambda queue: [queue[0], *queue])))
        self.assertIn("expected the jobs of the queue", self.told(ordering(lambda queue: [job.name for job in queue])))
        self.assertIn("order() gave None: expected the jobs of the queue", self.told(ordering(lambda queue: None)))

        def with_an_ended_one(queue):
            kept.extend(queue)
            return [next((job for job in kept if job.ended), queue[0]), *queue[1:]]

        self.assertIn("which does not wait", self.told(ordering(with_an_ended_one)))

    def test_neither(self):
        class Both(Tightest):
            def select(self, pod, candidates, view):
                return None

        with self.assertRaisesRegex(berth.InputError, "both choose servers"):
            run(queue(), scheduler=Both)

        class Nothing(berth.Scheduler):
            pass

        with self.assertRaisesRegex(berth.InputError, "neither schedule"):
            run(queue(), scheduler=Nothing)
        with self.assertRaisesRegex(berth.InputError, "is not registered"):
            run(queue(scheduler={"python": "nobody"}))
        with self.assertRaisesRegex(berth.InputError, "it has no Nobody"):
            run(queue(scheduler={"python": f"{__file__}:Nobody"}), allow_code=True)
        with self.assertRaisesRegex(berth.InputError, "a key of a profile has no effect with"):
            run(queue(scheduler={"python": f"{__file__}:Fcfs", **PROFILE}), allow_code=True)


if __name__ == "__main__":
    unittest.main()
