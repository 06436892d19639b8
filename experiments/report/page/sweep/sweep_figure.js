/* What the figures of a sweep have in common: cells, their table, and their words. */

import {el} from "../base/dom.js";
import {inUnit, number, plural, withInterval} from "../base/text.js";
import {figureParts} from "../figures/show.js";
import {axisNamed, sweepMeansOf} from "./sweep_data.js";

const sweepStarts = [];  // {box, start} of charts that are not drawn yet
export const takeSweepStarts = () => sweepStarts.splice(0);

/** A figure of cells, whose table is that of `berth plot ... -o FILE.csv`. Its box has its height at once, so that nothing jumps when the chart is drawn. */
export function sweepFigure(view, cells, spec) {
  const {node, box, start} = figureParts({...spec, columns: cellColumns(view), rows: () => cellTable(view, cells)});
  const width = document.getElementById("sweep-figures").clientWidth;
  box.style.height = `${typeof spec.height === "function" ? spec.height(width) : spec.height}px`;
  sweepStarts.push({box, start});
  return node;
}

const axesOf = ({x, by, panel}) => [["panel", panel], ["by", by], ["x", x]].filter(([, name]) => name);

const cellColumns = (view) => [
  ...axesOf(view).map(([, name]) => ({title: name, number: axisNamed(name).numbers !== null})),
  ...["mean", "ci95", "sd", "min", "lower quartile", "median", "upper quartile", "max", "replications", "points"]
    .map((title) => ({title: title === "mean" ? view.metric : title, number: true}))];

const cellTable = (view, cells) => cells.map((c) => [
  ...axesOf(view).map(([key, name]) => axisNamed(name).values[c[key]]),
  ...[c.mean, c.ci95, c.sd, c.min, c.q1, c.median, c.q3, c.max].map((v) => inUnit(view.metric, v)), number(c.n), number(c.points)]);

/** Where the least and the greatest mean are, in words. */
export function extremesInWords(view, cells) {
  const {metric} = view;
  const at = (c) => axesOf(view).map(([key, name]) => `${name} ${axisNamed(name).values[c[key]]}`).join(", ");
  const least = cells.reduce((a, b) => (b.mean < a.mean ? b : a));
  const most = cells.reduce((a, b) => (b.mean > a.mean ? b : a));
  const said = (c) => `${withInterval(metric, c.mean, c.ci95)} at ${at(c)}`;
  return least.mean === most.mean ? `${metric} is ${inUnit(metric, least.mean)} everywhere`
    : `least ${said(least)}; greatest ${said(most)}`;
}

/** That marks are not averaged over as many points as others, if so. */
export function missingInWords(cells) {
  const most = Math.max(...cells.map((c) => c.points));
  const fewer = cells.filter((c) => c.points < most).length;
  return fewer === 0 ? "" : ` Of ${plural(cells.length, "mark")}, ${fewer} ${fewer === 1 ? "is" : "are"} averaged over fewer than ${most} points, ` +
    "since others are not finished or have no value: compare with care.";
}

/** A metric that is the same everywhere makes no figure: it is told instead. */
export const constantInWords = (metric) => el("p", {class: "faint constant"}, `${metric} does not vary: it is ${inUnit(metric, sweepMeansOf(metric).find(Boolean)?.mean)} at every point.`);

export const nothingToShow = () => el("p", {class: "faint"}, "No finished point has this metric with these values.");
