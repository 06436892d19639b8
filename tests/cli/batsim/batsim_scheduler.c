/* A scheduler for Batsim, for tests: first come, first served, on the free hosts with the lowest
 * numbers. The argument that it is started with makes it break a rule. It reads JSON messages
 * only as far as needed. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { jobs_max = 4096, hosts_max = 256, name_max = 64, answer_max = 1 << 20 };

struct job {
    char name[name_max];
    int hosts;
    int first[hosts_max]; /* Hosts assigned to the job. */
    int waits;
};

static char mode[256];
static struct job jobs[jobs_max];
static int job_count;
static int host_count;
static int taken[hosts_max];
static int calls;
static char answer[answer_max];
static size_t answer_size;

static int is(const char* what) {
    return strcmp(mode, what) == 0;
}

/* The text after a key, searched from a place in the message on. */
static const char* after(const char* from, const char* key) {
    const char* at = strstr(from, key);
    return at == NULL ? NULL : at + strlen(key);
}

static void begin_answer(double now) {
    answer_size = (size_t)snprintf(answer, answer_max, "{\"now\": %.17g, \"events\": [", now);
}

static void add_event(double at, const char* type, const char* event) {
    answer_size +=
        (size_t)snprintf(answer + answer_size,
                         answer_max - answer_size,
                         "%s{\"timestamp\": %.17g, \"event_type\": \"%s\", \"event\": %s}",
                         answer[answer_size - 1] == '[' ? "" : ", ",
                         at,
                         type,
                         event);
}

static void end_answer(uint8_t** out, uint32_t* size) {
    answer_size += (size_t)snprintf(answer + answer_size, answer_max - answer_size, "]}");
    *out = (uint8_t*)answer;
    *size = (uint32_t)answer_size + 1;
}

static void execute(double at, const char* name, const char* hosts) {
    char event[4096];
    snprintf(event,
             sizeof event,
             "{\"job_id\": \"%s\", \"allocation\": {\"host_allocation\": \"%s\", "
             "\"executor_placement_type\": \"PredefinedExecutorPlacementStrategyWrapper\", "
             "\"executor_placement\": {\"strategy\": \"SpreadOverHostsFirst\"}}}",
             name,
             hosts);
    add_event(at, "ExecuteJobEvent", event);
}

static void of_job(double at, const char* type, const char* name) {
    char event[256];
    snprintf(
        event,
        sizeof event,
        strcmp(type, "KillJobsEvent") == 0 ? "{\"job_ids\": [\"%s\"]}" : "{\"job_id\": \"%s\"}",
        name);
    add_event(at, type, event);
}

static void call_later(double at, const char* id, int seconds) {
    char event[256];
    snprintf(event,
             sizeof event,
             "{\"call_me_later_id\": \"%s\", \"when_type\": \"OneShot\", \"when\": {\"time\": %d, "
             "\"time_unit\": \"Second\"}}",
             id,
             seconds);
    add_event(at, "CallMeLaterEvent", event);
}

/* Starts waiting jobs in the order of their arrival, as long as there are hosts for them. */
static void start_in_order(double now) {
    for (int i = 0; i < job_count; ++i) {
        struct job* job = &jobs[i];
        if (!job->waits) {
            continue;
        }
        char hosts[2048] = "";
        int got = 0;
        for (int host = 0; host < host_count && got < job->hosts; ++host) {
            if (!taken[host]) {
                job->first[got++] = host;
                snprintf(hosts + strlen(hosts), sizeof hosts - strlen(hosts), " %d", host);
            }
        }
        if (got < job->hosts) {
            return;
        }
        for (int k = 0; k < got; ++k) {
            taken[job->first[k]] = 1;
        }
        job->waits = 0;
        execute(now, job->name, hosts + 1);
    }
}

static void note_submitted(const char* event) {
    struct job* job = &jobs[job_count++];
    const char* name = after(event, "\"job_id\":\"");
    snprintf(job->name, sizeof job->name, "%.*s", (int)strcspn(name, "\""), name);
    job->hosts = atoi(after(event, "\"resource_request\":"));
    job->waits = 1;
}

static void note_completed(const char* event) {
    const char* name = after(event, "\"job_id\":\"");
    const size_t length = strcspn(name, "\"");
    for (int i = 0; i < job_count; ++i) {
        if (strlen(jobs[i].name) == length && strncmp(jobs[i].name, name, length) == 0) {
            for (int k = 0; k < jobs[i].hosts; ++k) {
                taken[jobs[i].first[k]] = 0;
            }
        }
    }
}

/* Does what a scheduler must not do, once the first job has come. */
static void misbehave(double now) {
    const char* name = jobs[0].name;
    if (is("twice")) {
        execute(now, name, "0");
        execute(now, name, "1");
    } else if (is("unknown job")) {
        execute(now, "w0!nobody", "0");
    } else if (is("unknown host")) {
        execute(now, name, "99");
    } else if (is("same host twice")) {
        execute(now, name, "0 0");
    } else if (is("no hosts")) {
        execute(now, name, "0-");
    } else if (is("too many hosts")) {
        execute(now, name, "0-1");
    } else if (is("beyond capacity")) {
        execute(now, name, "0");
        execute(now, jobs[1].name, "0");
    } else if (is("past")) {
        execute(now - 1, name, "0");
    } else if (is("kill who waits")) {
        of_job(now, "KillJobsEvent", name);
    } else if (is("stop no call")) {
        add_event(now, "StopCallMeLaterEvent", "{\"call_me_later_id\": \"x\"}");
    } else if (is("call twice")) {
        call_later(now, "x", 1000);
        call_later(now, "x", 1000);
    } else if (is("power")) {
        add_event(now, "ChangeHostsPStateEvent", "{\"host_ids\": \"0\", \"pstate\": 1}");
    } else if (is("no job")) {
        add_event(now, "ExecuteJobEvent", "{}");
    }
}

/* Does what a scheduler may do besides first come, first served. */
static void behave(double now, const char* message) {
    if (is("reject")) {
        for (int i = 0; i < job_count; ++i) {
            if (jobs[i].waits) {
                of_job(now, "RejectJobEvent", jobs[i].name);
                jobs[i].waits = 0;
            }
        }
    } else if (is("kill")) {
        const int was = jobs[0].waits;
        start_in_order(now);
        if (job_count > 0 && was && !jobs[0].waits) {
            of_job(now + 4, "KillJobsEvent", jobs[0].name);
            begin_answer(now + 4); /* The scheduler hears nothing until then. */
            execute(now, jobs[0].name, "0");
            of_job(now + 4, "KillJobsEvent", jobs[0].name);
        }
    } else if (is("later")) {
        if (strstr(message, "SimulationBeginsEvent") != NULL) {
            call_later(now, "first", 7);
        }
        calls += strstr(message, "RequestedCallEvent") != NULL;
        if (calls > 0) {
            start_in_order(now);
        }
    } else {
        start_in_order(now);
    }
}

uint8_t batsim_edc_init(
    const uint8_t* data, uint32_t size, uint32_t* flags, uint8_t** reply, uint32_t* reply_size) {
    snprintf(mode, sizeof mode, "%.*s", (int)size, (const char*)data);
    memset(taken, 0, sizeof taken);
    job_count = host_count = calls = 0;
    if (is("init fails")) {
        return 3;
    }
    if (is("old interface")) {
        return 0;
    }
    *flags = is("binary") ? 1 : 2;
    begin_answer(0);
    char event[512];
    snprintf(event,
             sizeof event,
             "{\"batprotocol_version\": \"%s\", \"decision_component_name\": \"fcfs\", "
             "\"decision_component_version\": \"1\", \"requested_simulation_features\": "
             "{\"dynamic_registration\": %s}}",
             is("other protocol") ? "2.0.0" : "0.1.0",
             is("dynamic") ? "true" : "false");
    if (!is("no hello")) {
        add_event(0, "EDCHelloEvent", event);
    }
    end_answer(reply, reply_size);
    return 0;
}

uint8_t batsim_edc_deinit(void) {
    return 0;
}

uint8_t batsim_edc_take_decisions(const uint8_t* what,
                                  uint32_t size,
                                  uint8_t** decisions,
                                  uint32_t* decisions_size) {
    const char* message = (const char*)what;
    const double now = atof(after(message, "\"now\":"));
    (void)size;
    while (is("silent")) {
        usleep(1000);
    }
    if (is("fails")) {
        return 7;
    }
    if (is("garbage")) {
        *decisions = (uint8_t*)"what?";
        *decisions_size = 6;
        return 0;
    }
    const char* hosts = after(message, "\"computation_host_number\":");
    host_count = hosts == NULL ? host_count : atoi(hosts);
    const char* event = after(message, "\"event_type\":\"");
    for (; event != NULL; event = after(event, "\"event_type\":\"")) {
        if (strncmp(event, "JobSubmittedEvent", 17) == 0) {
            note_submitted(event);
        } else if (strncmp(event, "JobCompletedEvent", 17) == 0) {
            note_completed(event);
        }
    }
    begin_answer(now);
    const size_t before = answer_size;
    if (job_count > 0) {
        misbehave(now);
    }
    if (answer_size == before) {
        behave(now, message);
    }
    end_answer(decisions, decisions_size);
    return 0;
}
