#!/usr/bin/env bash
# A job's time as Slurm prints it, [days-]hours:minutes:seconds or minutes:seconds, is read by common libraries as
# another time, without an error.
#
# Seen with pandas 3.1.1 and duckdb 2.0.1:
# - pandas.to_timedelta reads the days of 1-02:03:04, which is a day and two hours, as digits of the hours, and the
#   hyphen as the sign of all: it is minus 102 hours, 3 minutes and 4 seconds. Of sacct's column Elapsed, jobs of less
#   than a day are right and longer ones are negative, in the same column.
# - DuckDB casts 10:30, which is ten and a half minutes in squeue's column TIME and as a limit of sbatch, to an INTERVAL
#   of ten and a half hours, and 90:00 to three days and 18 hours. pandas refuses both.
# - DuckDB refuses what pandas reads wrongly: each reads as a length of time what the other rejects.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 duckdb==2.0.1
cd "$place"
cat > seen.py <<'PYTHON'
import duckdb
import pandas


def read(text, reader):
    try:
        return f"{reader(text).total_seconds():.0f} s"
    except (ValueError, duckdb.Error) as error:
        return type(error).__name__


def interval(text):
    return duckdb.execute("SELECT CAST(? AS INTERVAL)", [text]).fetchone()[0]


for text in ("02:03:04", "1-02:03:04", "100-00:00:00", "10:30", "90:00"):
    print(f"{text}: pandas {read(text, pandas.to_timedelta)}, DuckDB {read(text, interval)}")
column = pandas.to_timedelta(pandas.Series(["23:59:59", "1-00:00:00"]))
print("a second more:", *(f"{value.total_seconds():.0f}" for value in column))
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
02:03:04: pandas 7384 s, DuckDB 7384 s
1-02:03:04: pandas -367384 s, DuckDB ConversionException
100-00:00:00: pandas -36000000 s, DuckDB ConversionException
10:30: pandas ValueError, DuckDB 37800 s
90:00: pandas ValueError, DuckDB 324000 s
a second more: 86399 -360000
SEEN
