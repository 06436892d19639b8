"""The jobs that wait for the quota of one ClusterQueue in a plain run."""


class Queue:
    """The jobs that wait for a ClusterQueue: in its heap, or parked until something is given back."""

    def __init__(self):
        self.heap, self.parked, self.parked_hashes = {}, {}, set()
        self.preemptor = None
        self.generation = 1

    def arrive(self, job):
        (self.parked if job.hash() in self.parked_hashes else self.heap)[job.name] = job

    def leave(self, job):
        self.heap.pop(job.name, None)
        self.parked.pop(job.name, None)
        if self.preemptor == job.name:
            self.preemptor = None

    def waiting(self):
        return [*self.heap.values(), *self.parked.values()]

    def park(self, job, with_equals):
        self.parked[job.name] = job
        if with_equals:
            self.parked_hashes.add(job.hash())
            for other in [one for one in self.heap.values() if one.hash() == job.hash()]:
                self.parked[other.name] = self.heap.pop(other.name)

    def retry(self):
        self.parked_hashes.clear()
        self.heap.update(self.parked)
        self.parked.clear()
