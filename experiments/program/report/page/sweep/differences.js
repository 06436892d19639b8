/* Every point of a sweep compared with one of them, with the verdicts of berth compare:
   sweep_data.cpp, against(). */

import {remembered} from "../base/lists.js";
import {sweep} from "../base/state.js";
import {unpackedFloats} from "../base/unpack.js";
/** @import {PointDifference} from "./sweep.d.ts" */

const valuesOf = remembered((/** @type {{values: string}} */ {values}) => unpackedFloats(values));

/**
 * Each finished point compared with a baseline in one metric; empty for a metric that is equal in
 * every pair.
 * @type {(metric: string, baseline: number) => PointDifference[]}
 */
export function differencesAgainst(metric, baseline) {
  const known = sweep.against?.metrics[metric];
  const place = sweep.against?.baselines.indexOf(baseline) ?? -1;
  if (!sweep.against || !known || place < 0) return [];
  const {names} = sweep.against;
  const values = valuesOf(known);
  const orNull = (/** @type {number} */ value) => (Number.isNaN(value) ? null : value);
  return [...sweep.keys.keys()].flatMap((point) => {
    const at = place * sweep.keys.length + point;
    if (known.verdicts[at] === "-") return [];
    return [{point, difference: values[3 * at], ci95: orNull(values[3 * at + 1]), p_holm: orNull(values[3 * at + 2]),
      verdict: names[Number(known.verdicts[at])], metric}];
  });
}

/** @param {number} p */
export const pointText = (p) => sweep.axes.filter((a) => a.values.length > 1).map((a) => `${a.name} ${a.values[a.points[p]]}`).join(", ");
