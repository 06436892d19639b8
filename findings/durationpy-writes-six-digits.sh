#!/usr/bin/env bash
# durationpy, by which the official Kubernetes client for Python reads and writes Go's durations, writes each unit with
# six significant digits, and an exponent where six digits do not suffice.
#
# Seen with durationpy 0.11, which `kubernetes` depends on:
# - 12.345678 s is written as 12.3457s, and 59.999999 s as 60s.
# - 1234567 h is written as 1.23457e+06h, and a minute and a microsecond as 1m1e-06s. durationpy itself refuses to read
#   both, as Go's time.ParseDuration does: neither has exponents.
# - 1 ns, which Go has, is read as 0 without an error, since datetime.timedelta has only microseconds.
# Whole seconds below a million hours, and milliseconds below a second, come back as they were.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check durationpy==0.11
cd "$place"
cat > seen.py <<'PYTHON'
from datetime import timedelta

import durationpy


def read(text):
    try:
        return durationpy.from_str(text)
    except durationpy.DurationError as error:
        return f"refused: {error}"


for length in (timedelta(hours=999_999, minutes=1),
               timedelta(seconds=12.345678),
               timedelta(seconds=59.999999),
               timedelta(hours=1_234_567),
               timedelta(minutes=1, microseconds=1)):
    text = durationpy.to_str(length)
    print(f"{length} is written as {text}, which is read as {read(text)}")
print("1ns is read as", read("1ns"))
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
41666 days, 15:01:00 is written as 999999h1m, which is read as 41666 days, 15:01:00
0:00:12.345678 is written as 12.3457s, which is read as 0:00:12.345700
0:00:59.999999 is written as 60s, which is read as 0:01:00
51440 days, 7:00:00 is written as 1.23457e+06h, which is read as refused: Unknown unit e in duration 1.23457e+06h
0:01:00.000001 is written as 1m1e-06s, which is read as refused: Unknown unit e in duration 1m1e-06s
1ns is read as 0:00:00
SEEN
