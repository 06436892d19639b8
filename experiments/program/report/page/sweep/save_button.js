/* Saves tables of a sweep as CSV. */

import {download, el} from "../base/dom.js";
import {sweep} from "../base/state.js";
import {csvOf} from "../base/text.js";
import {wantedMetrics, wantedPoints} from "./point_filter.js";
import {sweepMeansOf} from "./sweep_data.js";
/** @import {Rows} from "../base/tables.d.ts" */

/**
 * A button that saves a table: its titles, and all of its rows.
 * @type {(name: string, titles: () => string[], rows: () => Rows) => HTMLButtonElement}
 */
export const saveButton = (name, titles, rows) => el("button", {type: "button", class: "csv", "aria-label": `CSV: ${name}`,
  onclick: () => download(`${sweep.name}-${name}.csv`, csvOf(titles().map((title) => ({title})), rows))}, "CSV");

/** All points that pass the filter, with the means and intervals of the visible metrics. */
export const savePoints = () => saveButton("points",
  () => ["point", "key", ...sweep.axes.map((a) => a.name), ...wantedMetrics().shown.flatMap((name) => [name, `${name} ci95`])],
  () => wantedPoints().map((p) => [p, sweep.keys[p], ...sweep.axes.map((a) => a.values[a.points[p]]),
    ...wantedMetrics().shown.map((name) => sweepMeansOf(name)[p]).flatMap((s) => [s?.mean, s?.ci95])]));
