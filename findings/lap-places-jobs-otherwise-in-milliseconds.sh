#!/usr/bin/env bash
# The best assignment of jobs to servers is another one in seconds, in milliseconds and in microseconds, and a limit
# that all costs keep leaves jobs without a server, where lap solves it.
#
# Seen with lap 0.5.13, beside linear_sum_assignment of scipy 1.17.1, which is right for each of these:
# - Three jobs would run 85, 64 or 51 minutes, and so on, on three kinds of servers. In seconds, lap finds the smallest
#   sum, 4620. With the same numbers times 1000 it takes 5520 seconds, and times 1000000 it takes 4800, each with the
#   servers dealt out otherwise, and reports that as the cost. Floats and integers are alike.
# - The bound is a million, which the code takes for infinite. Where most costs are larger, as bytes are, and also
#   milliseconds of a quarter of an hour, a third of the answers for four jobs here are too large, and a quarter for
#   costs below minus a million, as negated benefits are. All of them are permutations, so nothing shows it. lapmod(),
#   which is for sparse matrices, refuses such costs, "Cost matrix values must be less than 1000000"; lapjv() does not
#   look.
# - cost_limit is documented as "An upper limit for a cost of a single assignment". With costs of 1, 9, 9 and 50, and 17
#   for the limit, two jobs could have 9 each, but one has 1, and the other is left without a server. The limit is what
#   the whole answer pays for a pair less, so jobs are dropped as long as that is cheaper than to place them.
# Expected was one assignment for all units, or an error, and that a limit only forbids what is above it. The bound has
# a name, lap.LARGE, but neither lapjv's text nor the README speaks of it.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check lap==0.5.13 scipy==1.17.1 numpy==2.4.6
cd "$place"
cat > seen.py <<'PYTHON'
import lap
import numpy
from scipy.optimize import linear_sum_assignment


def least(costs):
    return costs[linear_sum_assignment(costs)].sum()


seconds = numpy.array([[85, 64, 51], [27, 31, 5], [8, 2, 18]]) * 60
for unit, parts in (("seconds", 1), ("milliseconds", 1000), ("microseconds", 1000000)):
    for name, costs in (("integers", seconds * parts), ("floats", seconds * float(parts))):
        cost, servers, _ = lap.lapjv(costs)
        print(f"{unit}, {name}: servers {servers.tolist()}, {cost / parts:.0f} s; scipy {least(costs) / parts:.0f} s")
print("costs at which infinity begins:", lap.LARGE)
state = 1


def drawn(low, high):
    global state
    state = state * 1103515245 + 12345 & 0x7FFFFFFF
    return low + state // 65536 * 32749 % (high - low)


for low, high in ((0, 1000), (900000, 1000000), (1000000, 1100000), (10000000, 20000000), (-20000000, -10000000)):
    wrong = 0
    for _ in range(1000):
        costs = numpy.array([[drawn(low, high) for _ in range(4)] for _ in range(4)])
        wrong += int(lap.lapjv(costs)[0] > least(costs))
    print(f"of 1000 with costs from {low} to {high}, {wrong} are not the least")
for limit in (10, 17, 18.5):
    cost, servers, _ = lap.lapjv(numpy.array([[1.0, 9.0], [9.0, 50.0]]), cost_limit=limit)
    print(f"limit {limit}: servers {servers.tolist()}, cost {cost}")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
seconds, integers: servers [1, 2, 0], 4620 s; scipy 4620 s
seconds, floats: servers [1, 2, 0], 4620 s; scipy 4620 s
milliseconds, integers: servers [0, 2, 1], 5520 s; scipy 4620 s
milliseconds, floats: servers [0, 2, 1], 5520 s; scipy 4620 s
microseconds, integers: servers [2, 0, 1], 4800 s; scipy 4620 s
microseconds, floats: servers [2, 0, 1], 4800 s; scipy 4620 s
costs at which infinity begins: 1000000
of 1000 with costs from 0 to 1000, 0 are not the least
of 1000 with costs from 900000 to 1000000, 0 are not the least
of 1000 with costs from 1000000 to 1100000, 129 are not the least
of 1000 with costs from 10000000 to 20000000, 347 are not the least
of 1000 with costs from -20000000 to -10000000, 261 are not the least
limit 10: servers [0, -1], cost 1.0
limit 17: servers [0, -1], cost 1.0
limit 18.5: servers [1, 0], cost 18.0
SEEN
