/* The claims of experiments: what was published or expected, what was measured, and whether the
   claim holds. */

import {defined} from "../base/definitions.js";
import {el} from "../base/dom.js";
import {data} from "../base/state.js";
import {table} from "../base/table.js";
import {number, plural} from "../base/text.js";
import {figure} from "../figures/show.js";
import {publishedFigure} from "./published_figure.js";
/** @import {Child, Made} from "../base/page.d.ts" */
/** @import {Claim, Run} from "../data.d.ts" */

/** @typedef {{claim: Claim; run: Run; link?: Child}} ClaimRow */

/** @type {(runs: Run[]) => ClaimRow[]} */
export const claimsOf = (runs) => runs.flatMap((run) => run.claims.map((claim) => ({claim, run})));

/**
 * Such as `69 of 70 claims hold`.
 * @param {Claim[]} claims
 */
export function heldText(claims) {
  const held = claims.filter((claim) => claim.holds).length;
  return claims.length === 1 && held === 1 ? "The one claim holds" : `${number(held)} of ${plural(claims.length, "claim")} hold${held === 1 ? "s" : ""}`;
}

/** @param {Claim} claim */
export const verdict = ({holds}) => el("span", {class: `verdict ${holds ? "holds" : "fails"}`}, holds ? "✓ holds" : "✗ does not hold");

/**
 * The text of a claim; for an expectation, which is in the metric's own unit, its name with the
 * unit.
 * @param {Claim} claim
 */
function nameOf({text, expectation}) {
  const known = data.definitions[text];
  return known ? el("span", {}, defined(text), expectation && known.unit ? ` (${known.unit})` : "") : text;
}

/**
 * A table of claims, those that fail first. If there are several runs, each claim links to its run.
 * @type {(rows: ClaimRow[], label: string) => HTMLElement}
 */
export function claimsTable(rows, label) {
  const linked = rows.some(({link}) => link);
  const sourced = rows.some(({claim}) => claim.source);
  const optional = (/** @type {boolean} */ there, /** @type {any} */ one) => (there ? [one] : []);
  const sorted = [...rows].sort((a, b) => Number(a.claim.holds) - Number(b.claim.holds));
  return el("div", {class: "claims-table"}, table(
    [...optional(linked, {title: "Run", class: "run"}), {title: "Claim", class: "claim"}, {title: "Verdict", class: "verdict-cell"}, {title: "Expected", class: "expected"},
      {title: "Measured", class: "measured"}, ...optional(sourced, {title: "Source", class: "source"})],
    sorted.map(({claim, link}) => [...optional(linked, link), nameOf(claim), verdict(claim),
      claim.expected, claim.measured, ...optional(sourced, claim.source ?? "")]), {label}));
}

/**
 * The figures of a run's source beside the measured ones, each with its claim.
 * @type {(rows: ClaimRow[]) => HTMLElement[]}
 */
export function publishedFigures(rows) {
  /** @type {Map<Run, ClaimRow[]>} */
  const byRun = new Map();
  for (const row of rows.filter(({claim}) => claim.figure)) byRun.set(row.run, [...(byRun.get(row.run) ?? []), row]);
  return [...byRun].map(([run, ofRun]) => {
    const {claim: {source}, link} = ofRun[0];
    const heading = source ? source[0].toUpperCase() + source.slice(1) : "Published";
    return el("article", {class: "published", "aria-label": heading},
      el("h3", {}, heading, ": ", link ?? run.experiment),
      ofRun.flatMap(({claim}) => (claim.figure ? [figure(publishedFigure({figure: claim.figure, run}), {after: [el("p", {class: "carried"}, verdict(claim), `: ${claim.text}, `,
        claim.expected === claim.measured ? `${claim.expected} in both` : `${claim.expected} published, ${claim.measured} measured`)]})] : [])));
  });
}

/** @type {(run: Run) => Made} */
export function claimsSection(run) {
  if (run.claims.length === 0) return null;
  const rows = claimsOf([run]);
  const figures = publishedFigures(rows);
  return [
    el("p", {class: "lead"}, `${heldText(run.claims)}.`),
    figures.length > 0 ? el("div", {class: "published-figures"}, figures) : null,
    claimsTable(rows, "Claims"),
  ];
}
