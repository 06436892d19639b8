/* A shared library that is not a scheduler for Batsim. */

int berth_no_scheduler(void) {
    return 0;
}
