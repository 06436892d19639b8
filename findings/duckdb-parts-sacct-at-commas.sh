#!/usr/bin/env bash
# DuckDB takes a table of sacct -P for one that commas part, and loses its header and its first job, where every job has
# the same number of resources.
#
# Seen with duckdb 2.0.1 on the columns JobID|AllocTRES|State, whose second column says billing=4,cpu=4,gres/gpu=1,...:
# - If all forty jobs have five resources, read_csv finds five columns that are named after the first job's resources
#   (0|billing=4, cpu=4, ...), and 39 rows. It says nothing, and header = true changes nothing: the line with the names
#   is passed over as if it stood before the table.
# - If one job in three has no GPU, the same call finds the three columns and forty rows. So a table that is read
#   correctly is not any more once only the jobs with GPUs are in it.
# - With delim = '|' both are right.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1
cd "$place"
cat > seen.py <<'PYTHON'
import duckdb


def write(name, gpu_of):
    with open(name, "w") as file:
        file.write("JobID|AllocTRES|State\n")
        for job in range(40):
            file.write(f"{job}|billing=4,cpu=4,{gpu_of(job)}mem=16G,node=1|COMPLETED\n")


write("alike.csv", lambda job: "gres/gpu=1,")
write("mixed.csv", lambda job: "gres/gpu=1," if job % 3 else "")
for name in ("alike.csv", "mixed.csv"):
    for options in ("", ", header = true", ", delim = '|'"):
        table = duckdb.sql(f"FROM read_csv('{name}'{options})")
        print(f"{name}{options}: {len(table.fetchall())} jobs, columns {table.columns}")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
alike.csv: 39 jobs, columns ['0|billing=4', 'cpu=4', 'gres/gpu=1', 'mem=16G', 'node=1|COMPLETED']
alike.csv, header = true: 39 jobs, columns ['0|billing=4', 'cpu=4', 'gres/gpu=1', 'mem=16G', 'node=1|COMPLETED']
alike.csv, delim = '|': 40 jobs, columns ['JobID', 'AllocTRES', 'State']
mixed.csv: 40 jobs, columns ['JobID', 'AllocTRES', 'State']
mixed.csv, header = true: 40 jobs, columns ['JobID', 'AllocTRES', 'State']
mixed.csv, delim = '|': 40 jobs, columns ['JobID', 'AllocTRES', 'State']
SEEN
