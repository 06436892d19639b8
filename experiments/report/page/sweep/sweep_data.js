/* A sweep's numbers: a metric at each point and in each replication, and what figures make of them. */

import {sweep} from "../base/state.js";
import {unpackedFloats} from "../base/unpack.js";

const sweepColumns = new Map();  // metric to its values, unpacked when first asked for
export const metricNamed = (name) => sweep.metrics.find((m) => m.name === name);

/** What a metric is at a point and in the replication at a place, or at a place of its summary. NaN where there is nothing. */
export function sweepValues(metric) {
  if (!sweepColumns.has(metric)) {
    const {values, summed} = metricNamed(metric);
    const count = summed ? summaryParts.length : sweep.replications.length;
    const unfinished = new Set(sweep.unfinished);
    let at;
    if (typeof values === "number") {
      at = (point) => (unfinished.has(point) ? NaN : values);
    } else {
      const column = unpackedFloats(values);
      at = column.length === sweep.keys.length ? (point) => column[point] : (point, r) => column[point * count + r];
    }
    sweepColumns.set(metric, at);
  }
  return sweepColumns.get(metric);
}

// Of a sweep with many replications a page has these instead of the values.
const summaryParts = ["n", "mean", "ci95", "sd", "min", "q1", "median", "q3", "max"];

/** The summary of one point of such a metric, or null. */
function keptSummary(metric, point) {
  const at = sweepValues(metric);
  if (at(point, 0) === 0) return null;
  return Object.fromEntries(summaryParts.map((part, i) => [part, orNull(at(point, i))]));
}

/**
 * The same of several points: means of their means and of their intervals. The interval of the mean is not wider
 * than that, however the points go together; quartiles are not known.
 */
function keptSummaries(metric, points) {
  const known = points.map((p) => keptSummary(metric, p)).filter(Boolean);
  if (known.length < 2) return known.length === 0 ? null : {...known[0], points: 1};
  const mean = (part) => (known.some((one) => one[part] == null) ? null
    : rounded(known.reduce((sum, one) => sum + one[part], 0) / known.length));
  return {...Object.fromEntries(summaryParts.map((part) => [part, null])), n: Math.min(...known.map(({n}) => n)),
    mean: mean("mean"), ci95: mean("ci95"), points: known.length};
}

export const rounded = (value) => (Number.isInteger(value) ? value : Number(value.toPrecision(6)));
const orNull = (value) => (Number.isNaN(value) ? null : rounded(value));

/** Half of the 95% interval of a mean, by Student's t over the replications; one replication has none. */
const halfInterval = (n, sd) => (n > 1 ? rounded(sweep.t95[n - 1] * sd / Math.sqrt(n)) : null);

/** n, mean, half of its 95% interval, standard deviation, least, quartiles, greatest; null of nothing. */
function summedUp(values) {
  const n = values.length;
  if (n === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const mean = values.reduce((a, b) => a + b, 0) / n;
  const squares = values.reduce((a, b) => a + (b - mean) ** 2, 0);
  const sd = n > 1 ? Math.sqrt(squares / (n - 1)) : 0;
  const quantile = (share) => {
    const at = share * (n - 1);
    const below = Math.floor(at);
    return sorted[below] + (sorted[Math.min(below + 1, n - 1)] - sorted[below]) * (at - below);
  };
  return {n, mean: rounded(mean), ci95: halfInterval(n, sd), sd: rounded(sd),
    min: rounded(sorted[0]), q1: rounded(quantile(0.25)), median: rounded(quantile(0.5)), q3: rounded(quantile(0.75)),
    max: rounded(sorted[n - 1])};
}

/**
 * A metric over some points: a replication's value is the mean over them, and a replication counts
 * when every point that has values at all has one in it. `points` says how many those are.
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

/** {mean, ci95} of a metric by point, null where it has no value; for tables of all metrics, computed once. */
const sweepMeans = new Map();

export function sweepMeansOf(metric) {
  if (sweepMeans.has(metric)) return sweepMeans.get(metric);
  const at = sweepValues(metric);
  const count = sweep.replications.length;
  const {summed} = metricNamed(metric);
  const means = sweep.keys.map((_, p) => {
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
  sweepMeans.set(metric, means);
  return means;
}

export const axisNamed = (name) => sweep.axes.find((a) => a.name === name) ?? null;

/**
 * The cells of a figure: {x, by, panel, ...summary}, places among the axes' values, ascending.
 * `where`: axis name to the text of its value; an axis that is not there is averaged.
 */
export function sweepCells({metric, x, by, panel, where}) {
  const filters = Object.entries(where).map(([name, text]) => [axisNamed(name), text])
    .map(([a, text]) => [a.points, a.values.indexOf(text)]);
  const [xs, bys, panels] = [x, by, panel].map((name) => axisNamed(name));
  const cells = new Map();
  sweep.keys.forEach((_, p) => {
    if (filters.some(([points, value]) => points[p] !== value)) return;
    const cell = {x: xs.points[p], by: bys?.points[p] ?? 0, panel: panels?.points[p] ?? 0};
    const key = (cell.panel * (bys?.values.length ?? 1) + cell.by) * xs.values.length + cell.x;
    if (!cells.has(key)) cells.set(key, {...cell, of: []});
    cells.get(key).of.push(p);
  });
  return [...cells.keys()].sort((a, b) => a - b).map((key) => {
    const {of, ...cell} = cells.get(key);
    const summary = sweepSummary(metric, of);
    return summary && {...cell, ...summary};
  }).filter(Boolean);
}

/** The axes that vary, apart from some. */
export const otherAxes = (names) => sweep.axes.filter((a) => a.values.length > 1 && !names.includes(a.name));

/** Metrics that differ somewhere come first in tables. */
export const metricVaries = (name) => {
  const means = sweepMeansOf(name).filter(Boolean).map((s) => s.mean);
  return means.some((mean) => mean !== means[0]);
};
