"""A cluster as an environment of the gymnasium interface."""

from __future__ import annotations

import queue
import threading
import typing
import warnings
from collections.abc import Mapping

import gymnasium
import numpy

from berth import _experiment
from berth._errors import InputError
from berth.run import BerthWarning, Run
from berth.run import run as run_experiment
from berth.scheduler import Scheduler

Observation = typing.Dict[str, numpy.ndarray]


class _Stopped(Exception):
    """The environment is done with a run before the run is."""


class _Turns(Scheduler):
    """Hands each turn of the run to the environment, in whose thread everything else happens."""

    def __init__(self, offered: queue.SimpleQueue[typing.Any], taken: queue.SimpleQueue[typing.Any]) -> None:
        self._offered = offered
        self._taken = taken

    def __deepcopy__(self, memo: object) -> _Turns:
        return self  # there is one replication

    def schedule(self, view: typing.Any, act: typing.Any) -> None:
        self._offered.put((view, act))
        if self._taken.get() is not None:
            raise _Stopped


class Cluster(gymnasium.Env[Observation, int]):
    """One replication of an experiment, in which the actions decide which job starts where.

    An action is a number below `queue * servers + 1`: `slot * servers + server` starts the job in that slot of the queue
    on that server, and further members of a group on the servers behind it that have room; the last number does
    nothing, and time goes on. Time also goes on when no action but that one is left. `info["action_mask"]` says
    which actions can be carried out; one that cannot does nothing, and counts as `info["invalid"]`.

    The observation is a dict of arrays, as shares of what there is: `free` (servers x resources), `demand` (queue x
    resources, of one pod of each of the first jobs that wait, of the largest server), `size`, `wait` and `estimate` (queue,
    in hours), `waiting` (how many jobs wait).

    The reward of a step is minus the pod-hours that jobs spent waiting in it, or what `reward(view)` says.

    Args:
        experiment: a path, YAML text or a dict.
        queue: how many of the waiting jobs are seen.
        reward: called with the view after each step.
        set: what to change in the experiment, by path.
    """

    metadata: typing.ClassVar[dict[str, typing.Any]] = {"render_modes": []}

    def __init__(
        self,
        experiment: _experiment.Experiment,
        queue: int = 64,
        reward: typing.Callable[[typing.Any], float] | None = None,
        set: Mapping[str, typing.Any] | None = None,
    ) -> None:
        if queue < 1:
            raise InputError(f"queue: error: {queue}: expected a number from 1 on")
        self._experiment = experiment
        self._changes = {**(set or {}), "spec.replications": 1}
        self._slots = queue
        self._reward = reward
        self._thread: threading.Thread | None = None
        self._seed: int | None = None
        self.run: Run | None = None
        self._start(None)
        servers, resources = self._view.free.shape
        self._servers = servers
        self._scale = numpy.maximum(self._view.capacity.max(axis=0), 1).astype(float)
        box = gymnasium.spaces.Box
        self.observation_space = gymnasium.spaces.Dict(
            {
                "free": box(0, 1, (servers, resources), numpy.float32),
                "demand": box(0, numpy.inf, (queue, resources), numpy.float32),
                "size": box(0, numpy.inf, (queue,), numpy.float32),
                "wait": box(0, numpy.inf, (queue,), numpy.float32),
                "estimate": box(0, numpy.inf, (queue,), numpy.float32),
                "waiting": box(0, numpy.inf, (1,), numpy.float32),
            }
        )
        self.action_space = gymnasium.spaces.Discrete(queue * servers + 1)
        self._stop()

    def reset(
        self, *, seed: int | None = None, options: dict[str, typing.Any] | None = None
    ) -> tuple[Observation, dict[str, typing.Any]]:
        """Begins a run, with this seed instead of the experiment's; without one, with the next after the last."""
        super().reset(seed=seed)
        self._stop()
        if seed is None and self._seed is not None:
            seed = self._seed + 1
        self._start(seed)
        return self._observe(), self._info(False)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, typing.Any]]:
        """Carries an action out.

        Returns:
            the observation, the reward, whether the run is over, False, and what gymnasium calls info.
        """
        before, waited = self._now, self._waiting_pods
        mask = self._mask
        invalid = not mask[action]
        wait_on = action == len(mask) - 1
        if not invalid and not wait_on:
            slot, server = divmod(int(action), self._servers)
            self._act.start(self._jobs[slot], self._placement(self._jobs[slot], server))
        self._look()
        if wait_on or invalid or not self._mask[:-1].any():
            self._next_turn()
        reward = self._reward(self._view) if self._reward else -(self._now - before) * waited / 3600
        return self._observe(), float(reward), self._over, False, self._info(invalid)

    def close(self) -> None:
        """Ends the run that is under way."""
        self._stop()

    def action_masks(self) -> numpy.ndarray:
        """Which actions can be carried out, as sb3-contrib's MaskablePPO asks for it."""
        return self._mask

    def _start(self, seed: int | None) -> None:
        self._offered: queue.SimpleQueue[typing.Any] = queue.SimpleQueue()
        self._taken: queue.SimpleQueue[typing.Any] = queue.SimpleQueue()
        self._over = False
        self.run = None
        turns = _Turns(self._offered, self._taken)

        def simulate() -> None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", BerthWarning)  # the run has them
                    run = run_experiment(self._experiment, seed, self._changes, threads=1, scheduler=turns)
                self._offered.put(run)
            except BaseException as error:  # it is the environment's to raise
                self._offered.put(error)

        self._thread = threading.Thread(target=simulate, daemon=True)
        self._thread.start()
        self._await()
        if not self._over:
            self._seed = self._view.seed if seed is None else seed

    def _stop(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            self._taken.put(_Stopped)
            self._offered.get()
            self._thread.join()
        self._thread = None

    def _next_turn(self) -> None:
        """Lets time go on to the next turn in which something can be started, or to the end."""
        while not self._over:
            self._taken.put(None)
            self._await()
            if self._over or self._mask[:-1].any():
                return

    def _await(self) -> None:
        told = self._offered.get()
        if isinstance(told, BaseException):
            self._over = True
            raise told
        if isinstance(told, Run):
            self._over, self.run = True, told
            self._jobs, self._waiting_pods = [], 0
            self._mask[:-1] = False
            return
        self._view, self._act = told
        self._look()

    def _look(self) -> None:
        waiting = self._view.waiting
        self._now = self._view.now
        self._jobs = waiting[: self._slots]
        self._waiting = len(waiting)
        self._waiting_pods = sum(job.size for job in waiting)
        servers = len(self._view.free)
        self._mask = numpy.zeros(self._slots * servers + 1, dtype=numpy.int8)
        self._mask[-1] = 1
        for slot, job in enumerate(self._jobs):
            room = self._room(job)
            if room.sum() >= job.size:
                self._mask[slot * servers : (slot + 1) * servers] = room > 0

    def _room(self, job: typing.Any) -> numpy.ndarray:
        """How many members of a job each server has room for."""
        asked = job.demand > 0
        if not asked.any():
            return numpy.full(len(self._view.free), job.size)
        return (self._view.free[:, asked] // job.demand[asked]).min(axis=1)

    def _placement(self, job: typing.Any, server: int) -> list[tuple[int, int]]:
        room = self._room(job)
        placement = []
        left = job.size
        for place in numpy.roll(numpy.arange(len(room)), -server):
            here = min(left, int(room[place]))
            if here > 0:
                placement.append((int(place), here))
                left -= here
            if left == 0:
                break
        return placement

    def _observe(self) -> Observation:
        resources = len(self._scale) if hasattr(self, "_scale") else 0
        demand = numpy.zeros((self._slots, resources), numpy.float32)
        size, wait, estimate = (numpy.zeros(self._slots, numpy.float32) for _ in range(3))
        for slot, job in enumerate(self._jobs):
            demand[slot] = job.demand / self._scale
            size[slot] = job.size
            wait[slot] = (self._now - job.submit) / 3600
            estimate[slot] = (job.estimate or 0) / 3600
        free = self._view.free / self._scale if not self._over else numpy.zeros((self._servers, resources))
        return {
            "free": free.astype(numpy.float32),
            "demand": demand,
            "size": size,
            "wait": wait,
            "estimate": estimate,
            "waiting": numpy.array([0 if self._over else self._waiting], numpy.float32),
        }

    def _info(self, invalid: bool) -> dict[str, typing.Any]:
        return {"action_mask": self._mask, "now": self._now, "invalid": invalid}
