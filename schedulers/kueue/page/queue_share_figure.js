/* Dominant shares divided by weight, which fair sharing equalises. */

import {percent} from "../../../experiments/program/report/page/base/text.js";
import {leftOut, linesBelow, queueLines} from "./queue_lines.js";
/** @import {FigureMaker} from "../../../experiments/program/report/page/figures/figure.d.ts" */
/** @import {QuotaChoice} from "../../../experiments/program/report/page/quotas/quotas.d.ts" */
/** @import {Quotas} from "../../../experiments/program/report/page/data.d.ts" */

/** @type {FigureMaker<{quotas: Quotas; chosen: QuotaChoice}>} */
export function queueShareFigure({quotas, chosen}) {
  const {parent, lines, left} = linesBelow(quotas, chosen, quotas.kueue?.shares ?? []);
  if (lines.length === 0 || !(quotas.last > quotas.first)) return null;
  const byMost = [...lines].sort((a, b) => b.mean - a.mean);
  return queueLines({id: "queue-shares", title: `Dominant shares by weight: ${quotas.names[parent]}`, quotas, lines, chosen: chosen.chosen,
    summary: "What each borrows of what its Cohort could lend, of the resource of which that is most, divided by its weight: fair sharing makes these alike. " +
      `On average ${byMost.slice(0, 4).map((line) => `${line.name} ${percent(line.mean)} (at most ${percent(line.most)})`).join(", ")}.${leftOut(left)}`,
    text: percent, axisOf: {}});
}
