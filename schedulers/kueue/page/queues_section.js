/* The section about Kueue's cohorts and queues. */

import {number, plural} from "../../../experiments/program/report/page/base/text.js";
import {treeSection} from "../../../experiments/program/report/page/quotas/quotas_section.js";
import {queueShareFigure} from "./queue_share_figure.js";
import {queueWaitingFigure} from "./queue_waiting_figure.js";
import {queuesTable} from "./queues_table.js";
/** @import {Made} from "../../../experiments/program/report/page/base/page.d.ts" */
/** @import {Run} from "../../../experiments/program/report/page/data.d.ts" */

/** @type {(run: Run) => Made} */
export function queuesSection(run) {
  const quotas = run.queues;
  const kueue = quotas?.kueue;
  if (!quotas || !kueue) return null;
  const count = (/** @type {string} */ kind) => kueue.kinds.filter((one) => one === kind).length;
  const objects = ["Cohort", "ClusterQueue", "LocalQueue"].filter((kind) => count(kind) > 0).map((kind) => plural(count(kind), kind));
  const lead = [`${objects.join(", ")}, in replication 0. Quota is used from when Kueue reserves it until it is given back, whether pods run on it or not.`,
    "The tree's bars: blue what is used of the nominal quota, orange what is borrowed, a mark at the nominal quota, the end at the most that can be used " +
    "(faded when that is far). A Cohort has the sums of what is in it and below it."];
  if (quotas.leftOut > 0) lead.push(`To keep the page small, ${plural(quotas.leftOut, "queue")} have no series here: those that borrowed least.`);
  if (quotas.thinned) lead.push("Long series keep the least and the greatest value of each interval.");
  const {total, rows} = kueue.preemptions;
  if (total > rows.length) lead.push(`Of ${number(total)} preemptions, the first ${number(rows.length)} are drawn; all are counted.`);
  return treeSection({id: "queues", quotas, lead, more: [queueWaitingFigure, queueShareFigure], table: () => queuesTable(run, quotas, kueue)});
}
