/*
 * berth from C: runs experiments, lets the caller be the scheduler of a run, and answers as one of
 * berth's own schedulers. docs/reference/c.md describes the same calls by task, with examples.
 *
 * Handles: a program does everything through handles. Each has one experiment and one use:
 *          berth_run, or berth_begin and berth_step, or berth_ask. There may be any number of them.
 * Threads: any thread may use a handle, but only one at a time; different threads may use different
 *          handles at once. The library keeps nothing between handles.
 * Forks:   a forked copy of the process can use all handles but those whose run is stepped: there,
 *          their calls return BERTH_OUT_OF_TURN, and berth_close only frees the handle. A copy that
 *          is forked while other threads are in calls of berth must not use those handles at all.
 * Errors:  a call returns BERTH_OK or another status. After one below 0, berth_message says what
 *          is wrong. Unless the call's comment says otherwise, nothing has changed and the handle
 *          can still be used.
 * Memory:  what a call gives out belongs to the handle. It is valid until the time that the call
 *          states, and at the latest until berth_close. What is passed in is copied.
 * Units:   times are nanoseconds of simulated time, from 0 on. Amounts are whole numbers, and
 *          berth_cluster says how many of them make a unit of each resource.
 */
#ifndef BERTH_H
#define BERTH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BERTH_API __attribute__((visibility("default")))
#else
#define BERTH_API
#endif

/* Grows when a program that was compiled with an older header would no longer work. */
#define BERTH_INTERFACE_VERSION 1

/* The status that a call returns. */
enum {
    BERTH_OK = 0,
    BERTH_OVER = 1,           /* berth_step: the run is over, and its files are there */
    BERTH_UNANSWERED = 2,     /* berth_resize: the job hangs and keeps its size */
    BERTH_BAD_INPUT = -1,     /* an experiment or an argument that cannot be used as it is */
    BERTH_BAD_DECISION = -2,  /* a verb that breaks a rule */
    BERTH_OUT_OF_TURN = -3,   /* a call that is not allowed at this point */
    BERTH_FAILED = -4,        /* the machine failed: memory, a disk, a thread */
    BERTH_WRONG_VERSION = -5, /* the library has another interface version than the header */
    BERTH_STOPPED = -6        /* berth_stop ended the run, which has left no files */
};

/* Stands for a time or a number that is not stated. */
#define BERTH_NONE ((int64_t)-1)

typedef struct berth_handle berth_handle;

/* ---- Handles ------------------------------------------------------------------------------- */

/* The interface version of the library that is linked. */
BERTH_API int berth_interface_version(void);
/* The version of berth, such as "0.3.0". */
BERTH_API const char *berth_version(void);

/* Makes a handle. Pass BERTH_INTERFACE_VERSION. If the library has another version, *handle is NULL
 * and the status is BERTH_WRONG_VERSION. */
BERTH_API int berth_open(int interface_version, berth_handle **handle);
/* Ends whatever is under way, without files, and frees the handle. NULL: nothing happens. */
BERTH_API void berth_close(berth_handle *handle);
/* Describes the last call that failed: up to twenty errors of an experiment, a line or more each,
 * as the program prints them. Valid until the next call. */
BERTH_API const char *berth_message(const berth_handle *handle);
/* The place of the first error in that message. Line and column count from 1, the column in bytes.
 * Where the message names no place, both are 0 and the file is "". Valid until the next call. */
BERTH_API int berth_error_place(const berth_handle *handle,
                                const char **file,
                                int *line,
                                int *column);
/* The meaning of a status, in words. Valid forever. */
BERTH_API const char *berth_status_text(int status);

/* ---- The experiment ------------------------------------------------------------------------ */

/* Changes the experiment that is read next, as `berth run --set` does: "spec.seed=7". */
BERTH_API int berth_set(berth_handle *handle, const char *path_and_value);
/* The experiment that is read next may run the code that it names, such as a library of
 * scheduler.batsim. Without this call a run of such an experiment is refused. */
BERTH_API int berth_allow_code(berth_handle *handle);
/* Reads an experiment from a file. */
BERTH_API int berth_read(berth_handle *handle, const char *file);
/* Reads an experiment from YAML or JSON text. Files that it names are relative to the working
 * directory; `name` stands for the file in messages. */
BERTH_API int berth_read_text(berth_handle *handle, const char *text, const char *name);
/* The warning with this number, from 0 on; NULL behind the last one. The warnings are about the
 * experiment and, once a run is over, about the run. Valid until the next call. */
BERTH_API const char *berth_warning(const berth_handle *handle, size_t number);

/* The cluster of an experiment. Servers are numbered in the order of the tree; a row of amounts has
 * a column for each resource. */
typedef struct berth_cluster {
    size_t server_count;
    size_t resource_count;
    const char *const *servers;   /* names */
    const char *const *resources; /* names */
    const int64_t *per_unit;      /* by resource: the amount of one unit, such as 1000 for a core */
    const int64_t *capacity;      /* a row for each server */
} berth_cluster;

/* Valid until berth_close. */
BERTH_API int berth_get_cluster(berth_handle *handle, berth_cluster *cluster);

/* ---- A run --------------------------------------------------------------------------------- */

/* Runs the experiment to its end, in this many threads; 0: one for each CPU. Its files go into
 * `folder`, as `berth run -o` writes them; if `folder` is NULL, they stay in memory. */
BERTH_API int berth_run(berth_handle *handle, const char *folder, unsigned threads);
/* Makes berth_run end soon and return BERTH_STOPPED: the call that is under way, or else the next
 * one. Only this call may come from another thread, or from a signal handler, while berth_run is
 * under way. */
BERTH_API void berth_stop(berth_handle *handle);

/* The mean of a metric over the replications of a run that is over; NaN where the metric has no
 * mean. */
BERTH_API int berth_metric(berth_handle *handle, const char *name, double *mean);
/* The bytes of one of the run's files, such as "jobs.csv". Valid until the next call of this
 * function. */
BERTH_API int berth_file(berth_handle *handle, const char *name, const char **bytes, size_t *size);
/* The name of a file by its number, from 0 on; NULL behind the last one. Valid until
 * berth_close. */
BERTH_API const char *berth_file_name(const berth_handle *handle, size_t number);
/* The SHA-256 of the run's manifest, as 64 hexadecimal digits. The manifest has the SHA-256 of
 * every other file but run.json, so the same experiment and seed give the same digest on any
 * machine. Valid until berth_close. */
BERTH_API int berth_digest(berth_handle *handle, const char **digest);

/* ---- A run whose scheduler is the caller --------------------------------------------------- */

/* How many members of a job run on one server. */
typedef struct berth_place {
    int64_t server;
    int64_t members;
} berth_place;

/* A job that waits or runs, as a scheduler sees it. */
typedef struct berth_job {
    int64_t number; /* counts arrivals from 0 on; no other job of the run has it */
    const char *name;
    const char *user;  /* user, quota and type are "" where they are not stated */
    const char *quota;
    const char *type;
    int64_t priority;
    int preemptible; /* 0: it may not be evicted */
    int group;       /* 0: a single pod */
    int64_t size;    /* how many members it asks for */
    int64_t min_available;
    int64_t submit;        /* the time of its submission */
    int64_t estimate;      /* its expected duration; BERTH_NONE: not stated */
    int64_t start;         /* the time of its last start; BERTH_NONE: it waits */
    const int64_t *demand; /* what one member asks for: a row of amounts */
    const berth_place *places;
    size_t place_count; /* 0: it waits */
} berth_job;

/* What the scheduler sees in its turn. All arrays are valid until the next berth_step or
 * berth_look. */
typedef struct berth_view {
    int64_t now;
    /* What may start on each server now: a row for each server, with zeros for a server that takes
     * no pods. It is kept up to date after each verb of the turn. */
    const int64_t *free;
    const berth_job *waiting; /* in the order in which they began to wait */
    size_t waiting_count;
    const berth_job *running; /* in the order of their starts */
    size_t running_count;
} berth_view;

/* Begins a run in which the caller decides. The experiment has one replication and names the
 * caller: `scheduler: {caller: NAME}`. The files go where those of berth_run do. */
BERTH_API int berth_begin(berth_handle *handle, const char *folder);
/* Goes on to the next turn, which is at the next instant at which something happens, after all of
 * it. The first turn is at time 0. Returns BERTH_OVER at the end of the run; its results are then
 * read with berth_metric and the other calls for a run that is over. A status below 0 is the end of
 * the run, without files. */
BERTH_API int berth_step(berth_handle *handle, berth_view *view);
/* The view of the same turn after the verbs so far. */
BERTH_API int berth_look(berth_handle *handle, berth_view *view);

/* The verbs of a turn. A verb that breaks a rule returns BERTH_BAD_DECISION and does nothing. */

/* A waiting job starts, with its members at these places. */
BERTH_API int berth_start(berth_handle *handle,
                          int64_t job,
                          const berth_place *places,
                          size_t place_count);
/* A running job loses its places and waits again. */
BERTH_API int berth_evict(berth_handle *handle, int64_t job);
/* A waiting group asks for another size (without places), or a running group has its members at
 * these places from now on; a member that stays does not move. Returns BERTH_UNANSWERED where the
 * job hangs on a server that has failed unnoticed. */
BERTH_API int berth_resize(berth_handle *handle,
                           int64_t job,
                           int64_t size,
                           const berth_place *places,
                           size_t place_count);
/* A waiting job is refused for good. A reason of more than 1024 bytes is cut off and ends with
 * `...`. */
BERTH_API int berth_reject(berth_handle *handle, int64_t job, const char *reason);
/* There will be another turn at that time, whatever happens before. */
BERTH_API int berth_wake(berth_handle *handle, int64_t at);

/* ---- berth's schedulers, asked ------------------------------------------------------------- */

/* A job of the caller's own simulator or system. A field that is 0 or NULL is not stated; the job
 * is then a preemptible pod of priority 0. */
typedef struct berth_request {
    const char *name;     /* not stated: the job's number */
    const char *type;     /* one of the experiment's types, which says what a member asks for; or */
    const int64_t *demand; /* what a member asks for: a row of amounts; of nvidia.com/gpu, a part
                              of one GPU or whole GPUs */
    const char *gpu_models; /* where GPUs are shared: "A100|H100" */
    const char *group;      /* a GroupPlacement in YAML or JSON, which states the members' type */
    const char *user;
    const char *quota;
    const char *name_space; /* its Kubernetes namespace, to which a quota may apply */
    int64_t priority;
    int not_preemptible;
    int64_t size;          /* how many members start together; not stated: one pod, or the size in
                              the group's document */
    int64_t min_available; /* how many members are enough to start; not stated: all of them */
    int64_t estimate;      /* its expected duration, by which backfilling plans; not stated: it
                              runs forever */
} berth_request;

/* The kinds of decisions about a job. */
enum {
    BERTH_STARTS = 1,  /* it starts on these places */
    BERTH_EVICTED = 2, /* it loses its places and waits again */
    BERTH_REJECTED = 3 /* it is refused for good, for this reason */
};

typedef struct berth_decision {
    int kind;
    int64_t job; /* its number */
    int64_t at;  /* its time: not before the last berth_decide, and no later than this one */
    const berth_place *places; /* only for BERTH_STARTS */
    size_t place_count;
    const char *reason; /* BERTH_REJECTED; otherwise "" */
} berth_decision;

/* Begins to ask the scheduler of the experiment, which names a cluster and a profile. Nothing may
 * happen in it by itself: it has no workload but background, and no failures, drains, quota
 * changes, model of run times or end. */
BERTH_API int berth_ask(berth_handle *handle);

/* These calls report what has happened since the last berth_decide. It takes effect at the next
 * one. */

/* A job has come. Job numbers count from 0. */
BERTH_API int berth_submit(berth_handle *handle, const berth_request *request, int64_t *job);
/* A running job has ended, or a waiting one is withdrawn. */
BERTH_API int berth_ended(berth_handle *handle, int64_t job);
/* A server has left, with everything that ran on it, or is back. A job that had a member there
 * loses all its places; berth_decide reports each such job. */
BERTH_API int berth_server_changed(berth_handle *handle, int64_t server, int up);

/* Moves the time on to `now`, which is no earlier than before, and gives out what the scheduler has
 * decided since. The caller carries the decisions out in their order. The reports before the call
 * take effect in this order: ends, servers, submissions. May be called again at the same time.
 * Valid until the next call. */
BERTH_API int berth_decide(berth_handle *handle,
                           int64_t now,
                           const berth_decision **decisions,
                           size_t *count);
/* The time at which to call berth_decide even if nothing happens until then; BERTH_NONE: never. */
BERTH_API int berth_next_turn(berth_handle *handle, int64_t *at);

#ifdef __cplusplus
}
#endif

#endif
