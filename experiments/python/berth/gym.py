"""A cluster as an environment of the gymnasium interface, and many such environments at once."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping, Sequence

import gymnasium
import numpy
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from berth import _arguments, _berth, _experiment
from berth._errors import InputError
from berth.run import Run

Observation = dict[str, numpy.ndarray]
Info = dict[str, typing.Any]
Reward = Callable[[typing.Any], float]

_QUEUE_MAX = 1 << 20
_ENVIRONMENTS_MAX = 1 << 16

_OBSERVED = ("free", "demand", "size", "wait", "estimate", "waiting")


def _array(name: str, value: object, expected: str) -> numpy.ndarray:
    try:
        array: numpy.ndarray = numpy.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise _arguments.wrong(name, value, expected) from None
    return array


class _Runs:
    """Runs that go on at the same time, each in a thread. The shared arrays have a row for each run."""

    def __init__(
        self,
        experiment: _experiment.Experiment,
        count: int,
        queue: int,
        changes: Mapping[str, typing.Any] | None,
    ) -> None:
        self._experiment = experiment
        wanted = _arguments.mapping("set", changes, "a dict of paths and values, such as {'spec.until': '1d'}")
        self._changes = {**wanted, "spec.replications": 1}
        first = self._load(None)
        shape = _berth.environment_shape(first, queue)
        rows = {
            "free": (shape.servers, shape.resources),
            "demand": (queue, shape.resources),
            "size": (queue,),
            "wait": (queue,),
            "estimate": (queue,),
            "waiting": (1,),
        }
        self.actions = queue * shape.servers + 1
        self.arrays: dict[str, numpy.ndarray] = {
            name: numpy.zeros((count, *row), numpy.float32) for name, row in rows.items()
        }
        self.arrays["mask"] = numpy.zeros((count, self.actions), numpy.int8)
        self.arrays.update({name: numpy.zeros(count) for name in ("now", "reward")})
        self.arrays.update({name: numpy.zeros(count, numpy.int8) for name in ("invalid", "over")})
        self.native = _berth.Environments(count, shape, self.arrays)
        self.next_seeds = [first.seed + number for number in range(count)]
        self.last: list[Run | None] = [None] * count
        self._settled = False
        box = gymnasium.spaces.Box
        self.observation_space = gymnasium.spaces.Dict(
            {name: box(0, 1 if name == "free" else numpy.inf, row, numpy.float32) for name, row in rows.items()}
        )
        self.action_space = gymnasium.spaces.Discrete(self.actions)

    def _load(self, seed: int | None) -> _berth.Experiment:
        loaded = _experiment.load(self._experiment, seed, self._changes, "environment")
        if loaded.finds_warm_up:  # it is found by an extra run beforehand, which would get no actions
            self._changes["spec.record.warmUp"] = "0s"
            return self._load(seed)
        return loaded

    def begin(self, seeds: Mapping[int, int | None]) -> None:
        """Begins runs, by their numbers. For a seed of None, the run takes the next seed that no run has used."""
        self.native.check_process()
        self._settled = False
        for number, given in seeds.items():
            seed = self.next_seeds[number] if given is None else given
            self.native.begin(number, self._load(seed))
            self.next_seeds[number] = seed + len(self.next_seeds)
        self.native.settle()
        self._settled = True

    def act(self, actions: Sequence[int]) -> None:
        """Carries out an action in each run; a number below 0 means no action."""
        self.native.check_process()
        if not self._settled:
            raise gymnasium.error.ResetNeeded(
                "expected reset() first: no run is under way, or its last step was cut off"
            )
        self._settled = False
        self.native.act(actions)
        self.native.settle()
        self._settled = True
        for number in numpy.flatnonzero(self.arrays["over"]):
            run = self.native.take_run(int(number))
            if run is not None:
                self.last[number] = Run(run, 1)

    def stop(self) -> None:
        self._settled = False
        for number in range(len(self.next_seeds)):
            self.native.stop(number)

    def rewards(self, by: Reward | None) -> numpy.ndarray:
        """The rewards of the last step. `by` is called only for runs that are not over."""
        rewards = self.arrays["reward"].copy()
        if by is not None:
            for number in range(len(rewards)):
                view = self.native.view(number)
                given = 0 if view is None else by(view)
                try:
                    rewards[number] = float(given)
                except (TypeError, ValueError, OverflowError):
                    raise _arguments.wrong("reward", given, "a number") from None
        return rewards


class Cluster(gymnasium.Env[Observation, numpy.int64]):
    """One replication of an experiment, in which the actions decide which job starts where.

    An action is a number below `queue * servers + 1`: `slot * servers + server` starts the job in that slot of the
    queue on that server, and further members of a group on the servers behind it that have room; the last number does
    nothing, and time goes on. Time also goes on when no other action is left. `info["action_mask"]` says which actions
    can be carried out; an action that cannot does nothing and counts as `info["invalid"]`.

    The observation is a dict of arrays. Amounts are shares: `free` (servers x resources), `demand` (queue x resources:
    for each of the first waiting jobs, the demand of one pod as a share of the largest server), `size`, `wait` and
    `estimate` (queue; times in hours), `waiting` (how many jobs wait).

    The reward of a step is minus the pod-hours that jobs spent waiting in it, or the result of `reward(view)`. Once the
    run is over there is no view, and such a reward is 0.

    Args:
        experiment: a path, YAML text or a dict. `warmUp: auto` is ignored.
        queue: how many of the waiting jobs are visible.
        reward: a function that is called with the view after each step.
        set: changes to the experiment, by path.

    Attributes:
        run: the Run when it is over.
    """

    def __init__(
        self,
        experiment: _experiment.Experiment,
        queue: int = 64,
        reward: Reward | None = None,
        set: Mapping[str, typing.Any] | None = None,
    ) -> None:
        _arguments.optional_callable("reward", reward)
        self._runs = _Runs(experiment, 1, _arguments.whole("queue", queue, 1, _QUEUE_MAX), set)
        self._reward = reward
        self.observation_space = typing.cast("gymnasium.Space[Observation]", self._runs.observation_space)
        self.action_space = self._runs.action_space

    @property
    def run(self) -> Run | None:
        return self._runs.last[0]

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Observation, Info]:
        """Begins a run with this seed instead of the experiment's; without one, with the seed after the last run's."""
        seed = _arguments.optional_whole("seed", seed, 0, _experiment.SEED_MAX)
        super().reset(seed=seed)
        self._runs.last[0] = None
        self._runs.begin({0: seed})
        return self._observe(), self._info()

    def step(self, action: int | numpy.integer[typing.Any]) -> tuple[Observation, float, bool, bool, Info]:
        """Carries out an action.

        Returns:
            the observation, the reward, whether the run is over, False, and gymnasium's info.
        """
        self._runs.act([_arguments.whole("action", action, 0, self._runs.actions - 1)])
        over = bool(self._runs.arrays["over"][0])
        return self._observe(), float(self._runs.rewards(self._reward)[0]), over, False, self._info()

    def close(self) -> None:
        """Ends the current run."""
        self._runs.stop()

    def action_masks(self) -> numpy.ndarray:
        """Says which actions can be carried out, in the form that sb3-contrib's MaskablePPO asks for."""
        mask: numpy.ndarray = self._runs.arrays["mask"][0].copy()
        return mask

    def _observe(self) -> Observation:
        return {name: self._runs.arrays[name][0].copy() for name in _OBSERVED}

    def _info(self) -> Info:
        arrays = self._runs.arrays
        return {
            "action_mask": self.action_masks(),
            "now": float(arrays["now"][0]),
            "invalid": bool(arrays["invalid"][0]),
        }


class ClusterVector(gymnasium.vector.VectorEnv[Observation, numpy.ndarray, numpy.ndarray]):
    """Many environments of one experiment, each with a seed of its own, which act at the same time in threads.

    Each is a `Cluster`, with the same actions, observations and rewards; each has a row in every array. No part of a
    step runs in Python, so a step uses as many CPUs as there are.

    Args:
        experiment, queue, reward, set: as for `Cluster`.
        num_envs: the number of environments.
        autoreset_mode: when an environment whose run is over begins the next one: in the next step, in the same
            step, or only in `reset(options={"reset_mask": ...})`. The next run of an environment has the seed of
            its last one plus `num_envs`, so that no two runs have the same seed.

    Attributes:
        runs: for each environment, the Run that finished last, or None.
    """

    def __init__(
        self,
        experiment: _experiment.Experiment,
        num_envs: int,
        queue: int = 64,
        reward: Reward | None = None,
        set: Mapping[str, typing.Any] | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        super().__init__()
        _arguments.optional_callable("reward", reward)
        num_envs = _arguments.whole("num_envs", num_envs, 1, _ENVIRONMENTS_MAX)
        modes = [mode.value for mode in AutoresetMode]
        if not isinstance(autoreset_mode, AutoresetMode) and (
            not isinstance(autoreset_mode, str) or autoreset_mode not in modes
        ):
            raise _arguments.wrong("autoreset_mode", autoreset_mode, f"one of {', '.join(modes)}")
        self._runs = _Runs(experiment, num_envs, _arguments.whole("queue", queue, 1, _QUEUE_MAX), set)
        self._reward = reward
        self._mode = AutoresetMode(autoreset_mode)
        self._ended = numpy.zeros(num_envs, bool)  # as of the last step
        self.num_envs = num_envs
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self.single_observation_space = self._runs.observation_space
        self.single_action_space = self._runs.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def runs(self) -> list[Run | None]:
        return list(self._runs.last)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Info | None = None
    ) -> tuple[Observation, Info]:
        """Begins a run in each environment, or in those that `options["reset_mask"]` selects.

        Args:
            seed: the seed of the first environment, with consecutive seeds for the others; or a seed for each. Without
                it, the first runs have the experiment's seed and those after it, and later runs the next unused ones.
        """
        mask = numpy.ones(self.num_envs, bool)
        wanted = _arguments.mapping("options", options, "a dict, or None")
        if "reset_mask" in wanted:
            mask = _array("reset_mask", wanted["reset_mask"], f"{self.num_envs} flags")
            if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
                raise InputError(f"reset_mask: error: expected {self.num_envs} flags, of which one at least is set")
        if seed is None or not isinstance(seed, Iterable):
            most = _experiment.SEED_MAX - self.num_envs
            first = _arguments.optional_whole("seed", seed, 0, most)
            super().reset(seed=first)
            seeds = [None if first is None else first + number for number in range(self.num_envs)]
        else:
            seeds = _arguments.items("seed", seed, "a whole number, or one for each environment")
            seeds = [_arguments.optional_whole("seed", one, 0, _experiment.SEED_MAX) for one in seeds]
            if len(seeds) != self.num_envs:
                raise InputError(f"seed: error: {len(seeds)} seeds: expected {self.num_envs}")
        self._ended[mask] = False
        self._runs.begin({int(number): seeds[number] for number in numpy.flatnonzero(mask)})
        return self._observe(), self._info()

    def step(self, actions: numpy.ndarray) -> tuple[Observation, numpy.ndarray, numpy.ndarray, numpy.ndarray, Info]:
        """Carries out an action in each environment.

        Returns:
            the observations, the rewards, which runs are over, an array of False, and gymnasium's info. In the mode
            that resets in the same step, info has the `final_obs` and `final_info` of the runs that were over.
        """
        expected = f"{self.num_envs} whole numbers from 0 to {self._runs.actions - 1}"
        given = _array("actions", actions, expected)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise _arguments.wrong("actions", actions, expected)
        if given.min() < 0 or given.max() >= self._runs.actions:
            raise _arguments.wrong("actions", actions, expected)
        wanted: numpy.ndarray = given.astype(numpy.int64)
        if self._ended.any() and self._mode == AutoresetMode.DISABLED:
            raise gymnasium.error.ResetNeeded("runs are over: expected reset(options={'reset_mask': ...}) for them")
        begins = self._ended
        wanted[begins] = -1
        self._runs.act(wanted.tolist())
        rewards = self._runs.rewards(self._reward)
        over = self._runs.arrays["over"].astype(bool)
        if begins.any():
            self._begin_next(begins)
            rewards[begins] = 0
            over[begins] = False
        info: Info = {}
        self._ended = over
        if self._mode == AutoresetMode.SAME_STEP and over.any():
            info = self._final(over)
            self._begin_next(over)
            self._ended = numpy.zeros(self.num_envs, bool)
        info.update(self._info())
        return self._observe(), rewards, over.copy(), numpy.zeros(self.num_envs, bool), info

    def close_extras(self, **kwargs: typing.Any) -> None:
        """Ends the current runs."""
        self._runs.stop()

    def action_masks(self) -> numpy.ndarray:
        """Says which actions can be carried out: a row for each environment."""
        return self._runs.arrays["mask"].copy()

    def _final(self, over: numpy.ndarray) -> Info:
        """The last observations and infos of the runs that are over."""
        observations, infos = self._observe(), self._info()
        final: Info = {}
        for number in map(int, numpy.flatnonzero(over)):
            told: Info = {"final_obs": {name: rows[number] for name, rows in observations.items()}}
            told["final_info"] = {name: rows[number] for name, rows in infos.items() if name[0] != "_"}
            final = self._add_info(final, told, number)
        return final

    def _begin_next(self, over: numpy.ndarray) -> None:
        self._runs.begin({int(number): None for number in numpy.flatnonzero(over)})

    def _observe(self) -> Observation:
        return {name: self._runs.arrays[name].copy() for name in _OBSERVED}

    def _info(self) -> Info:
        arrays = self._runs.arrays
        info: Info = {
            "action_mask": self.action_masks(),
            "now": arrays["now"].copy(),
            "invalid": arrays["invalid"].astype(bool),
        }
        return {**info, **{f"_{name}": numpy.ones(self.num_envs, bool) for name in info}}
