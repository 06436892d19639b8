"""Anything passed to a callback may be kept beyond the callback, the run, the environment and Python's end.

Kept objects give their last values or raise a BerthError, and no process dies from them. Each case has a process of
its own.
"""

import signal
import subprocess
import sys

import berth
import pytest

# The beginning of every case: `touch` reads everything of an object, and everything that this returns.
HEAD = """
import atexit, copy, gc, sys, threading, time, warnings
import berth, numpy
from experiments_of_tests import queue
warnings.simplefilter("ignore")
KEPT = []
SMALL = queue(replications=1, mean="200ms", until="20s")
looks = raised = 0

def touch(thing, act_on=(), depth=0):
    global looks, raised
    looks += 1
    if isinstance(thing, (list, tuple)):
        for one in list(thing)[:3]:
            touch(one, act_on, depth + 1)
    elif isinstance(thing, numpy.ndarray):
        int(numpy.asarray(thing).sum()), thing.copy(), thing.shape
    elif type(thing).__module__ == "berth._berth" and depth < 4:
        for name in dir(type(thing)):
            if name.startswith("_"):
                continue
            if isinstance(thing, berth.Act):
                tries = {
                    "start": [(job, [0]) for job in act_on], "evict": [(job,) for job in act_on],
                    "resize": [(job, 1) for job in act_on], "reject": [(job, "no") for job in act_on], "wake": [(99,)],
                }[name]
                for words in tries:
                    try:
                        getattr(thing, name)(*words)
                        raise SystemExit(f"{name} was carried out by somebody whose turn it is not")
                    except berth.SchedulerError:
                        raised += 1
                continue
            try:
                touch(getattr(thing, name), act_on, depth + 1)
            except berth.BerthError:
                raised += 1
        repr(thing)

def keep(*things):
    for thing in things:
        KEPT.append(thing)
        if isinstance(thing, (berth.View, berth.ProfileView)):
            for name in dir(type(thing)):
                if not name.startswith("_"):
                    KEPT.append(getattr(thing, name))
        if isinstance(thing, (berth.Job, berth.Pod)):
            KEPT.append(thing.demand)

def touch_all():
    jobs = [one for one in KEPT if isinstance(one, berth.Job)]
    jobs += [job for one in KEPT if isinstance(one, list) for job in one if isinstance(job, berth.Job)]
    for one in KEPT:
        touch(one, jobs[:3])

class Whole(berth.Scheduler):
    calls = 0
    fails_in = None
    def begin(self, view):
        self.was_called("begin", view)
    def schedule(self, view, act):
        self.was_called("schedule", view, act, *view.waiting, *view.running, *view.servers)
        for job in view.waiting:
            fits = (view.free >= job.demand).all(axis=1)
            if not fits.any():
                return
            act.start(job, [int(fits.argmax())])
    def submitted(self, job):
        self.was_called("submitted", job)
    def started(self, job):
        self.was_called("started", job)
    def ended(self, job):
        self.was_called("ended", job)
    def was_called(self, name, *things):
        Whole.calls += 1
        if Whole.calls % 7 == 1 or name in ("begin", self.fails_in):
            keep(*things)
        if name == self.fails_in:
            raise LookupError(name)

class Single(berth.Scheduler):
    fails_in = None
    def begin(self, view):
        self.was_called("begin", view)
    def order(self, queue, view):
        self.was_called("order", queue, view, *queue)
        return queue
    def was_called(self, name, *things):
        if len(KEPT) < 200 or name == self.fails_in:
            keep(*things)
        if name == self.fails_in:
            raise LookupError(name)

class Scores(Single):
    def score(self, pod, view):
        self.was_called("score", pod, view)
        return numpy.zeros(len(view.free))

class Selects(Single):
    def select(self, pod, candidates, view):
        self.was_called("select", pod, candidates, view)
        return candidates[0]
"""

# The ways in which objects come to be kept.
GIVERS = {
    **{f"a run decided by {name}": f"berth.run(SMALL, scheduler={name})" for name in ("Whole", "Scores", "Selects")},
    **{
        f"a run that fails in {name}.{method}": f"""
{name}.fails_in = {method!r}
try:
    berth.run(SMALL, scheduler={name})
except berth.SchedulerError:
    pass
else:
    raise SystemExit("it did not fail")
"""
        for name, methods in {
            "Whole": ("begin", "schedule", "submitted", "started", "ended"),
            "Scores": ("begin", "order", "score"),
            "Selects": ("begin", "select"),
        }.items()
        for method in methods
    },
    "a run that progress ends": """
def tell(progress):
    keep(progress)
    if KEPT and progress.done >= 0 and Whole.calls:
        raise LookupError
long = queue(replications=1, until="9000s")
try:
    berth.run(long, scheduler=Whole, progress=tell)
except LookupError:
    pass
""",
    "a run with a timeout": """
class Late(Whole):
    def schedule(self, view, act):
        keep(view, act, *view.waiting)
        while True:
            pass
try:
    berth.run(SMALL, scheduler=Late, timeout=0.2)
except berth.SchedulerError:
    pass
""",
    "an environment that goes": """
from berth.gym import Cluster
environment = Cluster(SMALL, queue=4, reward=lambda view: keep(view, *view.waiting, *view.running) or 0)
environment.reset()
for _ in range(6):
    environment.step(environment.action_masks().argmax())
del environment
gc.collect()
""",
    "an environment that is closed": """
from berth.gym import Cluster
environment = Cluster(SMALL, queue=4, reward=lambda view: keep(view, *view.waiting, *view.running) or 0)
environment.reset()
for _ in range(6):
    environment.step(environment.action_masks().argmax())
environment.close()
""",
    "an environment that is reset": """
from berth.gym import Cluster
environment = Cluster(SMALL, queue=4, reward=lambda view: keep(view, *view.waiting, *view.running) or 0)
environment.reset(seed=1)
for _ in range(40):
    if environment.step(environment.action_masks().argmax())[2]:
        break
jobs = [one for one in KEPT if isinstance(one, berth.Job)]
environment.reset(seed=2)
of_new_run = []
for job in jobs:
    try:
        of_new_run += job.placement
        job.start, job.size
        if not job.ended:
            raise SystemExit("a job of the last run looks into the next one")
    except berth.BerthError:
        pass
if of_new_run:
    raise SystemExit("a job of the last run is placed in the next one")
""",
    "environments that go": """
from berth.gym import ClusterVector
many = ClusterVector(SMALL, 3, queue=4, reward=lambda view: keep(view, *view.waiting, *view.running) or 0)
many.reset()
for _ in range(6):
    many.step(many.action_masks().argmax(axis=1))
del many
gc.collect()
""",
    "an environment whose reward raises": """
from berth.gym import Cluster
def reward(view):
    keep(view, *view.waiting)
    raise LookupError
environment = Cluster(SMALL, queue=4, reward=reward)
environment.reset()
try:
    environment.step(0)
except LookupError:
    pass
del environment
gc.collect()
""",
    "an environment whose reward closes it": """
from berth.gym import Cluster
def reward(view):
    keep(view, *view.waiting)
    environment.close()
    touch_all()
    return 0
environment = Cluster(SMALL, queue=4, reward=reward)
environment.reset()
environment.step(0)
""",
    "tables of a run that goes": """
run = berth.run(SMALL)
stream = run.jobs.__arrow_c_stream__()
KEPT += [stream, iter(run.jobs), run.jobs["wait_s"], run.pods["node"], run.metrics, run.jobs]
rows = iter(run.jobs)
next(rows)
del run
gc.collect()
next(rows)
KEPT.clear()
""",
}

LOOKS = {
    "at once": "touch_all()",
    "in another run": """
class Looks(berth.Scheduler):
    looked = False
    def schedule(self, view, act):
        jobs = [one for one in KEPT if isinstance(one, berth.Job)][:20]
        for job in jobs:
            for verb in (lambda: act.start(job, [0]), lambda: act.reject(job, "no"), lambda: act.evict(job)):
                try:
                    verb()
                    raise SystemExit("a job of another run was taken for one of this run")
                except berth.SchedulerError as error:
                    if "another run" not in str(error) and "has ended" not in str(error):
                        raise SystemExit(str(error))
        if not Looks.looked:
            Looks.looked = True
            touch_all()
berth.run(SMALL, scheduler=Looks)
""",
    "at Python's end": "atexit.register(touch_all)",
    "when the modules go": """
class Last:
    def __init__(self):
        self.touch_all = touch_all
    def __del__(self):
        try:
            self.touch_all()
        except (TypeError, NameError, AttributeError, ImportError):
            pass  # names that are gone already
sys.modules["kept for the end"] = Last()
""",
}


def ended(code: str) -> None:
    """Runs a program, which has to end by itself."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", HEAD + code], capture_output=True, text=True, timeout=120
    )
    how = signal.Signals(-done.returncode).name if done.returncode < 0 else str(done.returncode)
    assert done.returncode == 0, f"{how}\n{done.stderr}"


@pytest.mark.parametrize("giver", GIVERS)
def test_what_is_kept_may_be_looked_at(giver: str) -> None:
    for when, look in LOOKS.items():
        try:
            ended(GIVERS[giver] + "\n" + look)
        except AssertionError as error:
            raise AssertionError(f"{giver}, looked at {when}: {error}") from None


# The work of a thread for which Python does not wait.
WORK = {
    "a run": "berth.run(LONG)",
    "a run decided in Python": "berth.run(LONG, scheduler=Whole)",
    "a run with single decisions": "berth.run(LONG, scheduler=Scores)",
    "a run whose scheduler waits": "berth.run(LONG, scheduler=Waits)",
    "runs": "berth.run(SMALL)",
    "runs with a callable for progress": "berth.run(LONG, progress=lambda progress: time.sleep(0.01))",
    "requests": "berth.quota({'kind': 'redistribute', 'total': 6, 'nodes': []})",
    "questions": "berth.compare(ran, ran), berth.why(ran, 'generate-1'), ran.plot(format='csv'), ran.report('a.html')",
    "tables": "berth.run(SMALL).jobs",
    "files": "ran.write('out'); shutil.rmtree('out')",
    "sweeps": "berth.sweep(SWEEP)",
    "an environment": "environment.reset(); [environment.step(0) for _ in range(20)]",
    "environments": "many.reset(); [many.step([0, 0, 0]) for _ in range(20)]",
}
THREADS = """
import os, shutil, tempfile
from berth.gym import Cluster, ClusterVector
here = tempfile.TemporaryDirectory()
os.chdir(here.name)
LONG = queue(replications=1, until="900000s")
axis = {"name": "cpu", "path": "spec.types.one.cpu", "values": [1, 2]}
SWEEP = {"apiVersion": "berth/v1", "kind": "Sweep", "metadata": {"name": "sweep"}, "spec": {
    "experiment": SMALL, "axes": [axis], "replications": 2}}
class Waits(Whole):
    def schedule(self, view, act):
        time.sleep(0.5)
ran = berth.run(SMALL)
environment, many = Cluster(SMALL, queue=4), ClusterVector(SMALL, 3, queue=4)
keep = lambda *things: None
began = threading.Event()
def work():
    began.set()
    while True:
        DO_IT
for _ in range(MANY):
    threading.Thread(target=work, daemon=True).start()
began.wait()
time.sleep(0.3)
"""


@pytest.mark.parametrize("what", WORK)
def test_python_ends_while_a_thread_does(what: str) -> None:
    shares = what in ("an environment", "environments", "files")  # only one thread may use one of these
    ended(THREADS.replace("DO_IT", WORK[what]).replace("MANY", "1" if shares else "3"))


@pytest.mark.parametrize("what", ("a run decided in Python", "an environment"))
def test_a_copy_of_the_process_ends_while_a_thread_goes_on(what: str) -> None:
    ended(
        THREADS.replace("DO_IT", WORK[what]).replace("MANY", "1")
        + """
child = os.fork()
if child == 0:
    sys.exit(0)
until = time.monotonic() + 20
while (found := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < until:
    time.sleep(0.01)
if found[0] == 0:
    os.kill(child, 9)
    raise SystemExit("the copy does not end")
if found[1] != 0:
    raise SystemExit(f"the copy ended with {found[1]}")
"""
    )


@pytest.mark.parametrize("kind", (berth.Act, berth.Job, berth.Pod, berth.ProfileView, berth.Server, berth.View))
def test_nobody_makes_an_object_with_nothing_in_it(kind: type) -> None:
    mine = type("Mine", (kind,), {"__init__": lambda self: None})
    base = kind.__base__
    assert base is not None
    for make in (
        kind,
        mine,
        lambda: kind.__new__(kind),
        lambda: mine.__new__(mine),
        lambda: object.__new__(kind),
        base,
        type("Mine", (base,), {}),
        lambda: base.__new__(base),
        lambda: base.__new__(kind),
    ):
        with pytest.raises(TypeError):
            make()
