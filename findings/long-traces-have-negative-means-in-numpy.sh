#!/usr/bin/env bash
# The run times of a large trace, as lengths of nanoseconds, have a negative sum in numpy and Polars, and in numpy also
# a negative mean, though each of them is far from any bound.
#
# Seen with numpy 2.4.6, polars 2.1.0 and pandas 3.1.1, for 1.3 million jobs that ran for two hours each:
# - They are 2.6 million hours, or 297 years, and 64 bits have 292 years of nanoseconds. numpy and Polars answer -2.5
#   million hours without a word; pandas refuses the sum of the same column.
# - mean() of numpy's timedelta64 divides that sum, so the mean of jobs that all ran for two hours is -1.94 hours. Of
#   the same nanoseconds as integers numpy's mean is right, since it sums those as doubles, and so is Polars' mean.
# - With microseconds, all are right. Which unit a column has often depends on the file that it came from.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 polars==2.1.0 pandas==3.1.1
cd "$place"
cat > seen.py <<'PYTHON'
import numpy
import pandas
import polars

JOBS = 1_300_000
HOUR = numpy.timedelta64(1, "h")
NANOSECONDS = 3600 * 10**9


def tried(what):
    try:
        return f"{what():.2f} hours"
    except pandas.errors.OutOfBoundsTimedelta as error:
        return f"refused: {error}"


for unit in ("ns", "us"):
    ran = numpy.full(JOBS, numpy.timedelta64(2, "h").astype(f"timedelta64[{unit}]"))
    frame = polars.DataFrame({"ran": ran, "user": ["a"] * JOBS})
    column = pandas.Series(ran)
    by_user = frame.group_by("user").agg(total=polars.col("ran").sum(), mean=polars.col("ran").mean())
    print(f"numpy, {unit}: together", tried(lambda: ran.sum() / HOUR), "and each", tried(lambda: ran.mean() / HOUR))
    print(f"Polars, {unit}: together", tried(lambda: by_user["total"].to_numpy()[0] / HOUR),
          "and each", tried(lambda: by_user["mean"].to_numpy()[0] / HOUR))
    print(f"pandas, {unit}: together", tried(lambda: column.sum() / HOUR),
          "and each", tried(lambda: column.mean() / HOUR))
print("numpy, integers: each", tried(lambda: numpy.full(JOBS, 2 * NANOSECONDS).mean() / NANOSECONDS))
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
numpy, ns: together -2524095.58 hours and each -1.94 hours
Polars, ns: together -2524095.58 hours and each 2.00 hours
pandas, ns: together refused: overflow in timedelta operation and each 2.00 hours
numpy, us: together 2600000.00 hours and each 2.00 hours
Polars, us: together 2600000.00 hours and each 2.00 hours
pandas, us: together 2600000.00 hours and each 2.00 hours
numpy, integers: each 2.00 hours
SEEN
