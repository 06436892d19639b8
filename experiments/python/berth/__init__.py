'''berth simulates scheduling on GPU clusters.

An experiment describes a cluster, the jobs that arrive, and a policy. `run` simulates it:

    >>> import berth
    >>> experiment = """
    ... apiVersion: berth/v1
    ... kind: Experiment
    ... metadata: {name: lab}
    ... spec:
    ...   replications: 10
    ...   topology:
    ...     spec:
    ...       levels: [{name: server, count: 4}]
    ...       machines: [{type: host}]
    ...       machineTypes: {host: {capacity: {nvidia.com/gpu: 8}}}
    ...   types: {trainer: {nvidia.com/gpu: 6}}
    ...   workload:
    ...     - generate:
    ...         count: 2000
    ...         type: trainer
    ...         arrivals: {distribution: exponential, mean: 10m}
    ...         service: {distribution: exponential, mean: 30m}
    ... """
    >>> run = berth.run(experiment, seed=1)
    >>> round(run["job_wait_s_mean"])  # seconds, the mean of ten replications
    897

The examples of the other names continue from here, each on its own.
'''

from berth import _main_interpreter  # noqa: F401 (it is first, for it ends what would hang)
from berth._berth import version as __version__
from berth._errors import BerthError, InputError, Interrupted, InvariantError, SchedulerError
from berth._progress import Progress
from berth.answers import Answer, Comparison, PageAnswer, calibrate, compare, forecast, why
from berth.cores import allocate, candidates, place, quota
from berth.evaluation import Difference, Evaluation, evaluate
from berth.plan import Plan, plan
from berth.run import BerthWarning, Run, run
from berth.scheduler import Act, Job, Pod, ProfileView, Scheduler, Server, View, register
from berth.sweep import Sweep, SweepError, sweep
from berth.sweep import open_folder as open
from berth.table import Column, Table

__all__ = [
    "Act",
    "Answer",
    "BerthError",
    "BerthWarning",
    "Column",
    "Comparison",
    "Difference",
    "Evaluation",
    "InputError",
    "Interrupted",
    "InvariantError",
    "Job",
    "PageAnswer",
    "Plan",
    "Pod",
    "ProfileView",
    "Progress",
    "Run",
    "Scheduler",
    "SchedulerError",
    "Server",
    "Sweep",
    "SweepError",
    "Table",
    "View",
    "__version__",
    "allocate",
    "calibrate",
    "candidates",
    "compare",
    "evaluate",
    "forecast",
    "open",
    "place",
    "plan",
    "quota",
    "register",
    "run",
    "sweep",
    "why",
]
