#!/usr/bin/env bash
# Dask reads .5s, half a second, as one and a half, and .5 hours as an hour and a half.
#
# Seen with dask 2026.8.0, whose parse_timedelta() reads all lengths of time in the configuration of Dask and of its
# clusters, and parse_bytes() all amounts of memory:
# - A text that does not begin with a digit gets a 1 in front of it, so that `hour` is an hour. A point is no digit, so
#   .5s becomes 1.5s, and .25 days a day and a quarter. 0.5s is right, and so is the number .5 of YAML, which Python
#   writes as 0.5. Nothing is refused, and it is always one unit more.
# - parse_bytes() asks whether there is any digit, so that .5GB is 500 MB, as it should be: the two functions for the
#   two kinds of limits of one worker do not agree on what a number is.
# - A worker that is to hand its data over before its batch job of an hour ends, with a lifetime of ".9 hours", has one
#   of 1.9 hours, and is killed with the job before it has handed over anything; its death-timeout, and the interval at
#   which an adaptive cluster is scaled, are read alike.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check dask==2026.8.0
cd "$place"
cat > seen.py <<'PYTHON'
import yaml
from dask.utils import parse_bytes, parse_timedelta

for text in ("hour", "0.5s", ".5s", "0.9 hours", ".9 hours", ".25 days", "500ms", ".5"):
    print(f"{text!r} is {parse_timedelta(text)} s")
limits = yaml.safe_load("{lifetime: .5 hours, interval: .5}")
for name, value in limits.items():
    print(f"in YAML, {name} {value!r} is {parse_timedelta(value)} s")
for text in ("GB", "0.5GB", ".5GB"):
    print(f"{text!r} is {parse_bytes(text)} bytes")
PYTHON
DASK_CONFIG=$place venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
'hour' is 3600 s
'0.5s' is 0.5 s
'.5s' is 1.5 s
'0.9 hours' is 3240 s
'.9 hours' is 6840 s
'.25 days' is 108000 s
'500ms' is 0.5 s
'.5' is 1.5 s
in YAML, lifetime '.5 hours' is 5400 s
in YAML, interval 0.5 is 0.5 s
'GB' is 1000000000 bytes
'0.5GB' is 500000000 bytes
'.5GB' is 500000000 bytes
SEEN
