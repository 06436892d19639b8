/* The real differences between runs: each run is compared with the first, paired by seed. */

import {defined} from "../base/definitions.js";
import {choice, el} from "../base/dom.js";
import {redrawSections} from "../base/sections.js";
import {data, runNames} from "../base/state.js";
import {table} from "../base/table.js";
import {duration, inOneUnit, number, plural} from "../base/text.js";
import {shownFigure} from "../figures/show.js";
import {forestFigure} from "./forest_figure.js";
import {intervalText, ofChance, signed, verdictCell} from "./verdicts.js";
/** @import {Cell, Column} from "../base/tables.d.ts" */
/** @import {Fate, Fates, MetricComparison} from "../data.d.ts" */
/** @import {Made} from "../base/page.d.ts" */

let comparedWith = 0;  // the index of the comparison that is shown

/** @type {(m: MetricComparison) => Cell[]} */
function differenceRow(m) {
  return [el("code", {}, defined(m.metric)), inOneUnit(m.metric, [m.baseline], m.ci95), inOneUnit(m.metric, [m.run], m.ci95), signed(m), intervalText(m),
    m.effect == null ? "–" : m.effect.toFixed(2), ofChance(m.p_holm), verdictCell(m)];
}

/** @type {Column[]} */
const differenceColumns = [{title: "metric", class: "name"}, {title: "baseline", number: true}, {title: "this run", number: true},
  {title: "difference", number: true}, {title: "95% interval", number: true}, {title: "effect", number: true},
  {title: "p (Holm)", number: true}, {title: "verdict"}];

/** @param {Fate} fate */
function fateCell(fate) {
  const parts = [fate.outcome + (fate.place ? ` on ${fate.place}` : "")];
  if (fate.wait_s != null) parts.push(`waited ${duration(fate.wait_s)}`);
  if (fate.jct_s != null) parts.push(`done after ${duration(fate.jct_s)}`);
  return el("span", {}, parts.join(", "), fate.reason ? el("span", {class: "delta"}, fate.reason) : null);
}

/**
 * @param {Fates} fates
 * @param {string} noun
 */
function fatesTable(fates, noun) {
  if (fates.both + fates.baseline_only + fates.run_only === 0) return [];
  const shown = fates.most_changed.length;
  const outcomes = fates.outcomes.map((o) => `${number(o.n)} ${o.baseline} → ${o.run}`);
  const alone = fates.baseline_only + fates.run_only > 0
    ? ` ${number(fates.baseline_only)} are in the baseline alone, ${number(fates.run_only)} in this run alone.` : "";
  return [
    el("h3", {class: "below"}, `The ${noun}s whose fate changed most`),
    el("p", {class: "lead"}, `Of ${plural(fates.both, noun)} in both, ${number(fates.waited_longer)} waited longer, ` +
      `${number(fates.waited_shorter)} shorter; ${number(fates.moved)} were placed elsewhere.${alone}` +
      (outcomes.length > 0 ? ` Ended otherwise: ${outcomes.join(", ")}.` : "") +
      (shown > 0 ? ` The table names ${plural(shown, noun)}, the greatest change first; berth compare --pods names as many as one asks for.` : "")),
    fates.most_changed.length === 0 ? null
      : table([{title: noun, class: "name"}, {title: "replication", number: true}, {title: "baseline", class: "message"}, {title: "this run", class: "message"}],
        fates.most_changed.map((f) => [el("span", {style: "white-space:nowrap"}, f.name), String(f.replication), fateCell(f.baseline), fateCell(f.run)]), {label: `Fates of ${noun}s`, shown: 10}),
  ];
}

/** @returns {Made} */
export function differencesSection() {
  const all = data.comparison?.comparisons ?? [];
  if (all.length === 0) return null;
  comparedWith = Math.min(comparedWith, all.length - 1);
  const comparison = all[comparedWith];
  const headline = data.comparison?.headline ?? [];
  const others = comparison.metrics_compared - comparison.metrics.length;
  const leftOut = comparison.baseline_left_out + comparison.run_left_out;
  return {
    controls: all.length === 1 ? null : el("div", {class: "controls"}, choice("Run", all.map((c) => runNames[c.place]), comparedWith, (i) => {
      comparedWith = i;
      redrawSections(["differences"]);
    }, "compared-with")),
    content: [
      comparison.warning ? el("p", {class: "lead warning", role: "note"}, `Warning: ${comparison.warning}.`) : null,
      el("p", {class: "lead"}, `${runNames[comparison.place]} against ${runNames[0]}, the baseline: ${plural(comparison.pairs, "pair")} of replications with one seed each. ` +
        (leftOut > 0 ? `${plural(leftOut, "replication")} without a partner left out. ` : "") +
        (others > 0 ? `${plural(others, "metric")} ${others === 1 ? "is" : "are"} equal in every pair and ${others === 1 ? "has" : "have"} no row. ` : "") +
        (comparison.pairs === 1 ? "One pair tells no difference from chance, so there is no verdict." :
          `Student's t for pairs; p is corrected by Holm in two families: ${headline.length > 0 ? `the headline numbers (${headline.join(", ")}), and the other metrics` : "all metrics"}; effect is Hedges' g.`)),
      shownFigure(forestFigure, {comparison, names: runNames}),
      comparison.metrics.length === 0 ? null : el("div", {class: "below"},
        table(differenceColumns, () => comparison.metrics.map(differenceRow), {label: "Differences", shown: 12})),
      ...fatesTable(comparison.groups, "group"),
      ...fatesTable(comparison.pods, "pod"),
    ],
  };
}
