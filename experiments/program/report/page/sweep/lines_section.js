/* A metric over one axis, in one picture and panel by panel. */

import {choice, el} from "../base/dom.js";
import {constantInWords, nothingToShow, sweepShown} from "./cells.js";
import {linesFigure, panelsMax} from "./lines_figure.js";
import {axisOf, metricVaries, sweepCells} from "./sweep_data.js";
import {changed, sweepRest, sweepView, whereBut} from "./sweep_view.js";
/** @import {Made} from "../base/page.d.ts" */

/** @returns {Made} */
export function sweepLines() {
  const {metric, x, by} = sweepView;
  const view = {metric, x, by, panel: null, where: whereBut([x, by])};
  const cells = sweepCells(view);
  const rest = sweepRest([x, by]);
  return [
    el("p", {class: "lead"}, `Means over the replications; the ${axisOf(x).numbers === null ? "whiskers are" : "band is"} ` +
      `the 95% confidence interval${rest ? `. Here: ${rest}` : ""}.`),
    cells.length === 0 ? nothingToShow() : !metricVaries(metric) ? constantInWords(metric)
      : sweepShown(linesFigure({id: "sweep-lines", title: `${metric} over ${x}${by ? ` by ${by}` : ""}`, view, cells, height: 330, columnsOf: () => 1})),
  ];
}

/**
 * As many columns as fit, but fewer if the number of rows stays the same: five panels are three and
 * two rather than four and one.
 * @type {(count: number, most: number) => number}
 */
const evenColumns = (count, most) => Math.ceil(count / Math.ceil(count / most));

/** @returns {Made} */
export function sweepPanels() {
  const {metric, x, by, panel} = sweepView;
  const over = panel ?? by;
  if (over === null) return null;
  const view = {metric, x, by: panel ? by : null, panel: over, where: whereBut([x, by, over])};
  const cells = sweepCells(view);
  const rest = sweepRest([x, view.by, over]);
  const values = new Set(cells.map((c) => c.panel)).size;
  const shown = Math.min(values, panelsMax);
  const own = sweepView.scales === "own";
  const controls = el("div", {class: "controls"}, choice("Scales", ["all the same", "each its own"], own ? 1 : 0, (i) => {
    sweepView.scales = i === 1 ? "own" : "";
    changed();
  }, "sweep-scales"));
  return {controls, content: [
    el("p", {class: "lead"}, `The same, one panel a value of ${over}, ${own ? "each of a scale of its own" : "all of one scale"}` +
      `${values > shown ? `; the first ${shown} of ${values}` : ""}${rest ? `. Here: ${rest}` : ""}.`),
    cells.length === 0 ? nothingToShow() : !metricVaries(metric) ? constantInWords(metric)
      : sweepShown(linesFigure({id: "sweep-panels", title: `${metric} over ${x}${view.by ? ` by ${view.by}` : ""}, panels by ${over}`, view, cells, height: 170, ownScales: own,
        columnsOf: (width) => evenColumns(shown, Math.max(1, Math.min(4, Math.floor(width / 290))))})),
  ]};
}
