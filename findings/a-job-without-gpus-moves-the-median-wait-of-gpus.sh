#!/usr/bin/env bash
# A job that has no GPU, and so no weight, moves the median wait per GPU to three other values in three libraries for
# weighted medians, and asking one of them for a median changes which job has which weight.
#
# Seen with weightedstats 0.4.1, wquantiles 0.6, weightedcalcs 0.1.3, numpy 2.4.6 and pandas 3.1.1, for waits that are
# weighted with the GPUs of the jobs, as averages per GPU have it:
# - Two jobs of eight GPUs waited for 10 and for 3600 seconds. Half of the GPUs waited for each, and all three take the
#   middle, 1805. With a third job, which waited for 600 seconds and has no GPU, weightedstats says 2100, wquantiles
#   600, and weightedcalcs 305. So the median wait of sixteen GPUs is that of a job that has none, or is the middle
#   between that job's wait and one of the others', to the left or to the right.
# - Two such jobs, with 600 and 3000 seconds, make it 3300, 3000 and 305. Where no half ends between jobs, weightedstats
#   and weightedcalcs are not moved, but wquantiles may be. numpy is not moved: it says 10 for each of the first three.
# - weightedstats.median() sorts the list that it is given, for the caller, too. Its documentation shows calls of mean,
#   median, weighted_mean and weighted_median one after the other for one list of values and one of weights: the last
#   two then have each job's wait beside the GPUs of another one. Their mean wait is 265 seconds, and was 22.7 before.
# Expected was that a weight of zero is as good as no job, which also makes sure that a trace with and without its jobs
# for CPUs has one median per GPU. None of them says anything about it.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check weightedstats==0.4.1 wquantiles==0.6 \
    weightedcalcs==0.1.3 numpy==2.4.6 pandas==3.1.1
cd "$place"
cat > seen.py <<'PYTHON'
import numpy
import pandas
import weightedcalcs
import weightedstats
import wquantiles


def medians(waits, gpus):
    table = pandas.DataFrame({"wait": waits, "gpus": gpus})
    answers = {
        "weightedstats": weightedstats.weighted_median(list(waits), list(gpus)),
        "its numpy median": weightedstats.numpy_weighted_median(numpy.array(waits), numpy.array(gpus)),
        "wquantiles": wquantiles.median(numpy.array(waits), numpy.array(gpus)),
        "weightedcalcs": weightedcalcs.Calculator("gpus").median(table, "wait"),
        "numpy": numpy.quantile(waits, 0.5, weights=gpus, method="inverted_cdf"),
    }
    return ", ".join(f"{name} {answer:.6g}" for name, answer in answers.items())


def mean_and_median():
    mean, median = (asked(waits, gpus) for asked in (weightedstats.weighted_mean, weightedstats.weighted_median))
    return f"mean {mean:.1f}, weighted median {median}"


for waits, gpus in (
    ([10.0, 3600.0], [8, 8]),
    ([10.0, 600.0, 3600.0], [8, 0, 8]),
    ([10.0, 600.0, 3000.0, 3600.0], [8, 0, 0, 8]),
    ([10.0, 3600.0, 7200.0], [8, 9, 8]),
    ([10.0, 600.0, 3600.0, 7200.0], [8, 0, 9, 8]),
    ([10.0, 3600.0, 7200.0], [8, 16, 64]),
    ([10.0, 3600.0, 5000.0, 7200.0], [8, 16, 0, 64]),
):
    print(f"waits {waits}, GPUs {gpus}:\n  {medians(waits, gpus)}")
waits, gpus = [300.0, 10.0, 20.0], [1, 8, 64]
print(mean_and_median())
print("median", weightedstats.median(waits))
print(mean_and_median())
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
waits [10.0, 3600.0], GPUs [8, 8]:
  weightedstats 1805, its numpy median 1805, wquantiles 1805, weightedcalcs 1805, numpy 10
waits [10.0, 600.0, 3600.0], GPUs [8, 0, 8]:
  weightedstats 2100, its numpy median 2100, wquantiles 600, weightedcalcs 305, numpy 10
waits [10.0, 600.0, 3000.0, 3600.0], GPUs [8, 0, 0, 8]:
  weightedstats 3300, its numpy median 3300, wquantiles 3000, weightedcalcs 305, numpy 10
waits [10.0, 3600.0, 7200.0], GPUs [8, 9, 8]:
  weightedstats 3600, its numpy median 3600, wquantiles 3600, weightedcalcs 3600, numpy 3600
waits [10.0, 600.0, 3600.0, 7200.0], GPUs [8, 0, 9, 8]:
  weightedstats 3600, its numpy median 3600, wquantiles 3600, weightedcalcs 3600, numpy 3600
waits [10.0, 3600.0, 7200.0], GPUs [8, 16, 64]:
  weightedstats 7200, its numpy median 7200, wquantiles 6120, weightedcalcs 7200, numpy 7200
waits [10.0, 3600.0, 5000.0, 7200.0], GPUs [8, 16, 0, 64]:
  weightedstats 7200, its numpy median 7200, wquantiles 6375, weightedcalcs 7200, numpy 7200
mean 22.7, weighted median 20.0
median 20.0
mean 265.3, weighted median 300.0
SEEN
