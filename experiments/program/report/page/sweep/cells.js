/* Shared by the figures of a sweep: cells, their table, and their text. */

import {byId, el} from "../base/dom.js";
import {inUnit, number, plural, quantity} from "../base/text.js";
import {figureParts} from "../figures/show.js";
import {axisOf, sweepMeansOf} from "./sweep_data.js";
/** @import {Column, Rows} from "../base/tables.d.ts" */
/** @import {Figure} from "../figures/figure.d.ts" */
/** @import {Role, SweepCell, SweepView} from "./sweep.d.ts" */

/** @type {{box: HTMLElement; start: () => void}[]} */
const sweepStarts = [];  // {box, start} of charts that are not drawn yet
export const takeSweepStarts = () => sweepStarts.splice(0);

/**
 * A figure that is drawn when it becomes visible or when the browser has time. Its box has its
 * final height from the beginning, so that the page does not jump when the chart is drawn.
 * @param {Figure} figure
 */
export function sweepShown(figure) {
  const {node, box, start} = figureParts(figure);
  const width = byId("sweep-figures")?.clientWidth ?? 0;
  box.style.height = `${typeof figure.height === "function" ? figure.height(width) : figure.height}px`;
  sweepStarts.push({box, start});
  return node;
}

/**
 * The table of the cells, equal to that of `berth plot ... -o FILE.csv`.
 * @type {(view: SweepView, cells: SweepCell[]) => Pick<Figure, "columns" | "rows">}
 */
export const cellsTable = (view, cells) => ({columns: cellColumns(view), rows: () => cellTable(view, cells)});

/**
 * The axes of a figure, outermost first.
 * @param {SweepView} view
 */
function axesOf({x, by, panel}) {
  /** @type {[Role, string | null][]} */
  const all = [["panel", panel], ["by", by], ["x", x]];
  return all.flatMap(([role, name]) => (name ? [{role, axis: axisOf(name)}] : []));
}

/** @type {(view: SweepView) => Column[]} */
const cellColumns = (view) => [
  ...axesOf(view).map(({axis}) => ({title: axis.name, number: axis.numbers !== null})),
  ...["mean", "ci95", "sd", "min", "lower quartile", "median", "upper quartile", "max", "replications", "points"]
    .map((title) => ({title: title === "mean" ? view.metric : title, number: true}))];

/** @type {(view: SweepView, cells: SweepCell[]) => Rows} */
const cellTable = (view, cells) => cells.map((c) => [
  ...axesOf(view).map(({role, axis}) => axis.values[c[role]]),
  ...[c.mean, c.ci95, c.sd, c.min, c.q1, c.median, c.q3, c.max].map((v) => inUnit(view.metric, v)), number(c.n), number(c.points)]);

/**
 * Where the least and the greatest mean are, in words.
 * @type {(view: SweepView, cells: SweepCell[]) => string}
 */
export function extremesInWords(view, cells) {
  const {metric} = view;
  const at = (/** @type {SweepCell} */ c) => axesOf(view).map(({role, axis}) => `${axis.name} ${axis.values[c[role]]}`).join(", ");
  const least = cells.reduce((a, b) => (b.mean < a.mean ? b : a));
  const most = cells.reduce((a, b) => (b.mean > a.mean ? b : a));
  const said = (/** @type {SweepCell} */ c) => `${quantity(metric, c.mean, c.ci95)} at ${at(c)}`;
  return least.mean === most.mean ? `${metric} is ${quantity(metric, least.mean)} everywhere`
    : `least ${said(least)}; greatest ${said(most)}`;
}

/**
 * Says that some marks are averaged over fewer points than others; empty if none are.
 * @param {SweepCell[]} cells
 */
export function missingInWords(cells) {
  const most = Math.max(...cells.map((c) => c.points));
  const fewer = cells.filter((c) => c.points < most).length;
  return fewer === 0 ? "" : ` Of ${plural(cells.length, "mark")}, ${fewer} ${fewer === 1 ? "is" : "are"} averaged over fewer than ${most} points, ` +
    "since others are not finished or have no value: compare with care.";
}

/**
 * A metric that is the same everywhere is stated in words instead of a figure.
 * @param {string} metric
 */
export const constantInWords = (metric) => el("p", {class: "faint constant"}, `${metric} does not vary: it is ${quantity(metric, sweepMeansOf(metric).find(Boolean)?.mean)} at every point.`);

export const nothingToShow = () => el("p", {class: "faint"}, "No finished point has this metric with these values.");
