#!/usr/bin/env bash
# Where nine of ten jobs did not wait at all, their median wait is minutes for a Prometheus summary of Node.js, and a
# quarter of them waited less than minus 24 minutes for Python's tdigest.
#
# Seen with prom-client 15.1.3 (npm), which has t-digests of tdigest 0.1.3, and tdigest 0.5.2.2 (Python), beside
# fastdigest 0.12.0 and datasketches 5.2.0, for 90 jobs that waited for 0 seconds and ten that waited for an hour:
# - Both keep equal values in one centroid, of whatever weight, put the weight in its middle, and draw a straight line
#   from there to the next one. So from the 45th job on the quantiles leave 0: prom-client has a median of 360 seconds
#   and an upper quartile of 2160, though all of these jobs waited for 0. tdigest draws the line on below its begin, to
#   where no value is: its lower quartile is -1440 seconds, and its median 360.
# - There are two values only, so nothing had to be estimated. If each wait is a number of its own, they are right, so
#   tests with random numbers do not show it. Waits of many zeros are what most clusters have.
# - The error grows with the weight of the equal values, and not with the number of jobs: 100 and 10000 jobs are alike.
# The other two are right up to the last job that did not wait. In Prometheus' text nothing shows that it is a guess.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check tdigest==0.5.2.2 fastdigest==0.12.0 \
    datasketches==5.2.0 numpy==2.4.6
cd "$place"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts prom-client@15.1.3 tdigest@0.1.3
cat > seen.js <<'JS'
const { Registry, Summary } = require('prom-client');

async function main() {
  const kinds = [['100 jobs', 90, 10, () => 0], ['10000 jobs', 9000, 1000, () => 0], ['noise', 90, 10, i => i / 1000]];
  for (const [name, without, hour, wait] of kinds) {
    const register = new Registry();
    const percentiles = [0.1, 0.25, 0.5, 0.75, 0.85, 0.95];
    const summary = new Summary({ name: 'wait_seconds', help: 'Waits', percentiles, registers: [register] });
    for (let i = 0; i < without; i++) summary.observe(wait(i));
    for (let i = 0; i < hour; i++) summary.observe(3600 + wait(i));
    const { values } = await register.getSingleMetric('wait_seconds').get();
    const found = values.filter(v => v.labels.quantile !== undefined).map(v => v.value.toFixed(1));
    console.log(`prom-client, ${name}:`, found.join(' '));
  }
}
main();
JS
cat > seen.py <<'PYTHON'
import datasketches
import fastdigest
import tdigest

WAITS = [0.0] * 90 + [3600.0] * 10
AT = (0.1, 0.25, 0.5, 0.75, 0.85, 0.95)


def show(name, quantiles):
    print(f"{name}:", " ".join(f"{quantile + 0:.1f}" for quantile in quantiles))


digest = tdigest.TDigest()
for wait in WAITS:
    digest.update(wait)
show("tdigest", [digest.percentile(100 * at) for at in AT])
digest = tdigest.TDigest()
digest.batch_update(WAITS)
show("tdigest, all at once", [digest.percentile(100 * at) for at in AT])
show("fastdigest", [fastdigest.TDigest.from_values(WAITS).quantile(at) for at in AT])
sketch = datasketches.tdigest_double()
for wait in WAITS:
    sketch.update(wait)
show("datasketches", [sketch.get_quantile(at) for at in AT])
PYTHON
{ node seen.js; venv/bin/python seen.py; } | tee seen
diff - seen <<'SEEN'
prom-client, 100 jobs: 0.0 0.0 360.0 2160.0 2880.0 3600.0
prom-client, 10000 jobs: 0.0 0.0 360.0 2160.0 2880.0 3600.0
prom-client, noise: 0.0 0.0 0.0 0.1 0.1 3600.0
tdigest: -2520.0 -1440.0 360.0 2160.0 2880.0 3600.0
tdigest, all at once: -2520.0 -1440.0 360.0 2160.0 2880.0 3600.0
fastdigest: 0.0 0.0 0.0 0.0 0.0 3600.0
datasketches: 0.0 0.0 0.0 0.0 0.0 3600.0
SEEN
