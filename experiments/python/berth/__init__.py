"""berth simulates scheduling on GPU clusters.

    import berth
    run = berth.run("experiments/paper/random-pack-rack-soft.yaml")
    run.jobs.to_pandas()
"""

from berth._berth import version as __version__
from berth._errors import BerthError, InputError, Interrupted, InvariantError, SchedulerError
from berth.cores import allocate, candidates, place, quota
from berth.run import BerthWarning, Run, run
from berth.run import open_run as open
from berth.table import Column, Table

__all__ = [
    "BerthError",
    "BerthWarning",
    "Column",
    "InputError",
    "Interrupted",
    "InvariantError",
    "Run",
    "SchedulerError",
    "Table",
    "__version__",
    "allocate",
    "candidates",
    "open",
    "place",
    "quota",
    "run",
]
