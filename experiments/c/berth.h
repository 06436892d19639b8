/*
 * berth from C: runs experiments, lets the caller be the scheduler of a run, and answers as one of
 * berth's own schedulers. docs/reference/c.md has the same by task, with examples.
 *
 * Handles: all that a program does goes by handles. Each has one experiment and one use: berth_run,
 *          or berth_begin and berth_step, or berth_ask. There may be any number of them.
 * Threads: a handle is used by one thread at a time, any; different handles by different threads at
 *          once. The library keeps nothing between handles.
 * Errors:  a call returns BERTH_OK or another status. After one below 0, berth_message says what
 *          is wrong; unless it says otherwise, nothing has changed and the handle can be used on.
 * Memory:  what a call gives out belongs to the handle. It is valid until the time that the call
 *          states, and at the latest until berth_close. What is passed in is copied.
 * Units:   times are nanoseconds of simulated time, from 0 on; amounts are whole numbers of which
 *          berth_cluster says how many make a unit of each resource.
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

/* What calls return. */
enum {
    BERTH_OK = 0,
    BERTH_OVER = 1,           /* berth_step: the run is over, and its files are there */
    BERTH_UNANSWERED = 2,     /* berth_resize: the job hangs, and keeps its size */
    BERTH_BAD_INPUT = -1,     /* an experiment or an argument that cannot be used as it is */
    BERTH_BAD_DECISION = -2,  /* a verb that breaks a rule */
    BERTH_OUT_OF_TURN = -3,   /* a call that has no place now */
    BERTH_FAILED = -4,        /* the machine failed: memory, a disk, a thread */
    BERTH_WRONG_VERSION = -5, /* the library has another interface than the header */
    BERTH_STOPPED = -6        /* berth_stop ended the run; it has left nothing */
};

/* Stands for a time or a number that is not stated. */
#define BERTH_NONE ((int64_t)-1)

typedef struct berth_handle berth_handle;

/* ---- Handles ------------------------------------------------------------------------------- */

/* The interface version of the library that is linked. */
BERTH_API int berth_interface_version(void);
/* The version of berth, such as "0.3.0". */
BERTH_API const char *berth_version(void);

/* Makes a handle. Pass BERTH_INTERFACE_VERSION; where the library has another one, *handle is NULL
 * and the status BERTH_WRONG_VERSION. */
BERTH_API int berth_open(int interface_version, berth_handle **handle);
/* Ends whatever is under way, without files, and frees the handle. NULL: nothing happens. */
BERTH_API void berth_close(berth_handle *handle);
/* What was wrong with the last call that failed: up to twenty errors of an experiment, a line or
 * more each, as the program prints them. Valid until the next call. */
BERTH_API const char *berth_message(const berth_handle *handle);
/* Where the first error of that message is. Line and column count from 1, the column in bytes; they
 * are 0, and the file "", where the message names no place. Valid until the next call. */
BERTH_API int berth_error_place(const berth_handle *handle,
                                const char **file,
                                int *line,
                                int *column);
/* What a status means, in words. Valid for ever. */
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
/* The warnings about the experiment, and, once a run is over, about the run: the one with this
 * number, from 0 on; NULL behind the last one. Valid until the next call. */
BERTH_API const char *berth_warning(const berth_handle *handle, size_t number);

/* The cluster of an experiment. Servers are numbered in the order of the tree; a row of amounts has
 * a column for each resource. */
typedef struct berth_cluster {
    size_t server_count;
    size_t resource_count;
    const char *const *servers;   /* names */
    const char *const *resources; /* names */
    const int64_t *per_unit;      /* by resource: how much is one, such as 1000 for a core */
    const int64_t *capacity;      /* a row for each server */
} berth_cluster;

/* Valid until berth_close. */
BERTH_API int berth_get_cluster(berth_handle *handle, berth_cluster *cluster);

/* ---- A run --------------------------------------------------------------------------------- */

/* Runs the experiment to its end, in so many threads; 0: one for each CPU. Its files go into
 * `folder`, as `berth run -o` writes them, or stay in memory where that is NULL. */
BERTH_API int berth_run(berth_handle *handle, const char *folder, unsigned threads);
/* Ends berth_run soon, or the next one, which then returns BERTH_STOPPED. The one call that may come from another
 * thread, or from a signal handler, while berth_run is under way. */
BERTH_API void berth_stop(berth_handle *handle);

/* Of a run that is over: the mean of a metric over the replications; not a number where it has
 * none. */
BERTH_API int berth_metric(berth_handle *handle, const char *name, double *mean);
/* The bytes of one of its files, such as "jobs.csv". Valid until the next call of this function. */
BERTH_API int berth_file(berth_handle *handle, const char *name, const char **bytes, size_t *size);
/* The name of a file by its number, from 0 on; NULL behind the last one. Valid until
 * berth_close. */
BERTH_API const char *berth_file_name(const berth_handle *handle, size_t number);
/* The SHA-256 of the manifest, in 64 letters, which has that of every other file but run.json: the
 * same experiment and seed have the same one on any machine. Valid until berth_close. */
BERTH_API int berth_digest(berth_handle *handle, const char **digest);

/* ---- A run whose scheduler is the caller --------------------------------------------------- */

/* So many members of a job on one server. */
typedef struct berth_place {
    int64_t server;
    int64_t members;
} berth_place;

/* A job that waits or runs, as a scheduler sees it. */
typedef struct berth_job {
    int64_t number; /* of its arrival, from 0 on; no other job of the run has it */
    const char *name;
    const char *user;  /* "" where it is not stated; so are quota and type */
    const char *quota;
    const char *type;
    int64_t priority;
    int preemptible; /* 0: it may not be evicted */
    int group;       /* 0: a single pod */
    int64_t size;    /* members that it asks for */
    int64_t min_available;
    int64_t submit;        /* time */
    int64_t estimate;      /* of its duration; BERTH_NONE: not stated */
    int64_t start;         /* its last start; BERTH_NONE: it waits */
    const int64_t *demand; /* of one member: a row of amounts */
    const berth_place *places;
    size_t place_count; /* 0: it waits */
} berth_job;

/* What the scheduler sees in its turn. All arrays are valid until the next berth_step or
 * berth_look. */
typedef struct berth_view {
    int64_t now;
    /* What may start on each server now: a row for each server, zeros for one that takes nothing.
     * It follows the verbs of the turn. */
    const int64_t *free;
    const berth_job *waiting; /* in the order in which they came to wait */
    size_t waiting_count;
    const berth_job *running; /* in the order of their starts */
    size_t running_count;
} berth_view;

/* Begins a run that the caller decides. The experiment has one replication and names the caller:
 * `scheduler: {caller: NAME}`. The files go where those of berth_run do. */
BERTH_API int berth_begin(berth_handle *handle, const char *folder);
/* Goes on to the next turn: to the next instant at which something happened, after all of it. The
 * first turn is at time 0. Returns BERTH_OVER at the end of the run; berth_metric and the others
 * tell of it then.
 * A status below 0 is the end of the run, without files. */
BERTH_API int berth_step(berth_handle *handle, berth_view *view);
/* The same turn as it is after the verbs so far. */
BERTH_API int berth_look(berth_handle *handle, berth_view *view);

/* Verbs, in a turn. One that breaks a rule is BERTH_BAD_DECISION and does nothing. */

/* A waiting job starts with so many members on each of these servers. */
BERTH_API int berth_start(berth_handle *handle,
                          int64_t job,
                          const berth_place *places,
                          size_t place_count);
/* A running job loses its places and waits again. */
BERTH_API int berth_evict(berth_handle *handle, int64_t job);
/* A waiting group asks for another size (without places), or a running one has its members on these
 * servers; no member that stays moves. Returns BERTH_UNANSWERED where the job hangs on a server
 * that has failed unnoticed. */
BERTH_API int berth_resize(berth_handle *handle,
                           int64_t job,
                           int64_t size,
                           const berth_place *places,
                           size_t place_count);
/* A waiting job is refused for good. A reason of more than 1024 bytes is cut off, and ends with
 * `...`. */
BERTH_API int berth_reject(berth_handle *handle, int64_t job, const char *reason);
/* There is another turn at that time, whatever happens. */
BERTH_API int berth_wake(berth_handle *handle, int64_t at);

/* ---- berth's schedulers, asked ------------------------------------------------------------- */

/* A job that somebody else's simulator or system has. All members that are 0 or NULL are not
 * stated: a pod that may be preempted, of priority 0. */
typedef struct berth_request {
    const char *name;     /* not stated: its number */
    const char *type;     /* one of the experiment's types, which says what a member asks for; or */
    const int64_t *demand; /* what it asks for: a row of amounts; of nvidia.com/gpu, a part of one
                              or whole ones */
    const char *gpu_models; /* where GPUs are shared: "A100|H100" */
    const char *group;      /* a GroupPlacement in YAML or JSON, which states the members' type */
    const char *user;
    const char *quota;
    const char *name_space; /* of Kubernetes, which a quota may be for */
    int64_t priority;
    int not_preemptible;
    int64_t size;          /* members, which start as one; not stated: one pod, or what the group
                              says */
    int64_t min_available; /* members that are enough to start; not stated: all of them */
    int64_t estimate;      /* of its duration, which plans of backfilling go by; not stated: it
                              runs for ever */
} berth_request;

/* What a decision does with a job. */
enum {
    BERTH_STARTS = 1,  /* it starts on these places */
    BERTH_EVICTED = 2, /* it loses its places and waits again */
    BERTH_REJECTED = 3 /* it is refused for good, for this reason */
};

typedef struct berth_decision {
    int kind;
    int64_t job; /* its number */
    int64_t at;  /* time: not before the last berth_decide, and no later than this one */
    const berth_place *places; /* BERTH_STARTS; otherwise there are none */
    size_t place_count;
    const char *reason; /* BERTH_REJECTED; otherwise "" */
} berth_decision;

/* Begins to ask the scheduler of the experiment, which names a cluster and a profile. It has
 * nothing happen: no workload but background, no failures, drains, changes of quotas or end. */
BERTH_API int berth_ask(berth_handle *handle);

/* What has happened since the last berth_decide; it takes effect at the next one. */

/* A job has come. Its number is counted from 0. */
BERTH_API int berth_submit(berth_handle *handle, const berth_request *request, int64_t *job);
/* A running job has ended, or a waiting one is withdrawn. */
BERTH_API int berth_ended(berth_handle *handle, int64_t job);
/* A server has left, with all that ran there, or is back. Jobs of which a member ran there lose all
 * their places: berth_decide tells of each. */
BERTH_API int berth_server_changed(berth_handle *handle, int64_t server, int up);

/* The time is `now`, and no earlier than before: what has the scheduler decided since? The caller
 * carries the decisions out in their order. What was told takes effect in this order: ends, servers,
 * submissions. May be called again at the same time. Valid until the next call. */
BERTH_API int berth_decide(berth_handle *handle,
                           int64_t now,
                           const berth_decision **decisions,
                           size_t *count);
/* When to call berth_decide even if nothing happens until then; BERTH_NONE: never. */
BERTH_API int berth_next_turn(berth_handle *handle, int64_t *at);

#ifdef __cplusplus
}
#endif

#endif
