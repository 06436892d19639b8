"""What the experiment states about a pod or a group by its name: constraints, lifetime, size."""

import re

from cluster import flat
from run_files import duration


class Known:
    """What the source of a job states about it; a field is None if the source does not tell it."""

    def __init__(self):
        self.constraints, self.min_available, self.size = None, None, None
        self.lifetime, self.resizes, self.at = None, [], None
        self.job_class = None


def group_of(entry):
    document = entry.get("document") or entry.get("group") or {}
    spec = document.get("spec", {})
    group = spec.get("group", {})
    name = group.get("name") or document.get("metadata", {}).get("name") or "group"
    return name, group, spec.get("constraints") or []


def constant(service):
    if isinstance(service, dict) and service.get("distribution") == "constant":
        return duration(service["value"])
    return None


class Workload:
    """Jobs by name. A name that two sources may have given belongs to neither."""

    def __init__(self, run):
        self.exact, self.numbered = {}, {}
        self.others = None  # the jobs of traces, about which nothing is stated
        for source in flat(run.experiment.get("workload") or []):
            for entry in source.get("groups") or []:
                self.add_group(entry)
            for entry in source.get("pods") or []:
                self.add_pods(entry)
            if "trace" in source or "running" in source:
                self.others = Known()
            if "generate" in source:
                self.add_generated(source["generate"])

    def put(self, table, name, known):
        table[name] = None if name in table else known

    def add_group(self, entry):
        name, group, constraints = group_of(entry)
        known = Known()
        known.constraints = constraints
        known.size = int(entry.get("size", group.get("size", 0)))
        known.min_available = int(entry.get("minAvailable", group.get("minAvailable", known.size)))
        known.lifetime = duration(entry["lifetime"]) if "lifetime" in entry else None
        known.resizes = sorted(((duration(r["at"]), int(r["size"]))
                                for r in entry.get("resize", [])), key=lambda resize: resize[0])
        known.job_class = entry.get("class")
        self.put(self.exact, entry.get("name", name), known)

    def add_pods(self, entry):
        known = Known()
        known.lifetime = duration(entry["lifetime"]) if "lifetime" in entry else None
        known.job_class = entry.get("class")
        table = self.numbered if int(entry.get("count", 1)) > 1 else self.exact
        self.put(table, entry.get("name", "pod"), known)

    def add_generated(self, source):
        for entry in source.get("mix") or [source]:
            service = constant(entry.get("service") or source.get("service"))
            known = Known()
            known.lifetime, known.job_class = service, entry.get("class") or source.get("class")
            name = entry.get("name") or source.get("name")
            if "group" in entry:
                name, group, known.constraints = group_of(entry)
                known.size = int(group.get("size", 0))
                known.min_available = int(group.get("minAvailable", known.size))
            if name:
                self.put(self.numbered, name, known)

    def of(self, name):
        if name in self.exact:
            return self.exact[name]
        return self.numbered.get(re.sub(r"-\d+$", "", name), self.others)
