"""The servers of a plain run: which are up, and which pods run on them."""
import kueue


class Servers:
    """Servers by name, in the order of the tree, as `servers` of a run describes them; without any, there is room for
    every job, and places do not matter."""

    def __init__(self, run):
        self.all = run.get("servers", {})
        self.down = set()
        self.lying = {}  # jobs on servers, by name

    def is_up(self, server):
        return server not in self.down

    def free(self, server):
        free = {resource: kueue.qty(resource, amount) for resource, amount in self.all[server]["capacity"].items()}
        for job in self.lying.values():
            for resource, amount in job.spec["requests"].items():
                free[resource] -= kueue.qty(resource, amount) * job.lies.get(server, 0)
        return free

    def room(self, server, requests):
        """The number of such pods that fit."""
        if not self.is_up(server):
            return 0
        free = self.free(server)
        return min(free[resource] // kueue.qty(resource, amount) for resource, amount in requests.items())

    def have_room(self, places, requests):
        return all(self.room(server, requests) >= count for server, count in places.items())

    def seek(self, job, labels):
        """Where the profile places a job, on a server with all these labels: a single pod on the first server with
        room; for a group, which has at most one such server, as many members as fit."""
        if not self.all:
            return {}
        chosen = [name for name, server in self.all.items()
                  if all(wanted.items() <= server["labels"].items() for wanted in labels)]
        if job.count > 1 or job.spec["count"] > 1:
            count = min(job.count, self.room(chosen[0], job.spec["requests"])) if chosen else 0
            return {chosen[0]: count} if count >= job.spec["least"] else None
        return next(({name: 1} for name in chosen if self.room(name, job.spec["requests"]) > 0), None)

    def start(self, job, places):
        job.lies = dict(places)
        self.lying[job.name] = job

    def stop(self, job):
        del self.lying[job.name]
        job.lies = None

    def lying_on(self, server):
        return [job for job in self.lying.values() if server in job.lies]
