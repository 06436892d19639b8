/* Every point of a sweep against one of them: pairs of replications with one seed. */

import {sweep} from "../base/state.js";
import {holmAdjusted, ofStudent} from "./student.js";
import {sweepMeansOf, sweepValues} from "./sweep_data.js";

/** A point less the baseline in one metric: {n, mean, ci95, p, equal}; p and ci95 are null where nothing can be tested. */
function pairedDifference(metric, point, baseline) {
  const rounding = 2.5e-7;  // the page's numbers have 24 bits
  const at = sweepValues(metric);
  const differences = [];
  for (const r of sweep.replications.keys()) {
    const [value, before] = [at(point, r), at(baseline, r)];
    if (Number.isNaN(value) || Number.isNaN(before)) continue;
    const same = Math.abs(value - before) <= rounding * Math.max(Math.abs(value), Math.abs(before));
    differences.push(same ? 0 : value - before);
  }
  const n = differences.length;
  const equal = differences.every((d) => d === 0);
  const mean = n === 0 ? null : differences.reduce((a, b) => a + b, 0) / n;
  if (n < 2 || equal) return {n, mean, ci95: equal && n > 1 ? 0 : null, p: null, equal};
  const sd = Math.sqrt(differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / (n - 1));
  const error = sd / Math.sqrt(n);
  return {n, mean, ci95: sweep.t95[n - 1] * error, p: error === 0 ? 0 : ofStudent(mean / error, n - 1), equal};
}

/** Each finished point against the baseline, with the p that Holm's correction leaves of all tests. */
export function differencesAgainst(metric, baseline) {
  const rows = [...sweep.keys.keys()].filter((p) => p !== baseline && sweepMeansOf(metric)[p])
    .map((point) => ({point, ...pairedDifference(metric, point, baseline)})).filter(({n}) => n > 0);
  const tested = rows.filter(({p}) => p !== null);
  const adjusted = holmAdjusted(tested.map(({p}) => p));
  tested.forEach((row, i) => { row.holm = adjusted[i]; });
  return {rows, tests: tested.length};
}

export const againstVerdict = ({equal, holm, mean}) => (equal ? "equal" : holm === undefined ? "too few pairs"
  : holm >= 0.05 ? "no difference shown" : mean > 0 ? "higher" : "lower");

export const pointText = (p) => sweep.axes.filter((a) => a.values.length > 1).map((a) => `${a.name} ${a.values[a.points[p]]}`).join(", ");
