"""The part of a run that its metrics cover, by docs/reference/metrics.md."""

import copy

from run_files import nanoseconds


class Window:
    def __init__(self, run, end):
        told = run.summary.get("window") or {}
        self.any_time = end > 0
        self.begin = nanoseconds(str(told.get("from_s") or 0))
        to = told.get("to_s")
        self.to = None if to is None else nanoseconds(str(to))
        self.is_whole = run.summary.get("window") is None
        self.end = max(self.begin, end if self.to is None else min(self.to, end))

    def length(self):
        return self.end - self.begin

    def counts(self, submit):
        return self.begin <= submit and (self.to is None or submit < self.to)

    def of(self, work):
        """The work, reduced to the jobs that count."""
        counted = copy.copy(work)
        counted.groups = {n: g for n, g in work.groups.items() if self.counts(g.submit)}
        counted.pods = [p for p in work.pods
                        if (p.group in counted.groups if p.group else self.counts(p.submit))]
        return counted
