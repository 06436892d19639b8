/* The form of differences between runs, and of verdicts on them. */

import {el} from "../base/dom.js";
import {inOneUnit, isPlain, number} from "../base/text.js";
/** @import {MetricComparison, Value} from "../data.d.ts" */

/** @typedef {Pick<MetricComparison, "metric" | "difference" | "ci95">} Difference */

/** @param {Difference} m */
export const signed = (m) => (m.difference > 0 && !isPlain() ? "+" : "") + inOneUnit(m.metric, [m.difference], m.ci95);
/** @param {Value | undefined} p */
export const ofChance = (p) => (p == null ? "–" : p < 0.0001 ? "< 0.0001" : number(Number(p.toPrecision(2))));

/** @typedef {{symbol: string; sign: string; colour: string; rotate?: number}} VerdictLook */

/**
 * Each verdict has a shape as well as a colour.
 * @type {Record<string, VerdictLook>}
 */
export const verdictLooks = {
  "better": {symbol: "triangle", sign: "▲", colour: "holds"},
  "worse": {symbol: "triangle", rotate: 180, sign: "▼", colour: "fails"},
  "higher": {symbol: "diamond", sign: "◆", colour: "series-1"},
  "lower": {symbol: "diamond", sign: "◆", colour: "series-1"},
};

/** @type {(m: {verdict: string}) => VerdictLook} */
export const verdictLook = (m) => verdictLooks[m.verdict] ?? {symbol: "emptyCircle", sign: "○", colour: "muted"};

/** @param {Difference} m */
export const intervalText = (m) => (m.ci95 == null ? "–"
  : inOneUnit(m.metric, [m.difference - m.ci95, m.difference + m.ci95], m.ci95));

/**
 * A single pair of replications has no verdict.
 * @param {{verdict: string}} m
 */
export function verdictCell(m) {
  if (m.verdict === "too few pairs") return "–";
  const look = verdictLook(m);
  const kind = {holds: " holds", fails: " fails"}[look.colour] ?? "";
  return el("span", {class: `verdict${kind}`}, `${look.sign} ${m.verdict}`);
}
