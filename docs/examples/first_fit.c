/* First come, first served, on the first servers that have room: a scheduler in C.
 *
 *     cc first_fit.c -lberth -o first_fit && ./first_fit experiment.yaml
 */
#include <berth.h>
#include <stdio.h>
#include <stdlib.h>

/* How many members of a job a server has room for, and no more than are wanted. */
static int64_t room(const int64_t *free, const berth_job *job, size_t resources, int64_t wanted)
{
    size_t r;
    for (r = 0; r < resources; ++r) {
        if (job->demand[r] > 0 && free[r] / job->demand[r] < wanted) {
            wanted = free[r] / job->demand[r];
        }
    }
    return wanted;
}

/* Finds places for all members of a job; 0: there are none. */
static size_t place(const berth_cluster *cluster, const berth_view *view, const berth_job *job,
                    berth_place *places)
{
    int64_t left = job->size;
    size_t count = 0, server;
    for (server = 0; server < cluster->server_count && left > 0; ++server) {
        const int64_t *free = view->free + server * cluster->resource_count;
        const int64_t members = room(free, job, cluster->resource_count, left);
        if (members > 0) {
            places[count].server = (int64_t)server;
            places[count++].members = members;
            left -= members;
        }
    }
    return left == 0 ? count : 0;
}

static int fail(berth_handle *handle, int status)
{
    fprintf(stderr, "%s\n%s\n", berth_status_text(status), berth_message(handle));
    berth_close(handle);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    berth_handle *handle = NULL;
    berth_cluster cluster;
    berth_view view;
    berth_place *places;
    const char *digest;
    double wait;
    size_t job, count;
    int status = berth_open(BERTH_INTERFACE_VERSION, &handle);
    if (status != BERTH_OK || argc < 2) {
        return fail(handle, status);
    }
    if ((status = berth_read(handle, argv[1])) != BERTH_OK ||
        (status = berth_get_cluster(handle, &cluster)) != BERTH_OK ||
        (status = berth_begin(handle, argc > 2 ? argv[2] : NULL)) != BERTH_OK) {
        return fail(handle, status);
    }
    places = malloc(cluster.server_count * sizeof *places);
    while ((status = berth_step(handle, &view)) == BERTH_OK) {
        for (job = 0; job < view.waiting_count; ++job) {
            count = place(&cluster, &view, &view.waiting[job], places);
            if (count == 0) {
                break; /* nobody overtakes */
            }
            status = berth_start(handle, view.waiting[job].number, places, count);
            if (status != BERTH_OK) {
                return fail(handle, status);
            }
        }
    }
    free(places);
    if (status != BERTH_OVER ||
        (status = berth_metric(handle, "job_wait_s_mean", &wait)) != BERTH_OK ||
        (status = berth_digest(handle, &digest)) != BERTH_OK) {
        return fail(handle, status);
    }
    printf("job_wait_s_mean %.3f\nfiles %s\n", wait, digest);
    berth_close(handle);
    return EXIT_SUCCESS;
}
