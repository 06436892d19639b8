#!/usr/bin/env bash
# The median wait of six jobs, as Kaplan and Meier estimate it, is three seconds or an hour for common libraries, and for
# which of them it is the hour depends on the number of jobs.
#
# Seen with lifelines 0.30.0, statsmodels 0.15.0 and scipy 1.17.1, for waits of which none is cut off:
# - Half of the jobs wait for seconds, and half for an hour, so the estimate is exactly a half from the last short wait
#   on. lifelines takes the first time at which it is a half or less, but adds logarithms of factors up, and is a little
#   above a half for 6, 8, 14, 18 and 20 of these jobs. Then its answer is the first wait of the other half, an hour.
# - statsmodels takes the first time at which it is less than a half, as SAS does, which is the hour; it adds logarithms
#   too, in another way, and is a little below a half for 12 and 18 jobs. Then its answer is the seconds.
# - So for 12 jobs both say 6 seconds, for 14 jobs both say an hour, and for 18 jobs they have changed places. Of the
#   even numbers up to 200, 24 are wrong by the rule of lifelines, and 16 by that of statsmodels.
# scipy's ecdf(), asked for the first time at which the rest is a half or less, is right for all.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check lifelines==0.30.0 statsmodels==0.15.0 scipy==1.17.1 \
    numpy==2.4.6 pandas==3.1.1
cd "$place"
cat > seen.py <<'PYTHON'
import numpy
from lifelines import KaplanMeierFitter
from scipy import stats
from statsmodels.duration.survfunc import SurvfuncRight


def medians(waits):
    rest = stats.ecdf(stats.CensoredData(waits)).sf
    return (
        float(KaplanMeierFitter().fit(waits).median_survival_time_),
        float(SurvfuncRight(waits, numpy.ones(len(waits))).quantile(0.5)),
        float(rest.quantiles[numpy.argmax(rest.probabilities <= 0.5)]),
    )


for jobs in range(2, 21, 2):
    waits = numpy.concatenate([numpy.arange(1.0, jobs // 2 + 1), 3600.0 + numpy.arange(jobs // 2)])
    print(f"{jobs} jobs:", "lifelines {:g} s, statsmodels {:g} s, scipy {:g} s".format(*medians(waits)))
later = numpy.zeros(3, int)
for jobs in range(2, 201, 2):
    later += numpy.array(medians(numpy.arange(1.0, jobs + 1))) > jobs / 2
print("later than half of the jobs, of 100 even numbers: lifelines {}, statsmodels {}, scipy {}".format(*later))
PYTHON
venv/bin/python -W ignore seen.py | tee seen
diff - seen <<'SEEN'
2 jobs: lifelines 1 s, statsmodels 3600 s, scipy 1 s
4 jobs: lifelines 2 s, statsmodels 3600 s, scipy 2 s
6 jobs: lifelines 3600 s, statsmodels 3600 s, scipy 3 s
8 jobs: lifelines 3600 s, statsmodels 3600 s, scipy 4 s
10 jobs: lifelines 5 s, statsmodels 3600 s, scipy 5 s
12 jobs: lifelines 6 s, statsmodels 6 s, scipy 6 s
14 jobs: lifelines 3600 s, statsmodels 3600 s, scipy 7 s
16 jobs: lifelines 8 s, statsmodels 3600 s, scipy 8 s
18 jobs: lifelines 3600 s, statsmodels 9 s, scipy 9 s
20 jobs: lifelines 3600 s, statsmodels 3600 s, scipy 10 s
later than half of the jobs, of 100 even numbers: lifelines 24, statsmodels 84, scipy 0
SEEN
