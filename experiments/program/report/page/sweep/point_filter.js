/* The points and metrics that the table of points shows. */

import {data, sweep} from "../base/state.js";
import {measured} from "../base/text.js";
import {axisNamed, metricVaries, sweepMeansOf} from "./sweep_data.js";
import {sweepView} from "./sweep_view.js";
/** @import {Value} from "../data.d.ts" */

const metricColumnsMax = 100;

/**
 * Whether a point passes all terms of a filter, which are separated by spaces: `policy=pack`,
 * `load>=0.5` or `wait_s_mean<60` for axes and metrics, or a part of an axis value.
 * @type {(text: string) => (point: number) => boolean}
 */
function pointFilter(text) {
  const terms = text.trim().split(/\s+/).filter(Boolean).map((term) => {
    const [, name = "", sign = "", wanted = ""] = /^(.+?)(<=|>=|!=|=|<|>)(.*)$/.exec(term) ?? [];
    const a = axisNamed(name);
    const metric = !a && sweep.metrics.some((m) => m.name === name);
    if (!a && !metric) {
      const part = term.toLowerCase();
      return (/** @type {number} */ p) => sweep.axes.some((each) => each.values[each.points[p]].toLowerCase().includes(part));
    }
    const numbers = a?.numbers ?? null;
    const numeric = !a || numbers !== null;
    const valueOf = (/** @type {number} */ p) => (!a ? sweepMeansOf(name)[p]?.mean ?? NaN : numbers ? numbers[a.points[p]] : a.values[a.points[p]]);
    const limit = numbers?.[a?.values.indexOf(wanted) ?? -1] ?? measured(wanted, a ? "s" : data.definitions[name]?.unit ?? "");
    /** @type {Record<string, (value: string | number) => boolean>} */
    const comparisons = {
      "=": (v) => (numeric ? Number(v) === limit : v === wanted),
      "!=": (v) => (numeric ? Number(v) !== limit : v !== wanted),
      "<": (v) => Number(v) < limit, "<=": (v) => Number(v) <= limit,
      ">": (v) => Number(v) > limit, ">=": (v) => Number(v) >= limit,
    };
    const compare = comparisons[sign];
    return (/** @type {number} */ p) => wanted === "" || compare(valueOf(p));
  });
  return (p) => terms.every((term) => term(p));
}

/** The points that pass the filter, in the wanted order: `NAME` ascending, `-NAME` descending. */
export function wantedPoints() {
  const passes = pointFilter(sweepView.filter);
  const points = [...sweep.keys.keys()].filter(passes);
  const descending = sweepView.sort.startsWith("-");
  const name = descending ? sweepView.sort.slice(1) : sweepView.sort;
  const a = axisNamed(name);
  const metric = !a && sweep.metrics.some((m) => m.name === name);
  if (!a && !metric) return points;
  /** @type {(point: number) => Value} */
  const valueOf = a ? (p) => a.points[p] : (p) => sweepMeansOf(name)[p]?.mean ?? null;
  const sign = descending ? -1 : 1;
  return points.sort((p, q) => {
    const [v, w] = [valueOf(p), valueOf(q)];
    // points without a value come last
    if (v === null || w === null) return Number(v === null) - Number(w === null) || p - q;
    return sign * (v - w) || p - q;
  });
}

export function wantedMetrics() {
  const part = sweepView.names.trim().toLowerCase();
  const names = sweep.metrics.map((m) => m.name);
  const fitting = part === "" ? [...names.filter(metricVaries), ...names.filter((name) => !metricVaries(name))]
    : names.filter((name) => name.toLowerCase().includes(part));
  return {shown: fitting.slice(0, metricColumnsMax), all: fitting.length};
}
