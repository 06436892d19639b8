/* Why jobs got no quota, in Kueue's words. */

import {el} from "../../../experiments/program/report/page/base/dom.js";
import {table} from "../../../experiments/program/report/page/base/table.js";
import {number, plural} from "../../../experiments/program/report/page/base/text.js";
import {eachReplication} from "./queue_words.js";
/** @import {Made} from "../../../experiments/program/report/page/base/page.d.ts" */
/** @import {Run} from "../../../experiments/program/report/page/data.d.ts" */

/** @type {(run: Run) => Made} */
export function inVainSection(run) {
  const kueue = run.queues?.kueue;
  if (!kueue || kueue.inVain.length === 0) return null;
  const several = kueue.replications > 1;
  return [
    el("p", {class: "lead"}, `When the run ends, ${eachReplication(kueue, kueue.all[3])} jobs wait for quota` +
      `${several ? `, on average over ${plural(kueue.replications, "replication")}` : ""}. Kueue says of a job that is parked with others what it said of the one that it looked at in its place. ` +
      "Jobs that were given up without quota are in the table, too." +
      (kueue.inVainRows > kueue.inVain.length ? ` It has the ${number(kueue.inVain.length)} most frequent of ${number(kueue.inVainRows)} messages.` : "")),
    table([{title: "ClusterQueue", class: "name"}, {title: "what Kueue said", class: "message"}, {title: several ? "jobs in a replication" : "jobs", number: true}],
      () => kueue.inVain.map(([queue, message, jobs]) => [queue, message || "–", eachReplication(kueue, jobs)]), {label: "Why jobs got no quota", shown: 12}),
  ];
}
