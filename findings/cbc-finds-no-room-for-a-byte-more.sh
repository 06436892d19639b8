#!/usr/bin/env bash
# Two pods that are a byte too large for a server together are placed on it, or cannot be placed at all although each of
# them alone could be, where PuLP and its solver CBC place them.
#
# Seen with pulp 3.3.2, whose CBC is 2.10.3, beside HiGHS as scipy 1.17.1 has it; as many pods as possible are to run,
# and their bytes are at most the server's:
# - One pod of 80 GiB and 64 KiB fits into 80 GiB, for CBC, and two of 40 GiB and 4 KiB do, or two of 1 TiB and 64 KiB
#   into 2 TiB: "Optimal". The bytes are integers and far below 2^53, but CBC scales them before it compares.
# - If only one of two pods is a byte too large, the status is "Infeasible", though there are three ways to do it: one
#   pod, the other, or none. So it is for many pods of which one is too large.
# - PuLP's own valid() says that both answers break the limit. Who asks for the status only does not see it.
# HiGHS is right for all. So is CBC with MiB instead of bytes.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pulp==3.3.2 scipy==1.17.1 numpy==2.4.6
cd "$place"
cat > seen.py <<'PYTHON'
import numpy
import pulp
from scipy.optimize import Bounds, LinearConstraint, milp


def cbc(server, pods):
    problem = pulp.LpProblem("place", pulp.LpMaximize)
    runs = [pulp.LpVariable(f"pod{number}", cat="Binary") for number in range(len(pods))]
    problem += pulp.lpSum(runs)
    problem += pulp.lpSum(pod * run for pod, run in zip(pods, runs)) <= server
    status = pulp.LpStatus[problem.solve(pulp.PULP_CBC_CMD(msg=False))]
    return f"{status}, {sum(run.value() for run in runs):g} run, valid {problem.valid()}"


def highs(server, pods):
    limit = LinearConstraint(numpy.array([pods], float), -numpy.inf, server)
    answer = milp(-numpy.ones(len(pods)), constraints=limit, bounds=Bounds(0, 1), integrality=numpy.ones(len(pods)))
    return f"{sum(answer.x):g} run"


gib = 2**30
for name, server, pods in (
    ("80 GiB and 64 KiB into 80 GiB", 80 * gib, [80 * gib + 2**16]),
    ("twice 40 GiB and 4 KiB into 80 GiB", 80 * gib, [40 * gib + 2**12] * 2),
    ("twice 1 TiB and 64 KiB into 2 TiB", 2048 * gib, [1024 * gib + 2**16] * 2),
    ("40 GiB, and 40 GiB and a byte, into 80 GiB", 80 * gib, [40 * gib, 40 * gib + 1]),
    ("three of 80 GiB, and one with 4 KiB more, into 320 GiB", 320 * gib, [80 * gib] * 3 + [80 * gib + 2**12]),
    ("40960 MiB and 40961 MiB into 81920 MiB", 81920, [40960, 40961]),
):
    print(f"{name}: CBC {cbc(server, pods)}; HiGHS {highs(server, pods)}")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
80 GiB and 64 KiB into 80 GiB: CBC Optimal, 1 run, valid False; HiGHS 0 run
twice 40 GiB and 4 KiB into 80 GiB: CBC Optimal, 2 run, valid False; HiGHS 1 run
twice 1 TiB and 64 KiB into 2 TiB: CBC Optimal, 2 run, valid False; HiGHS 1 run
40 GiB, and 40 GiB and a byte, into 80 GiB: CBC Infeasible, 2 run, valid False; HiGHS 1 run
three of 80 GiB, and one with 4 KiB more, into 320 GiB: CBC Infeasible, 4 run, valid False; HiGHS 3 run
40960 MiB and 40961 MiB into 81920 MiB: CBC Optimal, 1 run, valid True; HiGHS 1 run
SEEN
