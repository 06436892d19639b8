"""berth simulates scheduling on GPU clusters.

import berth
run = berth.run("experiments/paper/random-pack-rack-soft.yaml")
run.jobs.to_pandas()
"""

from berth._berth import version as __version__
from berth._errors import BerthError, InputError, Interrupted, InvariantError, SchedulerError
from berth._progress import Progress
from berth.answers import Answer, Comparison, compare, why
from berth.cores import allocate, candidates, place, quota
from berth.evaluation import Difference, Evaluation, evaluate
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
    "candidates",
    "compare",
    "evaluate",
    "open",
    "place",
    "quota",
    "register",
    "run",
    "sweep",
    "why",
]
