#!/usr/bin/env bash
# A length of time with a fraction, or of a month, as ISO 8601 has it, is another length for pandas and Day.js.
#
# Seen with pandas 3.1.1, isodate 0.7.2, aniso8601 10.0.1, dayjs 1.11.23, luxon 3.7.2 and parse-duration 2.1.9 (npm), for
# lengths as services for batch jobs take them as limits; ISO 8601 lets the last part have a fraction:
# - pandas passes over the point unless seconds follow: P0.5D is five days, PT1.5H five hours and a second, PT0.5M five
#   minutes. So digits behind the point become the number, and those before it seconds. P1M, a month, is a minute.
# - Day.js reads PT0,5S, with the comma that ISO 8601 prefers, as 0, and -PT1H as plus an hour. Its month has 30 days and
#   10 hours, those of luxon and aniso8601 30 days.
# - parse-duration, which takes what people write, loses the day of P1DT2H. PT0,5S is five seconds, and P1M a minute.
# - isodate keeps a month as a month, but total_seconds() of it is 0, without an error.
# Nobody says anything. luxon is right for all of them, and aniso8601 refuses what it does not read.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pandas==3.1.1 isodate==0.7.2 aniso8601==10.0.1
cd "$place"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts dayjs@1.11.23 luxon@3.7.2 parse-duration@2.1.9
cat > seen.py <<'PYTHON'
import aniso8601
import isodate
import pandas


def tried(read, length):
    try:
        return f"{read(length).total_seconds():g}"
    except (AttributeError, ValueError):
        return "not read"


for length in ("P1DT2H", "PT0.5S", "P0.5D", "PT1.5H", "PT0.5M", "PT0,5S", "-PT1H", "P1M"):
    for library, read in (
        ("pandas", pandas.Timedelta),
        ("isodate", isodate.parse_duration),
        ("aniso8601", aniso8601.parse_duration),
    ):
        print(f"{length} {library} {tried(read, length)}")
PYTHON
cat > seen.mjs <<'SCRIPT'
import dayjs from "dayjs";
import duration from "dayjs/plugin/duration.js";
import {Duration} from "luxon";
import parse from "parse-duration";

dayjs.extend(duration);
for (const length of ["P1DT2H", "PT0.5S", "P0.5D", "PT1.5H", "PT0.5M", "PT0,5S", "-PT1H", "P1M"]) {
    console.log(length, "dayjs", dayjs.duration(length).asSeconds());
    console.log(length, "luxon", Duration.fromISO(length).as("seconds"));
    console.log(length, "parse-duration", parse(length, "s"));
}
SCRIPT
{
    venv/bin/python seen.py
    node seen.mjs
} | LC_ALL=C sort --stable --key 1,1 | tee seen
diff - seen <<'SEEN'
-PT1H pandas -3600
-PT1H isodate -3600
-PT1H aniso8601 not read
-PT1H dayjs 3600
-PT1H luxon -3600
-PT1H parse-duration -3600
P0.5D pandas 432000
P0.5D isodate 43200
P0.5D aniso8601 43200
P0.5D dayjs 43200
P0.5D luxon 43200
P0.5D parse-duration 43200
P1DT2H pandas 93600
P1DT2H isodate 93600
P1DT2H aniso8601 93600
P1DT2H dayjs 93600
P1DT2H luxon 93600
P1DT2H parse-duration 7200
P1M pandas 60
P1M isodate 0
P1M aniso8601 2.592e+06
P1M dayjs 2628000
P1M luxon 2592000
P1M parse-duration 60
PT0,5S pandas not read
PT0,5S isodate 0.5
PT0,5S aniso8601 0.5
PT0,5S dayjs 0
PT0,5S luxon 0.5
PT0,5S parse-duration 5
PT0.5M pandas 300
PT0.5M isodate 30
PT0.5M aniso8601 30
PT0.5M dayjs 30
PT0.5M luxon 30
PT0.5M parse-duration 30
PT0.5S pandas 0.5
PT0.5S isodate 0.5
PT0.5S aniso8601 0.5
PT0.5S dayjs 0.5
PT0.5S luxon 0.5
PT0.5S parse-duration 0.5
PT1.5H pandas 18001
PT1.5H isodate 5400
PT1.5H aniso8601 5400
PT1.5H dayjs 5400
PT1.5H luxon 5400
PT1.5H parse-duration 5400
SEEN
