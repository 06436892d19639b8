/* What Kueue adds to the page of a run. */

import {inVainSection} from "./in_vain_section.js";
import {preemptionsSection} from "./preemptions_section.js";
import {queueKind} from "./queue_kind.js";
import {queueWaitsSection} from "./queue_waits_section.js";
import {queuesSection} from "./queues_section.js";
/** @import {SchedulerPage} from "../../../experiments/program/report/page/base/page.d.ts" */

/** @type {SchedulerPage} */
export const page = {
  sections: {
    "quotas": [
      ["queues", "Cohorts and queues", queuesSection],
      ["preemptions", "Preemptions between ClusterQueues", preemptionsSection],
      ["in-vain", "Why jobs wait for quota", inVainSection],
    ],
    "quota-waits": [["queue-waits", "Wait for quota by ClusterQueue", queueWaitsSection]],
  },
  quotaKind: queueKind,
};
