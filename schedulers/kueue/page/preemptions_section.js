/* Which jobs were preempted for which others, and why. */

import {el} from "../../../experiments/program/report/page/base/dom.js";
import {table} from "../../../experiments/program/report/page/base/table.js";
import {duration, number, percent, plural} from "../../../experiments/program/report/page/base/text.js";
import {shownFigure} from "../../../experiments/program/report/page/figures/show.js";
import {preemptionsFigure} from "./preemptions_figure.js";
import {eachReplication, reasonWords} from "./queue_words.js";
/** @import {Made} from "../../../experiments/program/report/page/base/page.d.ts" */
/** @import {Run} from "../../../experiments/program/report/page/data.d.ts" */

/** @type {(run: Run) => Made} */
export function preemptionsSection(run) {
  const quotas = run.queues;
  const kueue = quotas?.kueue;
  if (!quotas || !kueue || kueue.all[1] === 0) return null;
  const {total, rows} = kueue.preemptions;
  return [
    el("p", {class: "lead"}, `Jobs were preempted ${eachReplication(kueue, kueue.all[1])} times` +
      `${kueue.replications > 1 ? " in a replication, on average" : ""}, for ${plural(kueue.all[0], "admission")} in all. ` +
      kueue.reasons.map(([reason, times]) => `${percent(times / kueue.all[1])}: ${reason}${reasonWords[reason] ? `, ${reasonWords[reason]}` : ""}`).join("; ") + "."),
    shownFigure(preemptionsFigure, kueue),
    rows.length === 0 ? null : el("div", {},
      el("h3", {style: "margin-top:22px"}, total > rows.length ? `The first ${number(rows.length)} of ${plural(total, "preemption")} in replication 0` : "Each preemption in replication 0"),
      table([{title: "time", number: true}, {title: "preempted", class: "name"}, {title: "its ClusterQueue", class: "name"},
        {title: "held quota for", number: true}, {title: "for", class: "name"}, {title: "its ClusterQueue", class: "name"}, {title: "reason"}],
      () => rows.map(([time, job, queue, by, byQueue, reason, held]) => [duration(time), job, quotas.names[queue], duration(held), by, quotas.names[byQueue], reason]),
      {label: "Preemptions", shown: 12})),
  ];
}
