/* How a metric spreads over the replications, and which points that leaves out. */

import {el} from "../base/dom.js";
import {boxesFigure, boxesMax} from "./boxes_figure.js";
import {constantInWords, nothingToShow, sweepShown} from "./cells.js";
import {metricVaries, otherAxes, sweepCells} from "./sweep_data.js";
import {sweepRest, sweepView, whereBut} from "./sweep_view.js";
/** @import {BoxCell, SweepCell} from "./sweep.d.ts" */
/** @import {Made} from "../base/page.d.ts" */

/**
 * A mark with the parts of its box, or nothing if they are not known: see keptSummaries().
 * @type {(cell: SweepCell) => BoxCell[]}
 */
function withBox(cell) {
  const {min, q1, median, q3, max} = cell;
  return min === null || q1 === null || median === null || q3 === null || max === null ? [] : [{...cell, min, q1, median, q3, max}];
}

/** @returns {Made} */
export function sweepBoxes() {
  const {metric, x, by} = sweepView;
  const view = {metric, x, by, panel: null, where: whereBut([x, by])};
  const all = sweepCells(view);
  const cells = all.flatMap(withBox);
  const rest = sweepRest([x, by]);
  const lines = new Set(cells.map((c) => c.by)).size;
  return [
    el("p", {class: "lead"}, "The box holds the middle half of the replications, its line is the median, the whiskers are the extremes, the ring is the mean" +
      `${lines > boxesMax ? `; the first ${boxesMax} of ${lines} values of ${by}` : ""}${rest ? `. Here: ${rest}` : ""}.`),
    cells.length < all.length ? el("p", {class: "faint"}, "Averages over points are not here: the page holds what sums up the replications " +
      `of each point. Choose ${otherAxes([x, by]).filter((a) => !(a.name in view.where)).map((a) => `a value of ${a.name}`).join(" and ")} above.`) : null,
    cells.length === 0 ? (all.length === 0 ? nothingToShow() : null) : !metricVaries(metric) ? constantInWords(metric) : sweepShown(boxesFigure({view, cells})),
  ];
}
