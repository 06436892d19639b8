"""A run under Kueue's objects, computed plainly: queues, cycles one after the other, retries, ends.

The models make the decisions of one cycle (kueue.py and kueue_tas.py must be importable); everything between cycles is
written here, only from the description of Kueue's behaviour. A cycle takes no time. At an instant, ends come first,
then servers that fail or come back, then changes of Kueue's objects, then arrivals; then cycles follow each other until
nothing more can come of them. Then come jobs to be offered again at that instant, and jobs that have waited for their
pods too long, and cycles follow again; last, the profile seeks places. If LocalQueues go by usage, samples of it come
before all that; see do_instant().
"""

from plain_cycles import Cycles, Endless
from plain_job import Job

RETRY_AFTER = 1000  # ms
# Limits for one job: jobs that preempt each other this often do so forever; berth then lets cycles rest, and gives jobs
# up.
MOST_PREEMPTIONS_AT_ONCE, MOST_PREEMPTIONS = 10, 100
READY = {"timeout": 1_800_000, "backoff": 60, "most": 3600, "limit": None}


class PlainRun(Cycles):
    def __init__(self, run):
        super().__init__(run)
        self.grace = run.get("grace", 0)
        self.write_time = run.get("latency", {}).get("admit", 0)
        self.retry_after = run.get("latency", {}).get("retry", RETRY_AFTER)
        self.written = 0  # time of the last admission
        self.ready = {**READY, **run.get("podsReady", {})}
        self.turns = 0
        arriving = sorted(run["jobs"], key=lambda job: job["at"])
        self.jobs = {spec["name"]: Job(spec, uid, self.objects.request_of(spec)) for uid, spec in enumerate(arriving)}
        self.arriving = list(self.jobs.values())
        self.failures = sorted(run.get("failures", ()), key=lambda failure: failure["at"])
        self.changes = sorted(run.get("changes", ()), key=lambda change: change["at"])
        self.starting = []  # jobs that have places without room there yet
        self.seeking = []  # jobs for which the profile seeks places
        self.tasks = {}  # times of tasks by kind and object: see do_what_is_due()
        self.preempted_then = {}
        self.moves = 0      # number of starts, stops, and changes of servers

    def offer_later(self, root):
        """Offers the jobs parked in a tree again a little later."""
        self.tasks.setdefault(("retry", root), self.now + self.retry_after)

    def release(self, job):
        """Frees the quota and the places of a job."""
        if job in self.starting:
            self.starting.remove(job)
        if job in self.seeking:
            self.seeking.remove(job)
        self.tasks.pop(("time out", job.name), None)
        self.tasks.pop(("written", job.name), None)
        job.lose_quota()
        self.queues[job.cq].generation += 1
        self.offer_later(self.objects.root_of(job.cq))
        self.happened = True

    # Running jobs.

    def await_pods(self, job):
        job.awaited_since = self.moves
        if self.ready["timeout"] is not None:
            self.tasks[("time out", job.name)] = self.now + self.ready["timeout"]

    def next_turn(self, job):
        self.turns += 1
        job.turn = self.turns

    def start(self, job, places):
        self.moves += 1
        self.tasks.pop(("time out", job.name), None)
        self.servers.start(job, places)
        job.started, job.ends, job.leaves = self.now, self.now + job.spec["lifetime"], None

    def stop(self, job, how):
        self.moves += 1
        job.stints.append([job.started, self.now, how, job.lies])
        if job.placed_on is None:  # its servers become free for others, although no places were given back
            for queue in self.objects.queues_on([self.servers.all[server] for server in job.lies]):
                self.offer_later(self.objects.root_of(queue))
                self.happened = True
        self.servers.stop(job)
        job.started = job.ends = job.leaves = None

    def start_placed(self):
        """Starts jobs at their places once earlier jobs have left these."""
        for job in list(self.starting):
            if ("written", job.name) not in self.tasks and self.servers.have_room(job.places, job.spec["requests"]):
                self.starting.remove(job)
                self.start(job, job.places)

    def seek_places(self):
        for job in sorted(self.seeking, key=lambda job: job.turn):
            places = self.servers.seek(job, self.objects.labels_of(job.flavors.values()))
            if places is not None:
                self.seeking.remove(job)
                self.start(job, places)

    # Events.

    def leave(self, job, cause):
        """The job's pods stop, and it waits again."""
        self.stop(job, cause)
        self.next_turn(job)
        if job.evicted is not None or job.placed_on is not None:
            self.release(job)
            if job.evicted is None:
                job.evicted = {"reason": "NodeFailures", "time": self.now // 1000}
            self.wait(job)
        else:
            self.seeking.append(job)  # it keeps its quota
            self.await_pods(job)

    def preempt(self, name, reason):
        """Preempts a job. Returns whether it was not already leaving."""
        job = self.jobs[name]
        if not job.holds or job.evicted is not None:
            return False
        self.count_preemption(job)
        job.evicted = {"reason": "Preempted", "time": self.now // 1000}
        job.preempted = {"reason": reason, "time": self.now // 1000}
        self.send_away(job, "preempted")
        return True

    def send_away(self, job, cause):
        """Takes a job's quota away, after its pods have had their grace period."""
        self.queues[job.cq].generation += 1
        if not job.runs:
            self.release(job)
            self.wait(job)
        elif self.grace == 0:
            self.leave(job, cause)
        elif job.ends > self.now + self.grace:
            job.leaves, job.leaves_for = self.now + self.grace, cause

    def count_preemption(self, job):
        job.preemptions += 1
        times = self.preempted_then.get((self.now, job.name), 0) + 1
        self.preempted_then = {(now, name): n for (now, name), n in self.preempted_then.items() if now == self.now}
        self.preempted_then[(self.now, job.name)] = times
        if times >= MOST_PREEMPTIONS_AT_ONCE or job.preemptions >= MOST_PREEMPTIONS:
            raise Endless

    def admit(self, entry):
        job, queue = self.jobs[entry.w.name], self.queues[entry.w.cq]
        pod_set = entry.a.podsets[0]
        job.count = pod_set["count"]
        job.flavors = {resource: flavor["name"] for resource, flavor in pod_set["flavors"].items()}
        job.usage = {resource: used for (_, resource), used in entry.a.usage.items()}
        job.places, job.placed_on = entry.a.places, entry.a.placed_on
        job.reserved = self.now // 1000
        job.evicted = job.preempted = job.memory = None
        if queue.preemptor == job.name:
            queue.preemptor = None
        self.sharing.admit(job, self.now, self.holders())
        if job.placed_on is not None:
            self.starting.append(job)
        if self.write_time:
            self.written = max(self.written, self.now) + self.write_time
            self.tasks[("written", job.name)] = self.written
        else:
            self.create_pods(job)

    def create_pods(self, job):
        self.await_pods(job)
        if job.placed_on is None:
            self.seeking.append(job)

    def time_out(self, job):
        """A job's pods were not ready in time: it waits for a while, longer each time."""
        self.release(job)
        job.evicted = {"reason": "PodsReadyTimeout", "time": self.now // 1000}
        too_often = self.ready["limit"] is not None and job.timeouts + 1 > self.ready["limit"]
        # This would continue forever; Kueue does not end it, but berth does.
        nothing_comes = not self.servers.lying and not self.servers.down and not self.changes
        in_vain = nothing_comes and job.awaited_since == self.moves
        if too_often or in_vain:
            job.outcome = "dropped"
            return
        pause = min(self.ready["backoff"] * 2**job.timeouts, self.ready["most"])
        job.timeouts += 1
        self.tasks[("offer", job.name)] = self.now + 1000 * pause

    def drain(self, job, stopped):
        """A job with quota of a drained queue loses it, and waits until the queue takes jobs again."""
        if job.holds and job.evicted is None:
            job.evicted = {"reason": stopped, "time": self.now // 1000}
            self.send_away(job, "revoked")

    def change_local_queues(self):
        """Jobs that wait in stopped LocalQueues leave the ClusterQueue, and enter it anew once these are resumed."""
        for queue in self.queues.values():
            for job in queue.waiting():
                if self.objects.is_stopped(job.spec.get("lq")):
                    queue.leave(job)
                    job.memory = None
                    self.held_back[job.name] = job
        for job in [job for job in self.held_back.values() if not self.objects.is_stopped(job.spec["lq"])]:
            del self.held_back[job.name]
            self.wait(job)
        self.sharing.weigh(self.objects.local_queues())

    def change_objects(self):
        due = [change for change in self.changes if change["at"] == self.now]
        self.changes = self.changes[len(due) :]
        for change in due:
            touched = self.objects.replace(change)
            for name, queue in self.queues.items():
                if self.objects.root_of(name) in touched:
                    queue.generation += 1
            for root in sorted(touched):
                self.offer_later(root)
            self.change_local_queues()
            drained = {
                kind: {spec["name"] for spec in change.get(kind, ()) if spec.get("stopPolicy") == "HoldAndDrain"}
                for kind in ("clusterQueues", "localQueues")
            }
            for job in self.jobs.values():
                if job.cq in drained["clusterQueues"]:
                    self.drain(job, "ClusterQueueStopped")
                elif job.spec.get("lq") in drained["localQueues"]:
                    self.drain(job, "LocalQueueStopped")
            self.happened = True

    # Instants.

    def next_instant(self):
        times = list(self.tasks.values())
        for job in self.servers.lying.values():
            times.append(job.ends if job.leaves is None else job.leaves)
        times += [job.spec["at"] for job in self.arriving[:1]]
        times += [event["at"] for event in self.failures[:1] + self.changes[:1]]
        sample = self.sharing.next_sample([queue.heap.values() for queue in self.queues.values()])
        if sample is not None and self.holders():
            times.append(sample)
        return min(times, default=None)

    def end(self):
        """Handles ends and stops of this instant."""
        due = [
            job for job in self.servers.lying.values() if self.now == (job.ends if job.leaves is None else job.leaves)
        ]
        for job in due:
            if job.leaves is None:
                self.stop(job, "finished")
                self.release(job)
                job.outcome = "finished"
            else:
                self.leave(job, job.leaves_for)
            self.start_placed()

    def change_servers(self):
        due = [event for event in self.failures if event["at"] == self.now]
        self.failures = self.failures[len(due) :]
        before = set(self.servers.down)
        for event in due:
            if event["event"] == "repair":
                self.servers.down.discard(event["node"])
            elif self.servers.is_up(event["node"]):
                self.fail(event["node"])
            self.start_placed()
        self.moves += before != self.servers.down
        if before != self.servers.down and self.objects.with_topology():
            self.happened = True  # jobs that found no places may find some
            for name in self.queues:
                self.offer_later(self.objects.root_of(name))

    def fail(self, server):
        self.servers.down.add(server)
        for job in sorted(self.servers.lying_on(server), key=lambda job: job.uid):
            self.leave(job, "node-failed")
        for job in [job for job in self.starting if server in job.places]:
            self.release(job)
            job.evicted = {"reason": "NodeFailures", "time": self.now // 1000}
            self.wait(job)

    def arrive(self):
        arrived = [job for job in self.arriving if job.spec["at"] == self.now]
        self.arriving = self.arriving[len(arrived) :]
        for job in arrived:
            self.next_turn(job)
            self.wait(job)

    def do_what_is_due(self):
        """Handles retries of trees, jobs to be offered again, jobs whose admission is written, and jobs that time
        out."""
        due = sorted(
            (key for key, time in self.tasks.items() if time == self.now),
            key=lambda key: ("retry", "offer", "written", "time out").index(key[0]),
        )
        for kind, of in due:
            del self.tasks[(kind, of)]
            if kind == "retry":
                self.retry(of)
            elif kind == "offer":
                self.wait(self.jobs[of])
            elif kind == "written":
                self.create_pods(self.jobs[of])
                self.start_placed()
            else:
                self.time_out(self.jobs[of])

    def retry(self, root):
        for name, queue in self.queues.items():
            if self.objects.root_of(name) == root:
                queue.retry()
        self.happened = True

    def do_instant(self):
        """Handles everything that happens now. If usage changes which jobs are first, and nothing else has caused a
        cycle, this does."""
        first, cycle = self.first(), self.cycle
        self.sharing.sample(self.now, self.holders())
        turned = first != self.first()
        for happens in (
            self.end,
            self.change_servers,
            self.change_objects,
            self.arrive,
            self.settle,
            self.do_what_is_due,
            self.settle,
            self.seek_places,
        ):
            happens()
        if turned and self.cycle == cycle:
            self.happened = True
            self.settle()
            self.seek_places()

    def outcome(self):
        while (instant := self.next_instant()) is not None:
            self.now = instant
            self.do_instant()
        return {job.name: job.told() for job in self.jobs.values()}
