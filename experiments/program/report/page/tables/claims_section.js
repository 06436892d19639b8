/* The claims of an experiment, and whether they hold. */

import {defined} from "../base/definitions.js";
import {el} from "../base/dom.js";
import {data} from "../base/state.js";
import {table} from "../base/table.js";
import {plural} from "../base/text.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @type {(run: Run) => Made} */
export function claims(run) {
  if (run.claims.length === 0) return null;
  const held = run.claims.filter((c) => c.holds).length;
  const verdict = (/** @type {boolean} */ holds) => el("span", {class: `verdict ${holds ? "holds" : "fails"}`},
    holds ? "✓ holds" : "✗ does not hold");
  return [
    el("p", {class: "lead"}, held === run.claims.length
      ? `All ${plural(held, "claim")} hold.`.replace("All 1 claim hold", "The one claim holds")
      : `${held} of ${plural(run.claims.length, "claim")} hold.`),
    table([{title: "Claim"}, {title: "Expected"}, {title: "Measured"}, {title: "Verdict"}],
      run.claims.map((c) => [data.definitions[c.text] ? el("span", {}, defined(c.text), unitBehind(c.text)) : c.text, c.expected, c.measured, verdict(c.holds)]), {label: "Claims"}),
  ];
}

/**
 * ` (s)` behind a metric's name.
 * @param {string} metric
 */
const unitBehind = (metric) => (data.definitions[metric].unit ? ` (${data.definitions[metric].unit})` : "");
