/* Asks berth's EASY backfilling about the jobs of a little simulator of one's own.
 *
 *     cc ask_easy.c -lberth -o ask_easy && ./ask_easy
 */
#include <berth.h>
#include <stdio.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000000)

static const char *const experiment =
    "kind: Experiment\n"
    "metadata: {name: asked}\n"
    "spec:\n"
    "  topology:\n"
    "    spec:\n"
    "      levels: [{name: server, count: 1}]\n"
    "      machines: [{type: host}]\n"
    "      machineTypes: {host: {capacity: {cpu: 8}}}\n"
    "  scheduler: {profile: {queueSort: easy-backfill}}\n";

/* Jobs by their numbers: when they come, how long they run, and for how much they ask. */
static const struct { int64_t submit, runs, cpus; } jobs[] = {
    {0, 60, 6}, {10, 30, 8}, {20, 30, 2}, {30, 90, 2}};
enum { job_count = sizeof jobs / sizeof *jobs };

static int check(berth_handle *handle, int status)
{
    if (status != BERTH_OK) {
        fprintf(stderr, "%s\n%s\n", berth_status_text(status), berth_message(handle));
        exit(EXIT_FAILURE);
    }
    return status;
}

int main(void)
{
    int64_t end[job_count], now = 0, next = 0, number;
    const berth_decision *decisions;
    size_t count, i;
    berth_handle *handle = NULL;
    check(handle, berth_open(BERTH_INTERFACE_VERSION, &handle));
    check(handle, berth_read_text(handle, experiment, "asked.yaml"));
    check(handle, berth_ask(handle));
    for (i = 0; i < job_count; ++i) {
        end[i] = -1; /* it does not run */
    }
    while (next >= 0) {
        now = next;
        for (i = 0; i < job_count; ++i) { /* what happens now */
            if (end[i] == now) {
                check(handle, berth_ended(handle, (int64_t)i));
                end[i] = -1;
            }
            if (jobs[i].submit * SECOND == now) {
                const int64_t demand = jobs[i].cpus * 1000;
                berth_request request = {0};
                request.demand = &demand;
                request.estimate = jobs[i].runs * SECOND;
                check(handle, berth_submit(handle, &request, &number));
            }
        }
        check(handle, berth_decide(handle, now, &decisions, &count));
        for (i = 0; i < count; ++i) {
            if (decisions[i].kind == BERTH_STARTS) {
                number = decisions[i].job;
                end[number] = now + jobs[number].runs * SECOND;
                printf("at %d s job %d starts\n", (int)(now / SECOND), (int)number);
            }
        }
        check(handle, berth_next_turn(handle, &next)); /* its own, or the next event */
        for (i = 0; i < job_count; ++i) {
            const int64_t submit = jobs[i].submit * SECOND;
            if (submit > now && (next < 0 || submit < next)) {
                next = submit;
            }
            if (end[i] >= 0 && (next < 0 || end[i] < next)) {
                next = end[i];
            }
        }
    }
    berth_close(handle);
    return EXIT_SUCCESS;
}
