/* What schedulers add to the page of a run. */

/** @import {SchedulerPage} from "./page.d.ts" */

/**
 * The pages of the schedulers of schedulers/schedulers.def, in that order.
 * @type {SchedulerPage[]}
 */
export let schedulers = [];

/** @param {SchedulerPage[]} given */
export function takeSchedulers(given) {
  schedulers = given;
}
