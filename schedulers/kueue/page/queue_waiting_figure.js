/* How many jobs wait for quota. */

import {number} from "../../../experiments/program/report/page/base/text.js";
import {leftOut, linesBelow, queueLines} from "./queue_lines.js";
/** @import {FigureMaker} from "../../../experiments/program/report/page/figures/figure.d.ts" */
/** @import {QuotaChoice} from "../../../experiments/program/report/page/quotas/quotas.d.ts" */
/** @import {Quotas} from "../../../experiments/program/report/page/data.d.ts" */

/** @type {FigureMaker<{quotas: Quotas; chosen: QuotaChoice}>} */
export function queueWaitingFigure({quotas, chosen}) {
  const {parent, lines, left} = linesBelow(quotas, chosen, quotas.kueue?.waiting ?? []);
  if (lines.length === 0 || !(quotas.last > quotas.first)) return null;
  const byMost = [...lines].sort((a, b) => b.mean - a.mean);
  return queueLines({id: "queue-waiting", title: `Jobs that wait for quota: ${quotas.names[parent]}`, quotas, lines, chosen: chosen.chosen,
    summary: `On average ${byMost.slice(0, 4).map((line) => `${number(Number(line.mean.toPrecision(3)))} jobs of ${line.name} wait (at most ${number(line.most)})`).join(", ")}.${leftOut(left)}`,
    text: (v) => number(v), axisOf: {minInterval: 1}});
}
