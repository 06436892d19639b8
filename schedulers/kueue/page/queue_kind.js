/* What differs if quotas are those of cohorts and queues. */

import {remembered} from "../../../experiments/program/report/page/base/lists.js";
import {plural} from "../../../experiments/program/report/page/base/text.js";
import {queueWords} from "./queue_words.js";
/** @import {QuotaKind} from "../../../experiments/program/report/page/quotas/quotas.d.ts" */
/** @import {Kueue, Quotas} from "../../../experiments/program/report/page/data.d.ts" */

const kindWith = remembered((/** @type {Kueue} */ kueue) => /** @type {QuotaKind} */ ({
  root: null, tree: "Cohorts and queues", one: "Cohort or queue", quota: "queue", many: "queues", min: "nominal quota", max: "most it can use",
  lines: ["used", "min", "max"], evictions: "preemptions", evicted: (jobs) => `${plural(jobs, "job")} preempted`,
  unreserved: "quota of the Cohort itself", taken: "quota that is no longer there",
  lent: (unreserved, taken) => (unreserved ? ` Of that, ${unreserved} came from quota of the Cohort itself or of those above it.` : "") +
    (taken ? ` For ${taken} of it there was no quota any more.` : ""),
  parentsHavePods: false,
  drawnElsewhere: true,
  shares: (_, q) => q !== 0 || kueue.kinds[0] === "Cohort",
  lends: (_, q) => kueue.kinds[q] === "Cohort",
  borrows: (_, q) => q !== 0 && kueue.kinds[q] !== "LocalQueue",
  marks: () => kueue.preemptions.rows.map(([time, job, queue, , , reason, held]) => [time, queue, reason, job, held, 0]),
  words: (quotas, q, r) => queueWords(quotas, kueue, q, r),
}));

/** @type {(quotas: Quotas) => QuotaKind | null} */
export const queueKind = ({kueue}) => (kueue ? kindWith(kueue) : null);
