#!/usr/bin/env bash
# Task 4 of Slurm's array 123 is called 123_4, and is job 1234 to libraries that take the underscore for a separator of
# thousands.
#
# Seen with duckdb 2.0.1, pandas 3.1.1, PyYAML 6.0.4 and ruamel.yaml 0.19.1:
# - DuckDB reads sacct's table with JobID as text, but WHERE JobID = 1234 finds the rows 1234 and 123_4, since it casts
#   the text, and casts 123_4 to 1234. A column that is declared as BIGINT has two rows of 1234.
# - pandas: astype("int64") makes 1234 of 123_4, while to_numeric refuses it.
# - A list of jobs in YAML, [123_4], is [1234] to PyYAML, which reads YAML 1.1, where that is the rule, and to
#   ruamel.yaml, which reads YAML 1.2, where it is not.
# None of them says so.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check \
    duckdb==2.0.1 pandas==3.1.1 pyyaml==6.0.4 ruamel.yaml==0.19.1
cd "$place"
printf 'JobID|State\n123_4|COMPLETED\n1234|FAILED\n' > sacct.csv
cat > seen.py <<'PYTHON'
import duckdb
import pandas
import ruamel.yaml
import yaml

print("DuckDB, its type:", *duckdb.sql("SELECT DISTINCT typeof(JobID) FROM 'sacct.csv'").fetchall()[0])
print("DuckDB, job 1234:", duckdb.sql("FROM read_csv('sacct.csv') WHERE JobID = 1234 ORDER BY State").fetchall())
declared = "FROM read_csv('sacct.csv', delim='|', header=true, columns={'JobID': 'BIGINT', 'State': 'VARCHAR'})"
print("DuckDB, declared:", duckdb.sql(f"{declared} ORDER BY State").fetchall())
jobs = pandas.read_csv("sacct.csv", sep="|").JobID
print("pandas, astype:", jobs.astype("int64").tolist())
try:
    print("pandas, to_numeric:", pandas.to_numeric(jobs).tolist())
except ValueError as error:
    print("pandas, to_numeric:", error)
print("PyYAML:", yaml.safe_load("[123_4]"))
print("ruamel.yaml:", ruamel.yaml.YAML(typ="safe", pure=True).load("[123_4]"))
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
DuckDB, its type: VARCHAR
DuckDB, job 1234: [('123_4', 'COMPLETED'), ('1234', 'FAILED')]
DuckDB, declared: [(1234, 'COMPLETED'), (1234, 'FAILED')]
pandas, astype: [1234, 1234]
pandas, to_numeric: Unable to parse string '123_4' at position 0
PyYAML: [1234]
ruamel.yaml: [1234]
SEEN
