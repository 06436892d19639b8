"""What a scheduler does that it should not do: the run says so in one error, and goes on for nobody."""

import array
import decimal
import threading
import time
import typing
import warnings
from collections.abc import Callable, Iterator

import berth
import numpy
import pytest
from experiments_of_tests import queue

SMALL = queue(replications=1, until="60s")
FULL = queue(replications=1, mean="1s", until="100s")


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", berth.BerthWarning)
        yield


class FirstFit(berth.Scheduler):
    def schedule(self, view: berth.View, act: berth.Act) -> None:
        self.act = act
        for job in view.waiting:
            fits = (view.free >= job.demand).all(axis=1)
            if fits.any():
                act.start(job, [int(fits.argmax())])


class Even(berth.Scheduler):
    def score(self, pod: berth.Pod, view: berth.ProfileView) -> list[float]:
        return [0.0] * len(view.servers)


def making(made: object, kind: type = FirstFit) -> type:
    """A class whose objects are something else."""
    return type("Five", (kind,), {"__new__": lambda cls, *given: made})


def copied_as(made: object) -> FirstFit:
    return type("Five", (FirstFit,), {"__deepcopy__": lambda self, memo: made})()


NONE_OF_THEM = (5, None, "text", object(), FirstFit, berth.Scheduler(), Even())


def told(scheduler: object, **options: typing.Any) -> str:
    with pytest.raises(berth.SchedulerError) as caught:
        berth.run(FULL, scheduler=scheduler, **options)
    return str(caught.value)


def test_a_class_that_makes_something_else() -> None:
    for made in NONE_OF_THEM:
        if made is FirstFit:
            continue
        said = told(making(made))
        assert "replication 0: Five made " in said and said.endswith(": expected an object with schedule()"), said
    assert "Five made 5: expected an object with score()" in told(making(5, Even))
    assert "the copy of Five made 5: expected an object with schedule()" in told(copied_as(5))


def test_a_registered_class_that_makes_something_else() -> None:
    made = []

    class Five(FirstFit):
        def __new__(cls) -> typing.Any:
            return 5

    def later() -> object:
        made.append(FirstFit() if not made else 5)
        return made[-1]

    berth.register("five", Five)
    with pytest.raises(berth.InputError, match=r"scheduler: error: 5, which five made, has neither schedule"):
        berth.run(SMALL, set={"spec.scheduler": {"python": "five"}})
    berth.register("later", later)
    with pytest.raises(berth.SchedulerError, match=r"replication 0: later made 5: expected an object with schedule"):
        berth.run(SMALL, set={"spec.scheduler": {"python": "later"}})


def test_a_class_that_cannot_be_made_in_time() -> None:
    class Endless(FirstFit):
        def __init__(self) -> None:
            while True:
                pass

    class Slow(FirstFit):
        def __init__(self) -> None:
            time.sleep(0.5)

    for kind in (Endless, Slow):
        assert "replication 0: the scheduler was not made in time: it took 0." in told(kind, timeout=0.2)


def test_methods_that_are_none() -> None:
    class Some(FirstFit):
        submitted = None
        started = 7

        @property
        def ended(self) -> object:
            raise LookupError

    assert len(berth.run(SMALL, scheduler=Some).jobs) > 0


def test_verbs_in_what_a_verb_calls() -> None:
    verbs: list[Callable[[berth.Act, berth.Job], object]] = [
        lambda act, job: act.evict(job),
        lambda act, job: act.reject(job, "no"),
        lambda act, job: act.start(job, [0]),
        lambda act, job: act.resize(job, 1),
        lambda act, job: act.wake(99),
    ]
    for verb in verbs:

        class Acts(FirstFit):
            def started(self, job: berth.Job, verb: Callable[..., object] = verb) -> None:
                verb(self.act, job)

        assert "a verb is used outside of schedule(): expected" in told(Acts, check_invariants=True)


def test_a_failure_that_schedule_catches_ends_the_run() -> None:
    seen = []

    class Catches(FirstFit):
        def schedule(self, view: berth.View, act: berth.Act) -> None:
            for job in view.waiting:
                try:
                    act.start(job, [0])
                except BaseException as error:
                    seen.append(str(error))
            for job in view.waiting:
                try:
                    act.reject(job, "no")
                except BaseException as error:
                    seen.append(str(error))

        def started(self, job: berth.Job) -> None:
            if len(seen) < 4:
                raise LookupError("none")

    assert "started() of Catches raised LookupError: none" in told(Catches, check_invariants=True)


def test_verbs_of_another_thread() -> None:
    seen = []

    class Shares(FirstFit):
        def schedule(self, view: berth.View, act: berth.Act) -> None:
            def work() -> None:
                try:
                    act.wake(view.now + 1)
                except berth.SchedulerError as error:
                    seen.append(str(error))

            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            super().schedule(view, act)

    berth.run(SMALL, scheduler=Shares)
    assert seen and all("in its thread" in text for text in seen)


TOLD = ("begin", "submitted", "started", "ended")


def yields(*given: object) -> Iterator[object]:
    yield from given


async def waits(*given: object) -> None: ...


async def waits_and_yields(*given: object) -> typing.AsyncIterator[object]:
    yield given


@pytest.mark.parametrize("method", (*TOLD, "schedule", "order", "select", "score"))
def test_methods_of_which_nothing_would_run(method: str) -> None:
    kind = Even if method == "order" else berth.Scheduler if method in ("select", "score") else FirstFit
    for body, what in ((yields, "a generator"), (waits, "async"), (waits_and_yields, "async")):
        if (method, body) == ("order", yields):
            continue
        made = type("Late", (kind,), {method: body})
        said = rf"^scheduler: error: {method}\(\) of Late is {what}, and nothing would run it: expected a method "
        for use in (
            lambda made=made: berth.run(FULL, scheduler=made),
            lambda made=made: berth.run(FULL, scheduler=made()),
            lambda made=made: berth.register("late", made),
        ):
            with pytest.raises(berth.InputError, match=said):
                use()
        berth.register("Late", lambda made=made: made())
        with pytest.raises(berth.InputError, match=said):
            berth.run(FULL, set={"spec.scheduler": {"python": "Late"}})


def test_an_order_may_be_yielded() -> None:
    made = type("Yields", (berth.Scheduler,), {"order": lambda self, queue, view: (job for job in queue)})
    assert berth.run(SMALL, scheduler=made).digest
    assert berth.run(SMALL, scheduler=type("Yields", (made,), {"order": lambda *given: yields(*given[1])})).digest


@pytest.mark.parametrize("method", (*TOLD, "schedule"))
def test_answers_of_which_nothing_has_run(method: str) -> None:
    kinds = (FirstFit, Even) if method == "begin" else (FirstFit,)
    for kind in kinds:
        for body, what in ((yields, "a generator"), (waits, "a coroutine"), (waits_and_yields, "a generator")):
            made = type("Late", (kind,), {method: lambda *given, body=body: body(*given)})
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                said = told(made)
            assert f"{method}() of Late gave {what}, of which nothing has run: expected a method without" in said
    made = type("Answers", (FirstFit,), {method: lambda *given: [1]})
    assert berth.run(SMALL, scheduler=made).digest  # any other answer is ignored


def test_orders_that_are_none() -> None:
    for given, shown in ((None, "None"), (7, "7"), (waits, "<function waits")):
        said = told(type("Sorts", (berth.Scheduler,), {"order": lambda self, queue, view, given=given: given}))
        assert f": order() gave {shown}" in said and said.endswith(": expected the jobs of the queue"), said
    sorts = type("Sorts", (berth.Scheduler,), {"order": lambda self, queue, view: queue.sort(key=lambda job: job.size)})
    assert told(sorts).endswith(": order() gave None: expected the jobs of the queue")

    def raises(*given: object) -> Iterator[object]:
        raise TypeError("of its own")
        yield

    assert "raised TypeError: of its own" in told(type("Sorts", (berth.Scheduler,), {"order": lambda *g: raises()}))


def test_scores_that_are_none() -> None:
    masked = numpy.ma.masked_array([1.0, 2.0, 3.0, 4.0], [1, 0, 0, 0])
    wanted = ": expected 4 numbers, one for each server"
    for given, shown in (
        (None, "None"),
        (7, "7"),
        (numpy.float64(7), "np.float64(7.0)"),
        (numpy.array(7.0), "array(7.)"),
        ("1234", "'1234'"),
        ({0: 1}, "{0: 1}"),
        (numpy.zeros(4, complex), "an array of complex128"),
        ([1, 2, 3, 4j], "an array of complex128"),
        (numpy.zeros(4, "M8[s]"), "an array of datetime64[s]"),
        (numpy.zeros(4, "m8[s]"), "an array of timedelta64[s]"),
        (["1", "2", "3", "4"], "an array of <U1"),
        ([1, 2, 3], "an array of shape (3,)"),
        (numpy.zeros((2, 2)), "an array of shape (2, 2)"),
        ([2**2000] * 4, f"[{2**2000}"[:40]),
    ):
        said = told(type("Scores", (berth.Scheduler,), {"score": lambda *_, given=given: given}))
        assert f"gave {shown}" in said and said.endswith(wanted), said
    said = told(type("Scores", (berth.Scheduler,), {"score": lambda *_: masked}))
    assert said.endswith(f"gave a masked array{wanted}, such as those of its filled(-numpy.inf)")
    sound = [0.0] * 4
    expected = berth.run(SMALL, scheduler=type("Scores", (berth.Scheduler,), {"score": lambda *_: sound}))
    for same in (
        numpy.ma.masked_array(sound, False),
        [False] * 4,
        [decimal.Decimal(0)] * 4,
        numpy.zeros(4, numpy.float16),
        numpy.zeros(4, object),
        array.array("d", sound),
    ):
        made = berth.run(SMALL, scheduler=type("Scores", (berth.Scheduler,), {"score": lambda *_, same=same: same}))
        assert made.file("jobs.csv") == expected.file("jobs.csv")


ENDS = (KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration, BaseException, MemoryError, RecursionError)


@pytest.mark.parametrize("error", ENDS)
def test_exceptions_that_end_programs(error: type[BaseException]) -> None:
    def raises(*given: object) -> typing.NoReturn:
        raise error("none")

    for kind, names in (
        (FirstFit, ("__init__", "begin", "schedule", "submitted", "started", "ended")),
        (Even, ("begin", "order", "score")),
    ):
        for name in names:
            assert f"{error.__name__}: none" in told(type("Raises", (kind,), {name: raises}))
    with pytest.raises(error):
        berth.run(SMALL, progress=raises)


def test_exceptions_without_a_text() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise LookupError

    for error in (Silent(), LookupError("\ud800"), berth.SchedulerError("\ud800"), berth.InputError("a\0b")):

        class Raises(FirstFit):
            def schedule(self, view: berth.View, act: berth.Act, error: Exception = error) -> None:
                raise error

        assert "schedule() of Raises" in told(Raises)


def test_a_file_whose_name_is_no_text() -> None:
    space: dict[str, typing.Any] = {"FirstFit": FirstFit}
    code = "class Raises(FirstFit):\n    def schedule(self, view, act):\n        raise LookupError('none')\n"
    exec(compile(code, "\udcff.py", "exec"), space)
    assert "raised LookupError: none (a file, line 3)" in told(space["Raises"])


def test_other_arguments_are_refused_in_berths_words() -> None:
    kept: list[typing.Any] = []

    class Keeps(FirstFit):
        def schedule(self, view: berth.View, act: berth.Act) -> None:
            kept.extend([view, act, *view.servers, *view.waiting])
            super().schedule(view, act)

        def score(self, pod: berth.Pod, view: berth.ProfileView) -> None: ...

    class Asked(Even):
        def score(self, pod: berth.Pod, view: berth.ProfileView) -> list[float]:
            kept.extend([pod, view])
            return super().score(pod, view)

    berth.run(SMALL, scheduler=Keeps)
    berth.run(SMALL, scheduler=Asked)
    kinds = {type(one): one for one in kept}
    assert len(kinds) == 6
    tried = 0
    for kind, one in kinds.items():
        for name, found in vars(kind).items():
            call = found.fget if isinstance(found, property) else found
            if not callable(call) or name.startswith("_pybind") or name in ("__new__", "__module__"):
                continue
            for given in ((), (5,), (None, 1), (one, 1, 2, 3), (kinds[berth.Act],) * 2):
                for named in ({}, {"word": 1}):
                    if (given == (one,) and not named) or isinstance(given, kind):
                        continue
                    try:
                        call(*given, **named)
                    except (TypeError, berth.BerthError) as error:
                        tried += 1
                        assert "expected" in str(error), (kind, name, given, str(error))
                        assert "_berth" not in str(error) and "incompatible" not in str(error), str(error)
        assert "_berth" not in (kind.__doc__ or "")
    assert tried > 200
    for verb in ("start", "evict", "resize", "reject", "wake"):
        assert getattr(berth.Act, verb).__doc__.startswith(f"{verb}(self, ")
