"""A forked copy of a process that holds objects of berth: what it cannot use says so, and the copy ends by itself.

Each case has a process of its own.
"""

import pytest
from test_kept import ended

FORKS = """
import multiprocessing, os, random, signal, tempfile
from berth.gym import Cluster, ClusterVector

def after(child):
    until = time.monotonic() + 30
    while (found := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > until:
            os.kill(child, signal.SIGABRT)
            raise SystemExit("the copy does not end")
        time.sleep(0.01)
    return os.waitstatus_to_exitcode(found[1])

def in_copy(work=lambda: None):
    child = os.fork()
    if child == 0:
        work()
        sys.exit(0)
    if how := after(child):
        raise SystemExit(f"the copy ended with {how}")

def refused(work, words="belongs to the process that"):
    try:
        work()
    except berth.BerthError as error:
        if words in str(error) and "expected" in str(error):
            return
        raise
    raise SystemExit("it was not refused")

environment = Cluster(SMALL, queue=4, reward=lambda view: keep(view, *view.waiting, *view.running) or 0)
many = ClusterVector(SMALL, 3, queue=4, reward=lambda view: keep(view, *view.waiting, *view.running) or 0)

def begin():
    environment.reset(), many.reset()
    for _ in range(5):
        environment.step(environment.action_masks().argmax())
        many.step(many.action_masks().argmax(axis=1))
"""

USES = {
    "use it": """
for one, action in ((environment, 0), (many, [0, 0, 0])):
    refused(one.reset)
    refused(lambda: one.step(action))
    one.action_masks(), one.action_space.sample()
    one.close()
    refused(lambda: one.step(action))
""",
    "drop it": "globals().pop('environment'), globals().pop('many'), gc.collect()",
    "end": "",
    "die of an exception": "sys.stderr = open(os.devnull, 'w'); threading.Thread(target=lambda: 1 / 0).start()",
    "make another one": """
other = Cluster(SMALL, queue=4)
other.reset()
other.step(0)
berth.run(SMALL)
""",
    "look at what was kept": "berth.run(SMALL); touch_all()",
    "fork again": "in_copy(lambda: refused(environment.reset))",
}


@pytest.mark.parametrize("use", USES)
def test_environments(use: str) -> None:
    work = "\ndef work():\n    " + (USES[use].strip() or "pass").replace("\n", "\n    ") + "\n"
    after = "environment.reset(), environment.step(0), many.reset(), many.step([0, 0, 0])\n"
    for begins in ("begin()", "pass"):
        ended(FORKS + work + begins + "\nin_copy(work)\n" + after)


CASES = {
    "a copy that multiprocessing makes": """
begin()
def work(answers):
    refused(environment.reset)
    answers.put("refused")
context = multiprocessing.get_context("fork")
answers = context.Queue()
process = context.Process(target=work, args=(answers,))
process.start()
assert answers.get(timeout=30) == "refused"
process.join(30)
assert process.exitcode == 0
""",
    "a reward": """
def reward(view):
    keep(view, *view.waiting)
    if len(KEPT) < 50:
        in_copy(lambda: refused(lambda: view.now))
    return 0
forks = Cluster(SMALL, queue=4, reward=reward)
forks.reset()
forks.step(0)
""",
    "a reward that returns in the copy": """
children = []
def reward(view):
    children.append(os.fork())
    return 0
forks = Cluster(SMALL, queue=4, reward=reward)
forks.reset()
forks.step(0)
if children[-1] == 0:
    refused(lambda: forks.step(0))
    sys.exit(0)
assert after(children[-1]) == 0
""",
    "progress that returns in the copy": """
children = []
def tell(progress):
    if not children:
        children.append(os.fork())
class Patient(Whole):
    def schedule(self, *given):
        if not children:
            time.sleep(0.002)
        super().schedule(*given)
try:
    berth.run(queue(replications=1, until="20000s"), scheduler=Patient, progress=tell)
except berth.SchedulerError as error:
    assert children == [0] and "belongs to the process that began it" in str(error)
    berth.run(SMALL)
    sys.exit(0)
assert children[0] != 0 and after(children[0]) == 0
""",
    "progress that leaves the copy": """
children = []
def tell(progress):
    if not children:
        children.append(os.fork())
        if children == [0]:
            sys.exit(7)
berth.run(queue(replications=1, until="20000s"), scheduler=Whole, progress=tell)
assert after(children[0]) == 7
""",
    "progress of a sweep": """
children = []
def tell(progress):
    if not children and progress.done < progress.total:
        children.append(os.fork())
spec = {"experiment": queue(replications=1, until="600000s"), "replications": 2,
        "axes": [{"name": "cpu", "path": "spec.types.one.cpu", "values": [1, 2]}]}
document = {"apiVersion": "berth/v1", "kind": "Sweep", "metadata": {"name": "sweep"}, "spec": spec}
with tempfile.TemporaryDirectory() as place:
    try:
        swept = berth.sweep(document, out=place + "/out", threads=2, progress=tell)
    except berth.SchedulerError as error:
        assert children == [0] and "belongs to the process that began it" in str(error)
        os._exit(0)
    assert after(children[0]) == 0
    assert len(swept.run(cpu=1).jobs) > 0
""",
    "a scheduler that leaves the copy": """
class Forks(Whole):
    def schedule(self, view, act):
        super().schedule(view, act)
        if Whole.calls == 60:
            child = os.fork()
            if child == 0:
                refused(lambda: view.now), refused(lambda: act.wake(99)), touch_all()
                os._exit(7)
            assert after(child) == 7
berth.run(SMALL, scheduler=Forks)
""",
    "schedulers that return in the copy": """
def fork():
    child = os.fork()
    if child != 0:
        ends.append(after(child))
    return child
class Begins(Whole):
    def begin(self, view):
        fork()
class Decides(Whole):
    def schedule(self, view, act):
        super().schedule(view, act)
        if not ends:
            fork()
class Leaves(Whole):
    def submitted(self, job):
        if not ends and fork() == 0:
            sys.exit(0)
class Made(Whole):
    def __init__(self):
        fork()
class Scored(Scores):
    def score(self, pod, view):
        if not ends:
            fork()
        return super().score(pod, view)
with tempfile.TemporaryDirectory() as place:
    for number, kind in enumerate((Begins, Decides, Leaves, Made, Scored)):
        ends = []
        os.dup2(os.open(f"{place}/told", os.O_CREAT | os.O_TRUNC | os.O_WRONLY), 2)
        berth.run(SMALL, scheduler=kind, out=f"{place}/{number}")
        assert ends == [1], ends
        told = open(f"{place}/told").read()
        assert told.count("expected os._exit() in the copy") == told.count("\\n") == 1, told
        assert len(berth.open(f"{place}/{number}").jobs) > 0
""",
    "folders": """
spec = {"experiment": SMALL, "axes": [{"name": "first", "path": "spec.seed", "values": [1, 2]}]}
swept = berth.sweep({"apiVersion": "berth/v1", "kind": "Sweep", "metadata": {"name": "one"}, "spec": spec})
ran = berth.run(SMALL)
folders = [swept.folder, ran.folder]
in_copy()
def drop():
    del globals()["swept"], globals()["ran"]
    gc.collect()
in_copy(drop)
assert all(folder.is_dir() for folder in folders)
drop()
assert not any(folder.is_dir() for folder in folders)
""",
    "runs in threads": """
def work():
    while True:
        berth.run(SMALL)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
for _ in range(15):
    time.sleep(random.random() * 0.02)
    in_copy(lambda: berth.run(SMALL, scheduler=Whole))
""",
    "environments in threads": """
def work():
    own = Cluster(SMALL, queue=4)
    while True:
        own.reset()
        for _ in range(20):
            KEPT[:] = [own, *own.step(0)]
threading.Thread(target=work, daemon=True).start()
while not KEPT:
    pass
for _ in range(15):
    time.sleep(random.random() * 0.02)
    in_copy(lambda: (refused(KEPT[0].reset), KEPT.clear(), gc.collect()))
""",
    "the end of Python": "begin()\natexit.register(lambda: in_copy(lambda: os._exit(0)))",
}


@pytest.mark.parametrize("case", CASES)
def test_forks_in(case: str) -> None:
    ended(FORKS + CASES[case])
