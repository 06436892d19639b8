/* The numbers of a sweep: each metric at each point and in each replication, and what figures
   compute from them. */

import {remembered} from "../base/lists.js";
import {sweep} from "../base/state.js";
import {unpackedFloats} from "../base/unpack.js";
/** @import {Sweep, SweepMetric} from "../data.d.ts" */
/** @import {SweepCell, SweepMean, SweepSummary, SweepView} from "./sweep.d.ts" */

const metricsByName = remembered((/** @type {Sweep} */ {metrics}) => new Map(metrics.map((metric) => [metric.name, metric])));

/**
 * A metric of this sweep.
 * @param {string} name
 */
export function metricNamed(name) {
  const found = metricsByName(sweep).get(name);
  if (!found) throw new Error(`the sweep has no metric ${name}`);
  return found;
}

/** @typedef {(point: number, replication: number) => number} ValueAt */

const columnOf = remembered(
  /**
   * @param {SweepMetric} metric
   * @returns {ValueAt}
   */
  ({values, summed}) => {
    const count = summed ? summaryParts : sweep.replications.length;
    const unfinished = new Set(sweep.unfinished);
    if (typeof values === "number") return (point) => (unfinished.has(point) ? NaN : values);
    const column = unpackedFloats(values);
    return column.length === sweep.keys.length ? (point) => column[point] : (point, r) => column[point * count + r];
  });

/**
 * The value of a metric at a point, for a replication index or an index into its summary; NaN if
 * there is none.
 * @param {string} metric
 */
export const sweepValues = (metric) => columnOf(metricNamed(metric));

// For a sweep with many replications, the page has this many parts of a summary instead of the
// values.
const summaryParts = 9;

/**
 * The summary of one point for such a metric, or null.
 * @type {(metric: string, point: number) => SweepSummary | null}
 */
function keptSummary(metric, point) {
  const at = sweepValues(metric);
  if (at(point, 0) === 0) return null;
  const part = (/** @type {number} */ i) => orNull(at(point, i));
  return {n: at(point, 0), mean: rounded(at(point, 1)), ci95: part(2), sd: part(3), min: part(4), q1: part(5), median: part(6), q3: part(7), max: part(8)};
}

/**
 * The summary of several points: the means of their means and of their intervals. The interval of
 * the mean is at most that wide, whatever the correlation between points; quartiles are not known.
 * @type {(metric: string, points: number[]) => (SweepSummary & {points: number}) | null}
 */
function keptSummaries(metric, points) {
  const known = points.map((p) => keptSummary(metric, p)).filter((one) => one !== null);
  if (known.length < 2) return known.length === 0 ? null : {...known[0], points: 1};
  const meanOf = (/** @type {number[]} */ values) => rounded(values.reduce((a, b) => a + b, 0) / values.length);
  const halves = known.map(({ci95}) => ci95).filter((half) => half !== null);
  return {n: Math.min(...known.map(({n}) => n)), mean: meanOf(known.map(({mean}) => mean)),
    ci95: halves.length < known.length ? null : meanOf(halves), sd: null, min: null, q1: null, median: null, q3: null, max: null,
    points: known.length};
}

/** @param {number} value */
export const rounded = (value) => (Number.isInteger(value) ? value : Number(value.toPrecision(6)));
/** @param {number} value */
const orNull = (value) => (Number.isNaN(value) ? null : rounded(value));

/**
 * Half of the 95% interval of a mean, by Student's t over the replications; null for one
 * replication.
 * @type {(n: number, sd: number) => number | null}
 */
const halfInterval = (n, sd) => (n > 1 ? rounded(sweep.t95[n - 1] * sd / Math.sqrt(n)) : null);

/**
 * n, mean, half of its 95% interval, standard deviation, minimum, quartiles, maximum; null for no
 * values.
 * @type {(values: number[]) => SweepSummary | null}
 */
function summedUp(values) {
  const n = values.length;
  if (n === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const mean = values.reduce((a, b) => a + b, 0) / n;
  const squares = values.reduce((a, b) => a + (b - mean) ** 2, 0);
  const sd = n > 1 ? Math.sqrt(squares / (n - 1)) : 0;
  const quantile = (/** @type {number} */ share) => {
    const at = share * (n - 1);
    const below = Math.floor(at);
    return sorted[below] + (sorted[Math.min(below + 1, n - 1)] - sorted[below]) * (at - below);
  };
  return {n, mean: rounded(mean), ci95: halfInterval(n, sd), sd: rounded(sd),
    min: rounded(sorted[0]), q1: rounded(quantile(0.25)), median: rounded(quantile(0.5)), q3: rounded(quantile(0.75)),
    max: rounded(sorted[n - 1])};
}

/**
 * A metric over several points. The value of a replication is the mean over them, and a replication
 * counts only if every point with any values has one in it. `points` is the number of such points.
 * @type {(metric: string, points: number[]) => (SweepSummary & {points: number}) | null}
 */
function sweepSummary(metric, points) {
  if (metricNamed(metric).summed) return keptSummaries(metric, points);
  const at = sweepValues(metric);
  const places = [...sweep.replications.keys()];
  const known = points.filter((p) => places.some((r) => !Number.isNaN(at(p, r))));
  if (known.length === 0) return null;
  const values = places.map((r) => known.reduce((sum, p) => sum + at(p, r), 0) / known.length)
    .filter((value) => !Number.isNaN(value));
  const summary = summedUp(values);
  return summary && {...summary, points: known.length};
}

const meansOf = remembered(
  /**
   * @param {SweepMetric} metric
   * @returns {(SweepMean | null)[]}
   */
  (metric) => {
    const at = columnOf(metric);
    const count = sweep.replications.length;
    const {summed} = metric;
    return sweep.keys.map((_, p) => {
      if (summed) return at(p, 0) === 0 ? null : {mean: rounded(at(p, 1)), ci95: orNull(at(p, 2))};
      let [n, sum, squares] = [0, 0, 0];
      for (let r = 0; r < count; ++r) {
        const value = at(p, r);
        if (!Number.isNaN(value)) {
          ++n;
          sum += value;
        }
      }
      if (n === 0) return null;
      const mean = sum / n;
      for (let r = 0; r < count && n > 1; ++r) {
        const value = at(p, r);
        if (!Number.isNaN(value)) squares += (value - mean) ** 2;
      }
      return {mean: rounded(mean), ci95: halfInterval(n, Math.sqrt(squares / (n - 1)))};
    });
  });

/**
 * The mean of a metric with its interval, by point; null if a point has no value. It is computed
 * once, for tables of all metrics.
 * @param {string} metric
 */
export const sweepMeansOf = (metric) => meansOf(metricNamed(metric));

/**
 * The axis with a name, if it exists.
 * @param {string | null} name
 */
export const axisNamed = (name) => sweep.axes.find((a) => a.name === name) ?? null;

/**
 * The axis of a figure.
 * @param {string} name
 */
export function axisOf(name) {
  const found = axisNamed(name);
  if (!found) throw new Error(`the sweep has no axis ${name}`);
  return found;
}

/**
 * The cells of a figure: {x, by, panel, ...summary}, with ascending indices into the axes' values.
 * `where` maps the name of an axis to the text of its value. An axis that is missing there is
 * averaged.
 * @type {(view: SweepView) => SweepCell[]}
 */
export function sweepCells({metric, x, by, panel, where}) {
  const filters = Object.entries(where).map(([name, text]) => ({points: axisOf(name).points, value: axisOf(name).values.indexOf(text)}));
  const [xs, bys, panels] = [axisOf(x), axisNamed(by), axisNamed(panel)];
  /** @type {Map<number, {x: number; by: number; panel: number; of: number[]}>} */
  const cells = new Map();
  sweep.keys.forEach((_, p) => {
    if (filters.some(({points, value}) => points[p] !== value)) return;
    const cell = {x: xs.points[p], by: bys?.points[p] ?? 0, panel: panels?.points[p] ?? 0};
    const key = (cell.panel * (bys?.values.length ?? 1) + cell.by) * xs.values.length + cell.x;
    cells.set(key, {...cell, of: [...(cells.get(key)?.of ?? []), p]});
  });
  return [...cells].sort(([a], [b]) => a - b).flatMap(([, {of, ...cell}]) => {
    const summary = sweepSummary(metric, of);
    return summary ? [{...cell, ...summary}] : [];
  });
}

/**
 * The axes that vary, except for some.
 * @param {(string | null)[]} names
 */
export const otherAxes = (names) => sweep.axes.filter((a) => a.values.length > 1 && !names.includes(a.name));

/**
 * Whether a metric differs anywhere. Such metrics come first in tables.
 * @param {string} name
 */
export const metricVaries = (name) => {
  const means = sweepMeansOf(name).flatMap((s) => (s ? [s.mean] : []));
  return means.some((mean) => mean !== means[0]);
};
