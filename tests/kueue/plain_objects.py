"""The present state of Kueue's objects in a plain run."""


class KueueObjects:
    def __init__(self, run):
        self.run = dict(run)

    def specs(self):
        return {spec["name"]: spec for spec in self.run["clusterQueues"]}

    def is_best_effort(self, queue):
        return self.specs()[queue]["strategy"] == "BestEffortFIFO"

    def takes_jobs(self, queue):
        return self.specs()[queue].get("stopPolicy", "None") == "None"

    def local_queues(self):
        return {spec["name"]: spec for spec in self.run.get("localQueues", ())}

    def is_stopped(self, local_queue):
        """Whether a LocalQueue is stopped; there are none if jobs name ClusterQueues."""
        spec = self.local_queues().get(local_queue, {})
        return spec.get("stopPolicy", "None") != "None"

    def with_topology(self):
        return {flavor["name"] for flavor in self.run["flavors"] if flavor.get("topology")}

    def queues_on(self, servers):
        """Queues with a flavor that has a topology and one of these servers, by their labels."""
        placed = {flavor["name"] for flavor in self.run["flavors"] if flavor.get("topology")
                  and any(flavor["nodeLabels"].items() <= server["labels"].items() for server in servers)}
        return [name for name, spec in self.specs().items()
                if any(flavor["name"] in placed for group in spec["groups"] for flavor in group["flavors"])]

    def request_of(self, job):
        """What a job asks of a topology: if its queue has none, the profile deals with its levels."""
        placed = self.with_topology()
        queue = self.specs()[job["cq"]]
        has_any = any(flavor["name"] in placed for group in queue["groups"] for flavor in group["flavors"])
        return {"required" if job["hard"] else "preferred": job["level"]} if has_any and job.get("level") else None

    def labels_of(self, flavors):
        """The labels that servers must have for each of these flavors."""
        return [flavor.get("nodeLabels", {}) for flavor in self.run["flavors"] if flavor["name"] in flavors]

    def cohorts_above(self, spec):
        """The cohorts that contain a ClusterQueue, upwards."""
        parents = {cohort["name"]: cohort["parent"] for cohort in self.run["cohorts"]}
        node = spec["cohort"]
        while node is not None:
            yield node
            node = parents.get(node)

    def tree_of(self, spec):
        """The tree of cohorts that contains a ClusterQueue; a queue without a cohort is a tree of its own."""
        above = list(self.cohorts_above(spec))
        return "cohort " + above[-1] if above else "queue " + spec["name"]

    def root_of(self, queue):
        return self.tree_of(self.specs()[queue])

    def trees_of(self, change):
        """The trees of cohorts that a change of objects concerns, even if a cohort has no queue below."""
        nodes = [spec for spec in self.specs().values() if spec["name"] in
                 {changed["name"] for changed in change.get("clusterQueues", ())}]
        nodes += [{"cohort": spec["name"]} for spec in change.get("cohorts", ())]
        return {self.tree_of(node) for node in nodes}

    def replace(self, change):
        """Lets each object of a change replace the earlier one of its name. Returns the trees that change."""
        touched = self.trees_of(change)
        for kind in ("cohorts", "clusterQueues", "localQueues"):
            new = {spec["name"]: spec for spec in change.get(kind, ())}
            self.run[kind] = [new.pop(spec["name"], spec) for spec in self.run.get(kind, ())] + list(new.values())
        return touched | self.trees_of(change)

    def as_asked(self, queues):
        """The objects in the form that the model of a cycle reads, with the number of changes to each queue's quota."""
        return dict(self.run, clusterQueues=[
            dict(spec, generation=queues[spec["name"]].generation, stopped=not self.takes_jobs(spec["name"]))
            for spec in self.run["clusterQueues"]])
