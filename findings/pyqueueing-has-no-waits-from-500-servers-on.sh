#!/usr/bin/env bash
# No job ever waits for one of 512 GPUs in pyqueueing, even where more work comes than they can do, and a target of
# twenty seconds, as its documentation asks for it, is one of twenty hours.
#
# Seen with pyqueueing 0.1.1, whose ErlangA is a queue of jobs that are cancelled if they wait for too long, beside the
# same sums without a bound:
# - Jobs of an hour come with 117 per cent of what the GPUs can do, and users have patience for four hours on the mean,
#   so one of seven jobs is cancelled. On 400 GPUs 272 jobs wait on the mean. But the sums end at 500 jobs, those that
#   run among them, so no more than 100 may wait: a third of those cancellations is left, and utilization() is 1.11.
#   From 500 GPUs on no job waits, none is cancelled, and utilization() is 1.17. Where there is work for 99 per cent of
#   512 GPUs, MMC of the same package says that jobs wait for nine minutes, and ErlangA that they do not wait.
# - The documentation's own example, with 10 servers and work for 12, has 112 per cent of use, 6.7 per cent of
#   customers that leave, and waits of four, where 16.7 per cent must leave, after waits of ten.
# - Its example for the planner has rates for an hour (100 calls, 12 for each agent), and asks for "80/20", (20, 0.80).
#   That is a wait of up to 20 hours. Nine servers suffice for it, and twelve are needed if 20 / 3600 is given. Columns
#   with 20s in their names, as sl_20s_erla of the staffing table, are for the same 20 units of time.
# - mean_wait_answered(), described as the mean wait of those only that were served, is the mean wait of all, divided
#   by the share of those that were served: with work for 200 per cent, two hours, where 1.38 are right.
# Expected were sums that go on until they change nothing, or an error. Who plans for hundreds of GPUs and for users who
# cancel jobs reads that there are no waits, and that one GPU does more than an hour's work in an hour.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check pyqueueing==0.1.1 numpy==2.4.6 scipy==1.17.1
cd "$place"
cat > seen.py <<'PYTHON'
from pyqueueing import MMC, CallCenterPlanner, ErlangA


def unbounded(rate, served, servers, patience):
    """Utilisation, share of cancelled jobs, mean wait of all and of those that were served, by sums to the end."""
    weights = [1.0]
    at = 0
    while at <= servers or weights[-1] > 1e-18 * max(weights):
        at += 1
        weights.append(weights[-1] * rate / (min(at, servers) * served + max(0, at - servers) * patience))
        if weights[-1] > 1e200:
            weights = [weight * 1e-200 for weight in weights]
    chances = [weight / sum(weights) for weight in weights]
    queue = sum(chance * (at - servers) for at, chance in enumerate(chances) if at > servers)
    share, wait, stays, waits = sum(chances[:servers]), 0.0, 1.0, 0.0
    for before, chance in enumerate(chances[servers:]):
        leave = servers * served + (before + 1) * patience
        stays *= 1 - patience / leave
        waits += 1 / leave
        share += chance * stays
        wait += chance * stays * waits
    return rate * share / servers / served, 1 - share, queue / rate, wait / share


def compare(what, rate, served, servers, patience):
    model = ErlangA(arrival_rate=rate, service_rate=served, servers=servers, patience_rate=patience)
    says = model.utilization(), model.prob_abandon(), model.mean_wait(), model.mean_wait_answered()
    for name, numbers in ("pyqueueing", says), ("expected", unbounded(rate, served, servers, patience)):
        print("{}, {}: busy {:.3f}, cancelled {:.4f}, wait {:.4f}, if served {:.4f}".format(what, name, *numbers))


for servers in (300, 400, 499, 500, 512):
    compare(f"{servers} GPUs, 117 %", servers * 1.17, 1.0, servers, 0.25)
compare("512 GPUs, 99 %", 507.0, 1.0, 512, 0.01)
patient = MMC(arrival_rate=507, service_rate=1, servers=512)
print(f"512 GPUs, 99 %, without cancellation: wait {patient.mean_wait():.4f}")
compare("the documentation's", 120, 10, 10, 1 / 60)
compare("100 GPUs, 200 %", 200, 1, 100, 0.5)
planner = CallCenterPlanner(arrival_rate=100, service_rate=12, patience_rate=1 / 60)
for target in ((20, 0.80), (20 / 3600, 0.80)):
    print(f"{target[1]:.0%} within {target[0] * 3600:.0f} s:", planner.required_agents(target_service_level=target))
print("9 servers within 20s:", {name: round(value, 4) for name, value in planner.staffing_table([9])[0].items()
                                if "20s" in name})
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
300 GPUs, 117 %, pyqueueing: busy 1.027, cancelled 0.1225, wait 0.4899, if served 0.5583
300 GPUs, 117 %, expected: busy 1.000, cancelled 0.1453, wait 0.5812, if served 0.6263
400 GPUs, 117 %, pyqueueing: busy 1.113, cancelled 0.0487, wait 0.1947, if served 0.2046
400 GPUs, 117 %, expected: busy 1.000, cancelled 0.1453, wait 0.5812, if served 0.6268
499 GPUs, 117 %, pyqueueing: busy 1.170, cancelled 0.0001, wait 0.0003, if served 0.0003
499 GPUs, 117 %, expected: busy 1.000, cancelled 0.1453, wait 0.5812, if served 0.6270
500 GPUs, 117 %, pyqueueing: busy 1.170, cancelled 0.0000, wait 0.0000, if served 0.0000
500 GPUs, 117 %, expected: busy 1.000, cancelled 0.1453, wait 0.5812, if served 0.6270
512 GPUs, 117 %, pyqueueing: busy 1.170, cancelled 0.0000, wait 0.0000, if served 0.0000
512 GPUs, 117 %, expected: busy 1.000, cancelled 0.1453, wait 0.5812, if served 0.6270
512 GPUs, 99 %, pyqueueing: busy 0.990, cancelled 0.0000, wait 0.0000, if served 0.0000
512 GPUs, 99 %, expected: busy 0.989, cancelled 0.0011, wait 0.1121, if served 0.1121
512 GPUs, 99 %, without cancellation: wait 0.1503
the documentation's, pyqueueing: busy 1.120, cancelled 0.0668, wait 4.0092, if served 4.2963
the documentation's, expected: busy 1.000, cancelled 0.1667, wait 10.0000, if served 10.9343
100 GPUs, 200 %, pyqueueing: busy 1.000, cancelled 0.5000, wait 1.0000, if served 2.0000
100 GPUs, 200 %, expected: busy 1.000, cancelled 0.5000, wait 1.0000, if served 1.3813
80% within 72000 s: {'erlang_c': 10, 'erlang_a': 9}
80% within 20 s: {'erlang_c': 12, 'erlang_a': 12}
9 servers within 20s: {'sl_20s_erlc': 1.0, 'sl_20s_erla': 0.9985}
SEEN
