"""Metrics that cannot be recomputed from the tables of a run directory, each with the reason."""

import fnmatch

UNTOLD = (
    ("placement_wait_s_*", "when a job had all its places is in no file, where it lost them again"),
    ("members_attainable", "the exact solver's answer at the group's last attempt is not written"),
    ("*_used_attainable", "the exact solver's answer at the group's start is not written"),
    ("resizes_refused", "no table has a row for a change of size"),
    ("*over_use_s", "no table has the instants at which runtimes are refreshed"),
    ("frag_*", "the typical pods that a fragment is measured by are not written"),
    ("q?_*_pct_of_total", "as frag_*"), ("x?_*_pct_of_total", "as frag_*"),
    ("no_access_pct_of_total", "as frag_*"),
    ("gpu_*_pct_at_*", "as frag_*: they are of the samples of a run that measures fragments"),
    ("pods_without_candidate", "whether some server had the amounts is not written"),
    ("trace_rows_skipped", "the trace is not in the run directory"),
    ("same_*", "where pods were evicted, the devices that they had before are not written"),
    ("nic_beside*", "as same_*"), ("pods_with_devices_together", "as same_*"),
    ("free_gpus_broken", "as same_*; and the devices that the background has are not written"),
    ("shared_*_utilization", "as same_*, of providers"),
    ("availability_*", "a node whose servers were all left out is in no table"),
    ("interruptions[[]*", "of a window, no table says for which cause a job was interrupted"),
    ("gpu_time_idle_*", "they follow from what the scheduler tried; gpu_time.csv has their sums, "
                        "which are checked to be all of the time"),
    ("gpu_time_redone", "where the slow-down of a job is not told, nor is what it did"),
    ("gpu_time_checkpoint", "as gpu_time_redone"), ("gpu_time_restart", "as gpu_time_redone"),
    ("gpu_time_hung", "as gpu_time_redone"),
    ("gpu_time_drained", "of a window, as gpu_time_idle_*; at least what was away is checked"),
    ("goodput", "as gpu_time_redone, or as gpu_time_allocated"),
    ("goodput[[]*", "as gpu_time_redone"), ("recovery_s_*", "as gpu_time_redone"),
    ("interruptions_unrecovered", "as gpu_time_redone"),
)

# If the background is random, nodes.csv only has that of replication 0.
UNTOLD_BACKGROUND = (
    "*_utilization", "*_stranded", "*_utilization_min", "*_utilization_max",
    "quota/koordinator-system-quota/*", "gpu_allocated_pct",
    "gpu_time_allocated", "gpu_time_spare",
)

# If quotas are created, deleted or moved, no table says which quota a pod belonged to at each moment; and trees with
# totals of their own are not recomputed.
UNTOLD_QUOTAS = ("jain_*", "min_violation_s", "quota/*")


def is_untold(metric, with_background, with_quotas=True):
    patterns = [pattern for pattern, _ in UNTOLD]
    patterns += [] if with_quotas else UNTOLD_QUOTAS
    patterns += [] if with_background else UNTOLD_BACKGROUND
    return any(fnmatch.fnmatchcase(metric, pattern) for pattern in patterns)
