/* A metric over two axes. */

import {el} from "../base/dom.js";
import {constantInWords, nothingToShow, sweepShown} from "./cells.js";
import {heatFigure} from "./heat_figure.js";
import {metricVaries, otherAxes, sweepCells} from "./sweep_data.js";
import {sweepRest, sweepView, whereBut} from "./sweep_view.js";
/** @import {Made} from "../base/page.d.ts" */

/** @returns {Made} */
export function sweepHeat() {
  const {metric, x} = sweepView;
  const second = sweepView.by ?? sweepView.panel ?? otherAxes([x])[0]?.name ?? null;
  if (second === null) return null;
  const view = {metric, x, by: second, panel: null, where: whereBut([x, second])};
  const cells = sweepCells(view);
  const rest = sweepRest([x, second]);
  return [
    el("p", {class: "lead"}, `Means over the replications: the darker (on a dark page, the lighter), the greater${rest ? `. Here: ${rest}` : ""}.`),
    cells.length === 0 ? nothingToShow() : !metricVaries(metric) ? constantInWords(metric) : sweepShown(heatFigure({view, cells})),
  ];
}
