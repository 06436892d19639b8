/* A shared library that is no scheduler for Batsim. */

int berth_no_scheduler(void) {
    return 0;
}
