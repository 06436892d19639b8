#!/usr/bin/env bash
# Workers of Merlin that have 1h, an hour, are started by Flux or Slurm for one second, and with 2h30m they have less
# than four minutes.
#
# Seen with merlin 1.13.0, which runs many simulations on clusters with Slurm and Flux, with maestrowf 1.2.1, by the
# commands with which it starts its workers and the steps of a study:
# - Letters for units are taken out before the length is read, and what is left is read as seconds: 1h is 1, 90m is 90
#   and 2d is 2 seconds. Of 2h30m there remain the digits 230. So the scheduler ends workers or steps as soon as they
#   have begun. 5400s is right.
# - 1h, 90m and 2d are lengths as Flux itself takes them for -t. Merlin reads them and asks Flux for 1.0s.
# - `merlin status` writes average times with those letters and leaves out what is zero, as in 01d:25s. That, given as a
#   limit, is a minute and 25 seconds.
# The documentation names hh:mm:ss, mm:ss and ss. It does not say that letters are passed over, the check of the file
# takes any text, and nothing is said when it runs. Expected was an hour, or that 1h is refused.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check merlin==1.13.0 maestrowf==1.2.1
cd "$place"
cat > seen.py <<'PYTHON'
import logging

from merlin.spec.specification import MerlinSpec
from merlin.study.batch import batch_worker_launch
from merlin.study.script_adapter import MerlinFluxScriptAdapter, MerlinSlurmScriptAdapter
from merlin.utils import convert_timestring, pretty_format_hms

logging.disable(logging.CRITICAL)
study = """
description: {{name: study, description: trains}}
batch: {{type: {scheduler}, bank: b, queue: q, nodes: 2, walltime: {limit}}}
study:
  - name: train
    description: trains
    run: {{cmd: $(LAUNCHER) ./train, procs: 4, walltime: {limit}}}
merlin:
  resources:
    workers:
      all: {{args: -c 1, steps: [train]}}
"""


def limits(scheduler, limit):
    spec = MerlinSpec.load_spec_from_string(study.format(scheduler=scheduler, limit=limit), needs_verification=True)
    workers = batch_worker_launch(spec, "workers").split()
    kind = {"slurm": MerlinSlurmScriptAdapter, "flux": MerlinFluxScriptAdapter}[scheduler]
    adapter = kind(host="here", bank="b", queue="q", nodes=2, shell="/bin/bash", batch_type=f"merlin-{scheduler}")
    step = adapter.get_parallelize_command(4, walltime=spec.study[0]["run"]["walltime"]).split()
    found = [workers[workers.index("-t") + 1]] if "-t" in workers else ["none"]
    return found + [step[step.index("-t") + 1]]


for limit in ("1h", "90m", "2h30m", "2d", "5400s", "01d:25s", "01:30:00", "5400"):
    slurm = limits("slurm", limit)
    flux = limits("flux", limit)
    print(f"{limit}: srun -t {slurm[0]} for workers, -t {slurm[1]} for a step; flux run -t {flux[1]} for a step")
print("86425 seconds are shown as", pretty_format_hms("01:00:00:25"), "and read as",
      convert_timestring(pretty_format_hms("01:00:00:25")))
PYTHON
HOME=$place PATH="$place/venv/bin:/usr/bin:/bin" venv/bin/python -W ignore seen.py 2> errors | tee seen
diff - seen <<'SEEN'
1h: srun -t 00:00:01 for workers, -t 00:00:01 for a step; flux run -t 1.0s for a step
90m: srun -t 00:01:30 for workers, -t 00:01:30 for a step; flux run -t 90.0s for a step
2h30m: srun -t 00:03:50 for workers, -t 00:03:50 for a step; flux run -t 230.0s for a step
2d: srun -t 00:00:02 for workers, -t 00:00:02 for a step; flux run -t 2.0s for a step
5400s: srun -t 01:30:00 for workers, -t 01:30:00 for a step; flux run -t 5400.0s for a step
01d:25s: srun -t 00:01:25 for workers, -t 00:01:25 for a step; flux run -t 85.0s for a step
01:30:00: srun -t 01:30:00 for workers, -t 01:30:00 for a step; flux run -t 5400.0s for a step
5400: srun -t 01:30:00 for workers, -t 01:30:00 for a step; flux run -t 5400.0s for a step
86425 seconds are shown as 01d:25s and read as 00:01:25
SEEN
