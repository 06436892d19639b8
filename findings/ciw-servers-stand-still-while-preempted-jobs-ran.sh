#!/usr/bin/env bash
# A GPU that was never free for thirty hours was busy for half of them in Ciw, as the work of a job that makes room for
# an urgent one does not count as use of the server.
#
# Seen with ciw 3.2.7, a simulator of queues with priorities, preemption and shifts, beside its own records:
# - A training that needs 40 hours is on the one server from the start, and from the second hour on an urgent job of an
#   hour comes every two hours. The server has work at each moment. Without preemption its server_utilisation is 1. With
#   "resume", by which the training goes on where it was, it is 0.5, and 0.5 with "restart" and "resample", too. The
#   records of the same run, from service_start_date to exit_date, have all thirty hours.
# - It is the same where a server goes off duty, and "resume" is asked for in its schedule: a job that ran for five of
#   six hours, and for five after the pause, counts as five of 22 hours.
# - An interrupted job leaves the server with an exit_date and a service_start_date that are both False by then, and
#   their difference, 0, is added to busy_time. total_time goes on, so all that was done before is idle time.
# - The documentation says of records of interrupted services that exit_date less arrival_date is "the amount of time
#   that customer spent in service before being interrupted". That is with what it waited: a job that came at 1.5,
#   began at 2 and was interrupted at 3 has one and a half hours, of which it ran for one.
# Preemption so seems to cost half of a cluster. One who compares schedulers by the use of GPUs finds that preemption
# makes it worse, and with "resume", by which nothing is lost, as bad as with "restart", by which all is.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check ciw==3.2.7 networkx==3.6.1 numpy==2.4.6 tqdm==4.70.1
cd "$place"
cat > seen.py <<'PYTHON'
import ciw

NEVER = float("inf")


def hours(records):
    """The time that jobs were on a server, by what the records say."""
    return sum(record.exit_date - record.service_start_date for record in records)


def ran(name, until, **network):
    ciw.seed(1)
    simulation = ciw.Simulation(ciw.create_network(**network))
    simulation.simulate_until_max_time(until)
    node = simulation.transitive_nodes[0]
    on_server = [job for job in node.all_individuals if job.server]
    by_records = hours(simulation.get_all_records()) + sum(until - job.service_start_date for job in on_server)
    there = sum(node.all_servers_total)
    busy = f"server_utilisation {node.server_utilisation:.3f}, hours {sum(node.all_servers_busy):g} of {there:g}"
    print(f"{name}: {busy}; by the records {by_records:g}")
    return simulation


for preemption in (False, "resume", "restart", "resample"):
    ran(f"priorities, {preemption}", 30.0,
        arrival_distributions={"urgent": [ciw.dists.Sequential([2.0] * 14 + [NEVER])],
                               "training": [ciw.dists.Sequential([0.0, NEVER])]},
        service_distributions={"urgent": [ciw.dists.Deterministic(1.0)], "training": [ciw.dists.Deterministic(40.0)]},
        priority_classes=({"urgent": 0, "training": 1}, [preemption]), number_of_servers=[1])
for preemption in (False, "resume"):
    shifts = ciw.Schedule(numbers_of_servers=[1, 0, 1], shift_end_dates=[6.0, 8.0, 24.0], preemption=preemption)
    ran(f"shifts, {preemption}", 24.0, arrival_distributions=[ciw.dists.Sequential([1.0, NEVER])],
        service_distributions=[ciw.dists.Deterministic(10.0)], number_of_servers=[shifts])
waited = ran("waited first, resume", 24.0,
             arrival_distributions={"urgent": [ciw.dists.Sequential([1.0, 2.0, NEVER])],
                                    "training": [ciw.dists.Sequential([1.5, NEVER])]},
             service_distributions={"urgent": [ciw.dists.Deterministic(1.0)],
                                    "training": [ciw.dists.Deterministic(4.0)]},
             priority_classes=({"urgent": 0, "training": 1}, ["resume"]), number_of_servers=[1])
for record in waited.get_all_records(only=["interrupted service"]):
    came, began, ended = record.arrival_date, record.service_start_date, record.exit_date
    print(f"interrupted at {ended:g}: came at {came:g}, began at {began:g}")
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
priorities, False: server_utilisation 1.000, hours 30 of 30; by the records 30
priorities, resume: server_utilisation 0.500, hours 15 of 30; by the records 30
priorities, restart: server_utilisation 0.500, hours 15 of 30; by the records 30
priorities, resample: server_utilisation 0.500, hours 15 of 30; by the records 30
shifts, False: server_utilisation 0.370, hours 10 of 27; by the records 10
shifts, resume: server_utilisation 0.227, hours 5 of 22; by the records 10
waited first, resume: server_utilisation 0.208, hours 5 of 24; by the records 6
interrupted at 3: came at 1.5, began at 2
SEEN
