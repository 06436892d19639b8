#!/usr/bin/env bash
# pandas reads lengths of time as dates where a column's name ends in _time and none of its values is small.
#
# Seen with pandas 3.1.1, for JSON as traces of jobs have it, with times in whole milliseconds or nanoseconds:
# - read_json() takes columns whose names end in _time or _at, or begin with timestamp, for dates, run_time as well as
#   submit_time. If each value is above 31536000, the seconds of a year, they are made dates: jobs that ran for 12 and
#   25 hours, as milliseconds, ran until 1971 and 1972.
# - If one job in the file ran for a minute, all of the column are integers. So a program that reads the long jobs only
#   gets another type, and a mean of run_time is a date in the one file and a number in the other.
# - Which unit a number has is guessed by size: run_time 90000000 and submit_time 1700000000000 are seconds and
#   milliseconds, so one file's columns of one unit are read as two. An hour of nanoseconds ends in 2084.
# A name such as run_ms, with the same numbers, has none of it, and convert_dates=False, which is to be removed, helps.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1
cd "$place"
cat > seen.py <<'PYTHON'
import io
import json

import pandas


def shown(title, column, unit, *values, **how):
    text = json.dumps([{"job": f"j{number}", column: value} for number, value in enumerate(values)])
    read = pandas.read_json(io.StringIO(text), **how)[column]
    print(f"{title}, {unit}: {column} is {read.dtype}:", ", ".join(map(str, read)), "with a mean of", read.mean())


hour = 3600 * 1000
shown("12 and 25 hours", "run_time", "ms", 12 * hour, 25 * hour)
shown("a minute, 12 and 25 hours", "run_time", "ms", 60000, 12 * hour, 25 * hour)
shown("12 and 25 hours", "run_ms", "ms", 12 * hour, 25 * hour)
shown("12 and 25 hours", "run_time", "ms", 12 * hour, 25 * hour, convert_dates=False)
shown("a tenth of a second, and an hour", "wait_time", "ns", 10**8, 3600 * 10**9)
shown("two moments of 2023", "submit_time", "ms", 1700000000000, 1700000060000)
PYTHON
venv/bin/python -W ignore seen.py | tee seen
diff - seen <<'SEEN'
12 and 25 hours, ms: run_time is datetime64[us]: 1971-05-16 00:00:00, 1972-11-07 16:00:00 with a mean of 1972-02-10 20:00:00
a minute, 12 and 25 hours, ms: run_time is int64: 60000, 43200000, 90000000 with a mean of 44420000.0
12 and 25 hours, ms: run_ms is int64: 43200000, 90000000 with a mean of 66600000.0
12 and 25 hours, ms: run_time is int64: 43200000, 90000000 with a mean of 66600000.0
a tenth of a second, and an hour, ns: wait_time is datetime64[us]: 1970-01-02 03:46:40, 2084-01-29 16:00:00 with a mean of 2027-01-15 21:53:20
two moments of 2023, ms: submit_time is datetime64[us]: 2023-11-14 22:13:20, 2023-11-14 22:14:20 with a mean of 2023-11-14 22:13:50
SEEN
