#pragma once

/// The text of Python's help() for the classes that schedulers see. _berth.pyi has the same text,
/// for editors.
namespace berth::python {

inline constexpr const char* job_doc =
    R"(A job, as a scheduler sees it. How long it will run is not told.

Attributes:
    name, user, quota, type: as the workload has them.
    priority: the greater, the more important.
    group: whether it is a group of pods.
    size, min_available: how many pods it has, and how few of them may run.
    submit: when it came, in seconds.
    estimate: how long its user says that it runs, in seconds; None if that is not known.
    demand: what one of its pods asks for, by resource, in the amounts of View.free.
    start: of its last start, in seconds; None while it waits.
    placement: (server index, members) while it runs.
    ended: whether it has.)";

inline constexpr const char* server_doc = R"(A server, as a scheduler sees it.

Attributes:
    index: its row in View.free.
    name: as the topology has it.
    path: the names of the nodes above it, from below the root on.
    up: whether it takes pods.)";

inline constexpr const char* view_doc =
    R"(What a scheduler sees of the run, as long as the run calls it. At any other time, a look
at it raises SchedulerError; arrays keep the values that they had.

Attributes:
    now: seconds.
    waiting, running: jobs, in the order in which they came to wait, and of their starts.
    servers: all of them, by index.
    free, capacity: servers x resources, read-only. They follow the cluster; a server that takes
        no pods has nothing free.
    resources, per_unit: the columns' names, and how much of each is a whole core, GPU or byte.
    replication, seed: what is drawn at random is to be drawn from this seed.)";

inline constexpr const char* act_doc =
    R"(The verbs of a scheduler, which it may use while `schedule` runs.

A verb that cannot be carried out raises SchedulerError.

start(job, placement): on [(server index, members), ...], or [server index, ...].
evict(job): a running job waits again.
resize(job, placement): the members of a running group; a number: of one that waits.
reject(job, reason): for good; of a reason, 1024 bytes are kept.
wake(at): another turn at that time, in seconds.)";

inline constexpr const char* pod_doc =
    R"(The pod that a hook is asked about, for as long as it is asked.

Attributes:
    name, user, quota, type, priority: those of its job.
    demand: what it asks for, by resource, in the amounts of ProfileView.free.
    gpus: (how many, thousandths of each, models that it accepts); None without shared GPUs.)";

inline constexpr const char* profile_view_doc =
    R"(What hooks see of the servers, as long as they are asked; else as View.

Attributes:
    now: seconds.
    free, capacity: servers x resources, read-only. They follow the cluster; a server that takes
        no pods has nothing free.
    gpu_free: where GPUs are shared, servers x devices in thousandths, -1 where there is no such
        device; else None.
    gpu_models: where GPUs are shared, the model of each server's GPUs, or None; else None.
    servers: names, by index.
    resources, per_unit: the columns' names, and how much of each is a whole core, GPU or byte.
    replication, seed: what is drawn at random is to be drawn from this seed.)";

}  // namespace berth::python
