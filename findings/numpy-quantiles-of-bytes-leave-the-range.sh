#!/usr/bin/env bash
# Quantiles of small integers lie outside of all of their values in numpy, and in pandas, which asks numpy.
#
# Seen with numpy 2.4.6 and pandas 3.1.1, beside polars 2.1.0 and duckdb 2.0.1, for changes of a GPU's utilisation from
# one sample to the next, which are from -100 to 100 points and so fit into int8, as columnar files keep them:
# - Between two values numpy takes their difference in their own type, and -100 to 100 is 200, or -56 with eight bits.
#   The half of them is 128, which int8 does not even have, and a quarter is -114. median() of the same is 0.
# - describe() of pandas then has a 25 % that is less than min. A quantile asked for alone comes with a warning about an
#   overflow, several at once, or pandas' describe(), come without one.
# - In a column of 100 samples only those quantiles are wrong that fall between far values: here p5 alone, which is 46.05
#   instead of 33.25, and so more than the median, 40.
# polars and DuckDB, and numpy after astype(float), are right.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 pandas==3.1.1 polars==2.1.0 duckdb==2.0.1
cd "$place"
cat > seen.py <<'PYTHON'
import warnings

import duckdb
import numpy
import pandas
import polars

warnings.simplefilter("error")


def shown(values):
    return " ".join(f"{value:g}" for value in values)


two = numpy.array([-100, 100], numpy.int8)
quantiles = [0.25, 0.5, 0.75]
print("numpy, quantiles:", shown(numpy.quantile(two, quantiles)), "median:", shown([numpy.median(two)]))
print("pandas, quantiles:", shown(pandas.Series(two).quantile(quantiles)), "median:", pandas.Series(two).median())
told = pandas.Series(two).describe()
print("pandas, describe:", ", ".join(f"{name} {told[name]:g}" for name in ("min", "25%", "50%", "75%", "max")))
print("polars:", shown(polars.Series(two).quantile(of, "linear") for of in quantiles))
table = "(VALUES (-100::TINYINT), (100::TINYINT)) two(change)"
asked = duckdb.sql(f"SELECT quantile_cont(change, [0.25, 0.5, 0.75]) FROM {table}")
print("DuckDB:", shown(asked.fetchall()[0][0]))
try:
    numpy.quantile(two, 0.5)
except RuntimeWarning as warning:
    print("numpy, one alone:", warning)
samples = numpy.array([-95] * 5 + [40] * 90 + [98] * 5, numpy.int8)
asked = [0.01, 0.05, 0.5, 0.95, 0.99]
print("100 samples, int8:", shown(numpy.quantile(samples, asked)))
print("100 samples, doubles:", shown(numpy.quantile(samples * 1.0, asked)))
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
numpy, quantiles: -114 128 114 median: 0
pandas, quantiles: -114 128 114 median: 0.0
pandas, describe: min -100, 25% -114, 50% 128, 75% 114, max 100
polars: -50 0 50
DuckDB: -50 0 50
numpy, one alone: overflow encountered in scalar subtract
100 samples, int8: -95 46.05 40 42.9 98
100 samples, doubles: -95 33.25 40 42.9 98
SEEN
