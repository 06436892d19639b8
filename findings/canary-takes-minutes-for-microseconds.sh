#!/usr/bin/env bash
# A test whose limit is 30:00, thirty minutes, is ended after two microseconds by Canary, which runs tests on clusters
# with Slurm, PBS and Flux, while one with 00:30:00 may run for half an hour.
#
# Seen with canary-wm 26.10.15 and hpc-connect 26.10.9, which has the same reader of lengths of time:
# - Hours, minutes and seconds are made nanoseconds, and then divided by a thousand, as Python has microseconds.
#   Minutes and seconds, which are read by lines of their own, are made seconds, and divided all the same. So 90:00 is
#   five microseconds, and 05:00 is 0.
# - A test that sleeps for a fifth of a second is FAIL (TIMEOUT) with 30:00, and passes with 00:30:00, 30m and 1800.
# - Another function of Canary, by which it looks up what a batch asked Slurm for, reads --time=90:00 as ninety
#   minutes.
# Expected was what sbatch takes 30:00 for, since it is taken and nothing is said. Limits on the command line, of
# batches and of the wait in the queue are read by the same function. The documentation names hours, minutes and
# seconds.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check canary-wm==26.10.15 hpc-connect==26.10.9
cd "$place"
cat > seen.py <<'PYTHON'
import io
from contextlib import redirect_stdout

import _canary.util.time as canary
import hpc_connect.util.time as hpc_connect
from canary_hpc.batchexec import _parse_wall_seconds

for limit in ("1800", "30m", "00:30:00", "30:00", "90:00", "05:00"):
    with redirect_stdout(io.StringIO()):  # hpc-connect prints a number on the way
        other = hpc_connect.time_in_seconds(limit)
    print(f"{limit:8} is", canary.time_in_seconds(limit), "s for Canary,", other, "s for hpc-connect")
print("--time=90:00 of a batch is", _parse_wall_seconds(["--time=90:00"]), "s")
PYTHON
export HOME=$place
venv/bin/python seen.py | tee seen
for limit in 1800 30m 00:30:00 30:00; do
    mkdir "tests-$limit"
    cd "tests-$limit"
    printf '%s\n' 'import time' 'import canary' "canary.directives.timeout(\"$limit\")" \
        'def test():' '    time.sleep(0.2)' 'if __name__ == "__main__":' '    test()' > sleeps.pyt
    { ../venv/bin/canary run . 2>&1 || true; } > ../output
    cd ..
    echo "a test with $limit: $(grep -oE '(PASS|FAIL) \([A-Z]+\)' output | head -n 1)"
done | tee -a seen
diff - seen <<'SEEN'
1800     is 1800.0 s for Canary, 1800.0 s for hpc-connect
30m      is 1800.0 s for Canary, 1800.0 s for hpc-connect
00:30:00 is 1800.0 s for Canary, 1800.0 s for hpc-connect
30:00    is 2e-06 s for Canary, 2e-06 s for hpc-connect
90:00    is 5e-06 s for Canary, 5e-06 s for hpc-connect
05:00    is 0.0 s for Canary, 0.0 s for hpc-connect
--time=90:00 of a batch is 5400.0 s
a test with 1800: PASS (SUCCESS)
a test with 30m: PASS (SUCCESS)
a test with 00:30:00: PASS (SUCCESS)
a test with 30:00: FAIL (TIMEOUT)
SEEN
