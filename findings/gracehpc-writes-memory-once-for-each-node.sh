#!/usr/bin/env bash
# GRACE-HPC, which estimates the energy and the carbon of jobs on Slurm, takes 64 GB on each of two nodes for 6464 GB.
#
# Seen with gracehpc 0.1.0, numpy 2.3.1 and pandas 2.3.1, on lines as sacct -P writes them, for jobs of one hour:
# - Before Slurm 21.08, ReqMem says with an n that an amount is that of each node: 64Gn. Accounts of those years have
#   it, and GRACE-HPC reads it on purpose. It multiplies by the number of nodes before it makes a number of the text,
#   and Python then repeats the text: 64 becomes 6464 on two nodes, and 64646464 on four. With a c, an amount of each
#   CPU, the number comes first, and it is right. So is one node.
# - The energy of memory is a constant times this, and is reported as the job's: four nodes for an hour use 24 MWh here,
#   where 0.1 kWh are right. Of small numbers it is less visible: 4 GB on each of two nodes are 44 GB.
# - G is taken as it is, and M is divided by a thousand, so that 131072M and 128G, which are the same for Slurm, are
#   not.
# The method's comment says that it multiplies by the number of nodes. Nothing is said when it runs, and one job of four
# nodes outweighs all others. Only the accounting is loaded here, not what notebooks show; sacct is a small script.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps gracehpc==0.1.0
"$place/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.3.1 pandas==2.3.1 pyyaml==6.0.2 \
  requests==2.32.4 2>/dev/null
cd "$place"
mkdir bin
cat > bin/sacct <<'SACCT'
#!/bin/sh
printf '%s' 'UID|User|Partition|JobID|JobName|Submit|State|Elapsed|AllocTRES|NNodes|NCPUS|TotalCPU|CPUTime|'
cat <<'LINES'
ReqMem|MaxRSS|WorkDir|ConsumedEnergyRaw
7|u7|cpu|101|one|2020-03-02T10:00:00|COMPLETED|01:00:00|cpu=8,node=1|1|8|08:00:00|08:00:00|64Gn||/w|
7|u7|cpu|102|two|2020-03-02T10:00:00|COMPLETED|01:00:00|cpu=16,node=2|2|16|16:00:00|16:00:00|64Gn||/w|
7|u7|cpu|103|four|2020-03-02T10:00:00|COMPLETED|01:00:00|cpu=32,node=4|4|32|1-08:00:00|1-08:00:00|64Gn||/w|
7|u7|cpu|104|small|2020-03-02T10:00:00|COMPLETED|01:00:00|cpu=16,node=2|2|16|16:00:00|16:00:00|4Gn||/w|
7|u7|cpu|105|cpus|2020-03-02T10:00:00|COMPLETED|01:00:00|cpu=16,node=2|2|16|16:00:00|16:00:00|8Gc||/w|
7|u7|cpu|106|new|2020-03-02T10:00:00|COMPLETED|01:00:00|cpu=16,node=2|2|16|16:00:00|16:00:00|128G||/w|
7|u7|cpu|107|same|2020-03-02T10:00:00|COMPLETED|01:00:00|cpu=16,node=2|2|16|16:00:00|16:00:00|131072M||/w|
LINES
SACCT
chmod +x bin/sacct
cat > seen.py <<'PYTHON'
import argparse
import importlib.util
import sys
import types

package = types.ModuleType("gracehpc")
package.__path__ = list(importlib.util.find_spec("gracehpc").submodule_search_locations)
sys.modules["gracehpc"] = package
from gracehpc.core.emissions_calculator import EnergyEmissionsCalculator
from gracehpc.core.job_log_manager import JobLogProcessor

config = {"partitions": {"cpu": {"processor": "CPU", "TDP": 5}}, "PUE": 1.0}
asked = argparse.Namespace(StartDate="2020-03-01", EndDate="2020-03-31", JobIDs="all_jobs")
logs = JobLogProcessor(asked, config)
logs.retrieve_job_logs()
logs.df_conversion()
logs.df_processor()
calculator = EnergyEmissionsCalculator(config, asked)
texts = dict(zip(logs.sacct_df.JobID, logs.sacct_df.ReqMem))
for _, job in logs.final_df.iterrows():
    job = calculator.estimate_energy(job.copy())
    print(f"{texts[job.Job_ID]:>7} on {job.TotalNodes} nodes with {job.CPUsAllocated:2} CPUs: "
          f"{job.RequestedMemoryGB:.12g} GB, memory {job.memory_energy_estimated_kwh:.4f} kWh of "
          f"{job.energy_estimated_kwh:.4f}")
PYTHON
PATH="$place/bin:$PATH" venv/bin/python -W ignore seen.py | tee seen
diff - seen <<'SEEN'
   64Gn on 1 nodes with  8 CPUs: 64 GB, memory 0.0238 kWh of 0.0638
   64Gn on 2 nodes with 16 CPUs: 6464 GB, memory 2.4078 kWh of 2.4878
   64Gn on 4 nodes with 32 CPUs: 64646464 GB, memory 24080.8078 kWh of 24080.9678
    4Gn on 2 nodes with 16 CPUs: 44 GB, memory 0.0164 kWh of 0.0964
    8Gc on 2 nodes with 16 CPUs: 128 GB, memory 0.0477 kWh of 0.1277
   128G on 2 nodes with 16 CPUs: 128 GB, memory 0.0477 kWh of 0.1277
131072M on 2 nodes with 16 CPUs: 131.072 GB, memory 0.0488 kWh of 0.1288
SEEN
