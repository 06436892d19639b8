"""Environments: each is a run whose jobs are started by actions, and many at once give the same as one by one."""

import os
import pathlib
import subprocess
import sys
import unittest
import warnings

import berth
import gymnasium
import numpy
from berth.gym import Cluster, ClusterVector
from experiments_of_tests import queue
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

BUSY = queue(mean="2s", until="200s")


class FirstFit(berth.Scheduler):
    """Repeatedly starts the first job that fits, on the first server with room, until no job fits."""

    def schedule(self, view, act):
        while True:
            for job in view.waiting[:8]:
                fits = (view.free >= job.demand).all(axis=1)
                if fits.any():
                    act.start(job, [int(fits.argmax())])
                    break
            else:
                return


def groups():
    """Groups of three members, which do not fit on a single server, among single pods."""
    given = queue(mean="4s", until="300s")
    given["spec"]["workload"].append(
        {
            "generate": {
                "name": "gang",
                "arrivals": {"distribution": "exponential", "mean": "30s"},
                "service": {"distribution": "exponential", "mean": "20s"},
                "until": "300s",
                "group": {"spec": {"group": {"name": "gang", "size": 6, "type": "one"}}},
            }
        }
    )
    return given


def first_possible(info):
    return int(info["action_mask"].argmax())


def play(environment, seed=None, choose=first_possible):
    """Plays a whole run. Returns all its steps: observations, rewards, infos."""
    steps = []
    observation, info = environment.reset(seed=seed)
    over = False
    while not over:
        observation, reward, over, _, info = environment.step(choose(info))
        steps.append((observation, reward, info))
    return steps


def same(one, other):
    return all(numpy.array_equal(one[name], other[name]) for name in one)


class Environments(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def test_the_interface_is_gymnasiums(self):
        check_env(Cluster(BUSY, queue=8), skip_render_check=True)

    def test_actions_are_a_schedulers_starts(self):
        for seed in range(3):
            environment = Cluster(BUSY, queue=8)
            play(environment, seed)
            theirs = berth.run(BUSY, seed, {"spec.replications": 1}, scheduler=FirstFit)
            for column in ("job", "start_s", "finish_s"):
                self.assertEqual(list(environment.run.jobs[column]), list(theirs.jobs[column]))
            self.assertEqual(list(environment.run.pods["node"]), list(theirs.pods["node"]))

    def test_rewards_add_up_to_what_was_waited(self):
        for given in (BUSY, groups()):
            environment = Cluster(given, queue=8)
            rewards = sum(reward for _, reward, _ in play(environment))
            pods = environment.run.pods
            waited = (pods["start_s"] - pods["submit_s"]) / 3600
            self.assertGreater(waited.sum(), 0)
            self.assertAlmostEqual(-rewards, waited.sum())

    def test_groups_go_where_there_is_room(self):
        environment = Cluster(groups(), queue=8)
        rng = numpy.random.default_rng(1)
        steps = play(environment, 1, lambda info: int(rng.choice(numpy.flatnonzero(info["action_mask"]))))
        self.assertFalse(any(info["invalid"] for _, _, info in steps))
        self.assertGreater(environment.run["groups_started"], 0)

    def test_what_cannot_be_carried_out_does_nothing(self):
        environment = Cluster(BUSY, queue=8)
        _, before = environment.reset()
        impossible = int(numpy.flatnonzero(before["action_mask"] == 0)[0])
        _, _, _, _, after = environment.step(impossible)
        self.assertTrue(after["invalid"])
        self.assertGreater(after["now"], before["now"])
        self.assertFalse(environment.step(first_possible(after))[4]["invalid"])

    def test_the_warm_up_is_no_run_before_the_run(self):
        given = queue(mean="2s", until="200s", record={"warmUp": "auto"})
        environment = Cluster(given, queue=8)
        play(environment)
        self.assertIn(b"warmUp: 0s", environment.run.file("experiment.yaml"))

    def test_wrong_arguments(self):
        for make in (
            lambda: Cluster(BUSY, queue=0),
            lambda: ClusterVector(BUSY, 0),
            lambda: ClusterVector(BUSY, 2).reset(seed=[1]),
            lambda: ClusterVector(BUSY, 2).reset(options={"reset_mask": numpy.zeros(2, bool)}),
        ):
            with self.assertRaisesRegex(berth.InputError, "expected"):
                make()
        environment = Cluster(BUSY, queue=8)
        with self.assertRaises(gymnasium.error.ResetNeeded):
            environment.step(0)
        environment.reset()
        for action in (-1, environment.action_space.n):
            with self.assertRaisesRegex(berth.InputError, "expected a whole number"):
                environment.step(action)

    def test_a_cluster_that_changed_meanwhile(self):
        given = queue()
        environment = Cluster(given, queue=8)
        given["spec"]["topology"]["spec"]["levels"][1]["count"] = 5
        with self.assertRaisesRegex(berth.InputError, "it has 10 servers and 1 resources now: expected 4"):
            environment.reset()

    def test_rewards_of_ones_own(self):
        seen = []

        def reward(view):
            seen.append((view, view.waiting))
            return len(view.waiting)

        environment = Cluster(BUSY, queue=8, reward=reward)
        steps = play(environment)
        self.assertEqual(
            [len(waiting) for _, waiting in seen], [observation["waiting"][0] for observation, _, _ in steps[:-1]]
        )
        self.assertEqual(steps[-1][1], 0)
        self.assertEqual({id(view) for view, _ in seen}, {id(seen[0][0])})
        with self.assertRaises(berth.SchedulerError):
            _ = seen[0][0].now
        self.assertTrue(seen[0][1][0].ended)

    def test_ctrl_c_ends_a_step(self):
        script = (
            "import signal, sys, threading\n"
            "from berth.gym import Cluster\n"
            "from experiments_of_tests import queue\n"
            "environment = Cluster(queue(servers=2, until='1e9s'), queue=1)\n"
            "environment.reset()\n"
            "threading.Timer(1, signal.raise_signal, [signal.SIGINT]).start()\n"
            "try:\n"
            "    while True: environment.step(2)\n"
            "except KeyboardInterrupt:\n"
            "    environment.reset()\n"
            "    print('goes on')\n"
        ).replace("1e9s", "100000000s")
        path = os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual((done.stdout, done.returncode), ("goes on\n", 0), done.stderr)


class ManyAtOnce(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def test_the_same_as_one_by_one(self):
        count = 5
        for given in (BUSY, groups()):
            many = ClusterVector(given, count, queue=8, autoreset_mode="Disabled")
            ones = [Cluster(given, queue=8) for _ in range(count)]
            rows, infos = many.reset(seed=7)
            told = [one.reset(seed=7 + number) for number, one in enumerate(ones)]
            for _ in range(60):
                actions = infos["action_mask"].argmax(axis=1)
                for number, (observation, info) in enumerate(told):
                    self.assertTrue(same(observation, {name: row[number] for name, row in rows.items()}))
                    self.assertTrue(same(info, {name: infos[name][number] for name in info}))
                rows, rewards, over, _, infos = many.step(actions)
                stepped = [one.step(int(action)) for one, action in zip(ones, actions)]
                self.assertEqual(list(rewards), [step[1] for step in stepped])
                self.assertFalse(over.any())
                told = [(step[0], step[4]) for step in stepped]

    def test_resets_are_those_of_gymnasium(self):
        given = queue(until="20s")
        for mode in ("NextStep", "SameStep"):
            mine = ClusterVector(given, 1, queue=8, autoreset_mode=mode)
            theirs = SyncVectorEnv([lambda: Cluster(given, queue=8)], autoreset_mode=mode)
            self.assertEqual(mine.metadata, theirs.metadata)
            self.assertEqual(mine.observation_space, theirs.observation_space)
            self.assertEqual(mine.action_space, theirs.action_space)
            (rows, infos), (their_rows, their_infos) = mine.reset(seed=1), theirs.reset(seed=1)
            ended = 0
            for _ in range(100):
                self.assertTrue(same(rows, their_rows))
                self.assertEqual(sorted(infos), sorted(their_infos))
                for name in ("action_mask", "now", "invalid"):
                    numpy.testing.assert_array_equal(infos[name], their_infos[name])
                actions = infos["action_mask"].argmax(axis=1)
                rows, *mine_told, infos = mine.step(actions)
                their_rows, *their_told, their_infos = theirs.step(actions)
                for told, expected in zip(mine_told, their_told):
                    numpy.testing.assert_array_equal(told, expected)
                if mine_told[1].any() and mode == "SameStep":
                    self.assertTrue(same(infos["final_obs"][0], their_infos["final_obs"][0]))
                    for name, told in infos["final_info"].items():
                        numpy.testing.assert_array_equal(told, their_infos["final_info"][name])
                ended += int(mine_told[1].sum())
            self.assertGreater(ended, 3)

    def test_no_two_runs_have_one_seed(self):
        count = 3
        many = ClusterVector(queue(until="10s"), count, queue=8)
        _, infos = many.reset()
        seeds = [set() for _ in range(count)]
        for _ in range(60):
            _, _, over, _, infos = many.step(infos["action_mask"].argmax(axis=1))
            for number in numpy.flatnonzero(over):
                seeds[number].add(int(many.runs[number].replications["seed"][0]))
        self.assertGreater(min(map(len, seeds)), 2)
        self.assertEqual(sum(map(len, seeds)), len(set.union(*seeds)))

    def test_some_are_reset_alone(self):
        many = ClusterVector(queue(until="10s"), 2, queue=8, autoreset_mode="Disabled")
        _, infos = many.reset(seed=[3, 4])
        over = numpy.zeros(2, bool)
        while not over.any():
            _, _, over, _, infos = many.step(infos["action_mask"].argmax(axis=1))
        with self.assertRaises(gymnasium.error.ResetNeeded):
            many.step(numpy.zeros(2, int))
        before = infos["now"][1]
        _, infos = many.reset(seed=[2, None], options={"reset_mask": numpy.array([True, False])})
        self.assertLess(infos["now"][0], infos["now"][1])
        self.assertEqual(infos["now"][1], before)


if __name__ == "__main__":
    unittest.main()
