/* Every point of a sweep against one of them: pairs of replications with one seed. */

import {sweep} from "../base/state.js";
import {holmAdjusted, ofStudent} from "./student.js";
import {sweepMeansOf, sweepValues} from "./sweep_data.js";
/** @import {PointDifference} from "./sweep.d.ts" */

/**
 * A point less the baseline in one metric: {n, mean, ci95, p, equal}; p and ci95 are null where nothing can be tested. Null without a pair.
 * @type {(metric: string, point: number, baseline: number) => Omit<PointDifference, "point"> | null}
 */
function pairedDifference(metric, point, baseline) {
  const rounding = 2.5e-7;  // the page's numbers have 24 bits
  const at = sweepValues(metric);
  /** @type {number[]} */
  const differences = [];
  for (const r of sweep.replications.keys()) {
    const [value, before] = [at(point, r), at(baseline, r)];
    if (Number.isNaN(value) || Number.isNaN(before)) continue;
    const same = Math.abs(value - before) <= rounding * Math.max(Math.abs(value), Math.abs(before));
    differences.push(same ? 0 : value - before);
  }
  const n = differences.length;
  const equal = differences.every((d) => d === 0);
  if (n === 0) return null;
  const mean = differences.reduce((a, b) => a + b, 0) / n;
  if (n < 2 || equal) return {n, mean, ci95: equal && n > 1 ? 0 : null, p: null, equal};
  const sd = Math.sqrt(differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / (n - 1));
  const error = sd / Math.sqrt(n);
  return {n, mean, ci95: sweep.t95[n - 1] * error, p: error === 0 ? 0 : ofStudent(mean / error, n - 1), equal};
}

/**
 * Each finished point against the baseline, with the p that Holm's correction leaves of all tests.
 * @type {(metric: string, baseline: number) => {rows: PointDifference[]; tests: number}}
 */
export function differencesAgainst(metric, baseline) {
  const rows = [...sweep.keys.keys()].filter((p) => p !== baseline && sweepMeansOf(metric)[p])
    .flatMap((point) => {
      const difference = pairedDifference(metric, point, baseline);
      return difference ? [{point, ...difference}] : [];
    });
  const tested = rows.flatMap(({p}) => p ?? []);
  const adjusted = holmAdjusted(tested);
  return {rows: rows.map((row) => (row.p === null ? row : {...row, holm: adjusted.shift()})), tests: tested.length};
}

/** @param {PointDifference} row */
export const againstVerdict = ({equal, holm, mean}) => (equal ? "equal" : holm === undefined ? "too few pairs"
  : holm >= 0.05 ? "no difference shown" : mean > 0 ? "higher" : "lower");

/** @param {number} p */
export const pointText = (p) => sweep.axes.filter((a) => a.values.length > 1).map((a) => `${a.name} ${a.values[a.points[p]]}`).join(", ");
