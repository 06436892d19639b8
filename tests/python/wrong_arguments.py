"""Calls one function, method or callback of the package with every wrong value in each of its arguments.

    wrong_arguments.py NAME

Each call works, or raises an exception of berth, a TypeError or a ValueError with a text of berth's own. Any other
outcome is printed, and the status is 1 then. `CALLS` has a valid call for each name.
"""

import decimal
import functools
import os
import pathlib
import sys
import tempfile
import traceback
import typing
import unittest.mock
import warnings

import berth
import berth.gym
import numpy
from experiments_of_tests import queue

SMALL = queue(replications=1, until="20s")
SWEEP = {
    "apiVersion": "berth/v1",
    "kind": "Sweep",
    "metadata": {"name": "sweep"},
    "spec": {
        "experiment": SMALL,
        "axes": [{"name": "cpu", "path": "spec.types.one.cpu", "values": [1, 2]}],
        "replications": 2,
    },
}
SOURCE = """
class Tightest:
    def score(self, pod, view):
        return -(view.free - pod.demand).sum(axis=1)
"""

# Texts that would tell users of the package how it is implemented.
FOREIGN = (
    "incompatible function arguments",
    "incompatible constructor arguments",
    "C++",
    "pybind",
    "std::",
    "_berth",
    "json.exception",
    "JSON compliant",
    "Expecting value",
    "Unable to cast",
    "unhashable",
    "embedded null",
    "codec can't",
    "ambiguous",
    "not iterable",
    "has no attribute",
    "not subscriptable",
    "not supported between",
)


class Unshowable:
    def __repr__(self) -> str:
        raise LookupError("no repr")


class OwnError(BaseException):
    """Raised by what is given to berth. A call may pass it on, since it is the caller's own."""


def hostile(answer: typing.Callable[..., object]) -> object:
    """An object on which all that Python asks values calls `answer`."""
    names = "index int float bool len iter getitem contains fspath array call hash eq str repr getattr enter exit"
    made: object = type("Hostile", (), {f"__{name}__": answer for name in names.split()})()
    return made


def raises(*given: object) -> typing.NoReturn:
    raise OwnError


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise OwnError

    def __repr__(self) -> str:
        raise OwnError


def endless() -> list[object]:
    made: list[object] = []
    made.append(made)
    return made


def deep() -> list[object]:
    made: list[object] = []
    for _ in range(100_000):
        made = [made]
    return made


def wrong_values() -> dict[str, object]:
    return {
        "None": None,
        "7": 7,
        "2**70": 2**70,
        "2**40": 2**40,
        "2**64": 2**64,
        "-1": -1,
        "0": 0,
        "nan": float("nan"),
        "inf": float("inf"),
        "1.5": 1.5,
        "True": True,
        "a text": "text",
        "a text with a line break": "text\n",
        "an empty text": "",
        "a text with a character 0": "a\0b",
        "half a character": "\ud800",
        "a long text": "x" * 100_000,
        "a long name": "x" * 300,
        "bytes": b"bytes",
        "a list": [1, "text", None],
        "an empty list": [],
        "a list of lists": [[0, 1, 2]],
        "a dict": {"a": 1},
        "a dict whose keys are no texts": {7: 1},
        "a dict of what is no document": {"spec.seed": object()},
        "an object": object(),
        "an object without a repr": Unshowable(),
        "an array": numpy.arange(3),
        "an array of texts": numpy.array(["text", "more"]),
        "a generator": (number for number in range(3)),
        "a class": int,
        "a function": len,
        "a set": {1, 2},
        "a mock": unittest.mock.MagicMock(),
        "an object that raises at all": hostile(raises),
        "an object that answers all with itself": hostile(lambda self, *given: self),
        "a text that cannot be shown": Text("text"),
        "a list in itself": endless(),
        "a deep list": deep(),
        "a complex number": 1j,
        "a decimal": decimal.Decimal("1.5"),
        "a NaN of NumPy": numpy.float64("nan"),
        "a time of NumPy": numpy.datetime64("2020-01-01"),
        "an array without dimensions": numpy.array(3),
        "an array of objects": numpy.array([None, "text"], dtype=object),
        "a bytearray": bytearray(b"bytes"),
        "a memoryview": memoryview(b"bytes"),
        "a range": range(3),
        "an exception": LookupError("none"),
        "a class of exceptions": KeyboardInterrupt,
        "a module": os,
        "no implementation": NotImplemented,
        "an ellipsis": ...,
    }


def run() -> berth.Run:
    return berth.run(SMALL)


def source() -> str:
    pathlib.Path("tightest.py").write_text(SOURCE)
    return "tightest.py:Tightest"


def swept() -> berth.Sweep:
    return berth.sweep(SWEEP)


def begun(environment: typing.Any) -> typing.Any:
    environment.reset()
    return environment


def in_a_turn(verb: str) -> typing.Callable[..., object]:
    """An action called by a scheduler; exceptions that it raises are passed on."""

    def call(**words: object) -> None:
        class Once(berth.Scheduler):
            def schedule(self, view: berth.View, act: berth.Act) -> None:
                if view.waiting:
                    job = view.waiting[0]
                    given = {name: job if word is THE_JOB else word for name, word in words.items()}
                    getattr(act, verb)(**given)

        berth.run(SMALL, scheduler=Once)

    return call


THE_JOB = object()


def answered(method: str) -> typing.Callable[..., object]:
    """A run whose scheduler returns an answer in a single decision."""

    def call(answer: object) -> None:
        body: dict[str, object] = {method: lambda self, *given: answer}
        berth.run(SMALL, scheduler=type("Answers", (berth.Scheduler,), body))

    return call


def rewarded(make: typing.Callable[..., typing.Any], action: object) -> typing.Callable[..., object]:
    def call(answer: object) -> None:
        begun(make(SMALL, reward=lambda view: answer)).step(action)

    return call


def one_gpu() -> dict[str, typing.Any]:
    card = "resource/group/gpu/{}/cards"
    container = {"name": "main", "requests": {card.format("a"): 1}}
    node = {"allocatable": {card.format(0): 1, card.format(1): 1}}
    return {"node": node, "pod": {"runningContainers": [container]}}


Calls = dict[str, typing.Callable[[], tuple[typing.Callable[..., object], dict[str, typing.Any]]]]

# For each name, a function that makes the callable, and valid arguments.
CALLS: Calls = {
    "run": lambda: (
        berth.run,
        {
            "experiment": SMALL,
            "seed": 1,
            "set": {},
            "out": None,
            "threads": 1,
            "scheduler": None,
            "timeout": None,
            "check_invariants": False,
            "progress": False,
            "tables": "csv",
            "compress": "none",
            "allow_code": False,
        },
    ),
    "sweep": lambda: (
        berth.sweep,
        {
            "sweep": SWEEP,
            "executor": None,
            "out": None,
            "threads": 1,
            "set": {},
            "progress": False,
            "allow_code": False,
        },
    ),
    "plan": lambda: (
        berth.plan,
        {
            "plan": SMALL,
            "executor": None,
            "out": None,
            "threads": 1,
            "set": {},
            "choose": "types.one.cpu=1..2",
            "require": "job_wait_s_mean<=1h",
            "confidence": 0.9,
            "replications": 4,
            "progress": False,
            "allow_code": False,
        },
    ),
    "Plan": lambda: (berth.Plan, {"folder": "nothing is here"}),
    "open": lambda: (berth.open, {"folder": "nothing is here"}),
    "compare": lambda: (functools.partial(berth.compare, run()), {"others": run(), "metrics": (), "all": False}),
    "why": lambda: (berth.why, {"run": run(), "job": "generate-1", "replication": None}),
    "forecast": lambda: (
        berth.forecast,
        {
            "state": run(),
            "at": "4s",
            "job": None,
            "history": None,
            "format": None,
            "nodes": None,
            "lenient": False,
            "check": 0,
            "replications": 9,
            "seed": 1,
            "horizon": "1h",
            "threads": 1,
        },
    ),
    "PageAnswer.save": lambda: (berth.PageAnswer({}, "an answer", "a page").save, {"file": "page.html"}),
    "calibrate": lambda: (berth.calibrate, {"experiment": SMALL, "explain": 0, "set": {}, "threads": 1}),
    "place": lambda: (berth.place, {"request": {}}),
    "allocate": lambda: (berth.allocate, {"request": one_gpu()}),
    "candidates": lambda: (berth.candidates, {"request": {"providers": [], "queries": []}}),
    "quota": lambda: (berth.quota, {"request": {"kind": "redistribute", "total": 6, "nodes": []}}),
    "register": lambda: (berth.register, {"name": "mine", "scheduler": berth.Scheduler}),
    "evaluate": lambda: (
        berth.evaluate,
        {
            "source": source(),
            "experiments": SMALL,
            "seeds": [1],
            "metric": "job_wait_s_mean",
            "baseline": None,
            "time_limit": 60,
            "memory_limit": 4 << 30,
        },
    ),
    "Run": lambda: (berth.Run, {"native": 1}),
    "Run.table": lambda: (run().table, {"name": "jobs", "nanoseconds": False}),
    "Run.file": lambda: (run().file, {"name": "summary.json"}),
    "Run.write": lambda: (run().write, {"folder": "written"}),
    "Run.to_parquet": lambda: (run().to_parquet, {"folder": "parquet", "nanoseconds": False}),
    "Run.plot": lambda: (run().plot, {"figure": "cluster", "format": "svg"}),
    "Run.report": lambda: (run().report, {"file": "page.html"}),
    "Run.__getitem__": lambda: (run().__getitem__, {"metric": "job_wait_s_mean"}),
    "Sweep": lambda: (berth.Sweep, {"folder": "nothing is here"}),
    "Sweep.run": lambda: (swept().run, {"cpu": 1}),
    "Sweep.plot": lambda: (
        swept().plot,
        {
            "figure": "lines",
            "metric": "job_wait_s_mean",
            "x": None,
            "by": None,
            "panel": None,
            "where": None,
            "format": "svg",
        },
    ),
    "Table": lambda: (berth.Table, {"native": 1}),
    "Table.__getitem__": lambda: (run().jobs.__getitem__, {"name": "wait_s"}),
    "Table.__getitem__ of metrics": lambda: (run().metrics.__getitem__, {"name": "mean"}),
    "Table.__arrow_c_stream__": lambda: (run().jobs.__arrow_c_stream__, {"requested_schema": None}),
    "Comparison.verdict": lambda: (
        berth.compare(run(), run()).verdict,
        {"metric": "job_wait_s_mean", "run": None},
    ),
    "Act.start": lambda: (in_a_turn("start"), {"job": THE_JOB, "placement": [0]}),
    "Act.evict": lambda: (in_a_turn("evict"), {"job": THE_JOB}),
    "Act.resize": lambda: (in_a_turn("resize"), {"job": THE_JOB, "placement": [0]}),
    "Act.reject": lambda: (in_a_turn("reject"), {"job": THE_JOB, "reason": "no"}),
    "Act.wake": lambda: (in_a_turn("wake"), {"at": 100}),
    **{
        name: functools.partial(lambda kind: (kind, {"given": 1}), getattr(berth, name))
        for name in (
            "Act",
            "Job",
            "Pod",
            "ProfileView",
            "Server",
            "View",
        )
    },
    "gym.Cluster": lambda: (
        berth.gym.Cluster,
        {"experiment": SMALL, "queue": 4, "reward": None, "set": None},
    ),
    "gym.Cluster.reset": lambda: (berth.gym.Cluster(SMALL, queue=4).reset, {"seed": 1, "options": None}),
    "gym.Cluster.step": lambda: (begun(berth.gym.Cluster(SMALL, queue=4)).step, {"action": 0}),
    "gym.ClusterVector": lambda: (
        berth.gym.ClusterVector,
        {
            "experiment": SMALL,
            "num_envs": 2,
            "queue": 4,
            "reward": None,
            "set": None,
            "autoreset_mode": "NextStep",
        },
    ),
    "gym.ClusterVector.reset": lambda: (
        berth.gym.ClusterVector(SMALL, 2, queue=4).reset,
        {"seed": 1, "options": None},
    ),
    "gym.ClusterVector.reset with a mask": lambda: (
        lambda mask: begun(berth.gym.ClusterVector(SMALL, 2, queue=4)).reset(options={"reset_mask": mask}),
        {"mask": numpy.array([True, False])},
    ),
    "gym.ClusterVector.step": lambda: (
        begun(berth.gym.ClusterVector(SMALL, 2, queue=4)).step,
        {"actions": numpy.zeros(2, int)},
    ),
    "the answer of order": lambda: (answered("order"), {"answer": None}),
    "the answer of score": lambda: (answered("score"), {"answer": numpy.zeros(4)}),
    "the answer of select": lambda: (answered("select"), {"answer": 0}),
    "the answer of a reward": lambda: (rewarded(berth.gym.Cluster, 0), {"answer": 0}),
    "the answer of rewards": lambda: (
        rewarded(lambda *words, **more: berth.gym.ClusterVector(*words, 2, **more), [0, 0]),
        {"answer": 0},
    ),
}


def fault_of(call: typing.Callable[[], object]) -> str:
    """What is wrong with how a call ends; empty if it works, or states what it expected in berth's own words."""
    try:
        call()
    except (berth.BerthError, TypeError, ValueError) as error:
        if isinstance(error.__cause__, OwnError):
            return ""
        text = str(error)
        foreign = [words for words in FOREIGN if words in text]
        if foreign:
            return f"{type(error).__name__} has the words {foreign[0]!r}: {text}"
        if "expected" not in text:
            return f"{type(error).__name__} does not say what was expected: {text}\n{traceback.format_exc(limit=-2)}"
        if "\0" in text or text.endswith((" 'a", '"a')):
            return f"{type(error).__name__} ends at a character 0: {text!r}"
    except (OwnError, FileNotFoundError):  # a mock is a path, to nowhere
        return ""
    except BaseException as error:
        return f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}"
    return ""


def faults(name: str) -> list[str]:
    function, sound = CALLS[name]()
    found = []
    for argument in sound:
        for label, value in wrong_values().items():
            if (argument, label) == ("progress", "a class"):
                continue  # it can be called, and any exception is its own
            words = {**sound, argument: value}
            positional = [words.pop("others")] if "others" in words else []
            if fault := fault_of(functools.partial(function, *positional, **words)):
                found.append(f"{name}({argument} = {label}): {fault}")
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        told = faults(sys.argv[1])
    print("\n".join(told))
    sys.exit(bool(told))
