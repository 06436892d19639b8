#!/usr/bin/env bash
# A queue of queueing-tool whose eight servers are reduced to one, and brought back before the running jobs have ended,
# has fifteen jobs in service at once, so that pauses for maintenance make the waits shorter.
#
# Seen with queueing-tool 1.2.5 (numpy 1.26.4, networkx 2.8.8), a simulator of networks of queues, whose
# set_num_servers() changes the number of servers of a queue, for forty jobs of ten hours each:
# - A smaller number lets the running jobs end, as a drain does: eight run, and one may. A larger number starts as many
#   waiting jobs as servers were added, 8 - 1 = 7, however many servers are free, and none is: 15 run on 8. Three more
#   such pauses let 36 jobs run.
# - So forty jobs, which need 50 hours on eight servers, are done after 21 with four pauses, and their mean wait falls
#   from 19.7 hours to 13.2 with one pause and to 1.2 with four. The records have starts and ends accordingly.
# - A job that comes in the moment in which the only server's job ends is lost in a LossQueue, as arrivals come first
#   where times are equal. Of ten jobs of an hour each, which come each hour, five are lost, and none if a job lasts a
#   second less. Lost jobs are in fetch_data() with a start of service at 0, so the mean wait is minus three hours.
# Expected were as many starts as servers are free, and a server for each job that comes when the last one has left.
# One who asks what drains, autoscaling or a bought server do to waits gets a cluster that grows by being drained, and
# traces in whole minutes or seconds, in which ends and arrivals often meet, lose jobs that had a free server.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet --disable-pip-version-check queueing-tool==1.2.5 numpy==1.26.4 networkx==2.8.8
cd "$place"
cat > seen.py <<'PYTHON'
import numpy
import queueing_tool


def at(times):
    """Arrivals at these times, as the library asks for them."""
    left = iter(times)
    return lambda now: next(left, float("inf"))


def forty_jobs(pauses):
    """Forty jobs come within 40 minutes, and then all but one server are away for a moment, once or more often."""
    queue = queueing_tool.QueueServer(
        8, arrival_f=at([job / 60 for job in range(1, 41)]), service_f=lambda now: now + 10.0, seed=1)
    queue.collect_data = True
    queue.set_active()
    queue.simulate(n=40)
    running = []
    for _ in range(pauses):
        for servers in (1, 8):
            queue.set_num_servers(servers)
            running.append(f"{queue.num_system - queue.number_queued()}/{servers}")
    queue.simulate(t=100)
    came, began, ended = queue.fetch_data()[:, :3].T
    most = max(int(((began <= moment) & (ended > moment)).sum()) for moment in began)
    print(f"jobs/servers {' '.join(running) or 'the same'}: at most {most} at once, "
          f"mean wait {(began - came).mean():.1f} h, done after {ended.max():.1f} h")


def each_hour(kind, lasts):
    queue = kind(num_servers=1, arrival_f=at(range(1, 11)), service_f=lambda now: now + lasts, seed=1)
    queue.collect_data = True
    queue.set_active()
    queue.simulate(t=50)
    data = queue.fetch_data()
    lost = getattr(queue, "num_blocked", 0)
    print(f"{kind.__name__}, jobs of {lasts * 3600:.0f} s each 3600 s: {queue.num_departures} ran, {lost} lost, "
          f"mean wait {numpy.mean(data[:, 1] - data[:, 0]):g} h")


for pauses in range(5):
    forty_jobs(pauses)
for kind in (queueing_tool.LossQueue, queueing_tool.QueueServer):
    for lasts in (1.0, 3599 / 3600):
        each_hour(kind, lasts)
PYTHON
venv/bin/python seen.py | tee seen
diff - seen <<'SEEN'
jobs/servers the same: at most 8 at once, mean wait 19.7 h, done after 50.1 h
jobs/servers 8/1 15/8: at most 15 at once, mean wait 13.2 h, done after 50.1 h
jobs/servers 8/1 15/8 15/1 22/8: at most 22 at once, mean wait 7.7 h, done after 40.7 h
jobs/servers 8/1 15/8 15/1 22/8 22/1 29/8: at most 29 at once, mean wait 3.7 h, done after 30.7 h
jobs/servers 8/1 15/8 15/1 22/8 22/1 29/8 29/1 36/8: at most 36 at once, mean wait 1.2 h, done after 20.7 h
LossQueue, jobs of 3600 s each 3600 s: 5 ran, 5 lost, mean wait -3 h
LossQueue, jobs of 3599 s each 3600 s: 10 ran, 0 lost, mean wait 0 h
QueueServer, jobs of 3600 s each 3600 s: 10 ran, 0 lost, mean wait 0 h
QueueServer, jobs of 3599 s each 3600 s: 10 ran, 0 lost, mean wait 0 h
SEEN
