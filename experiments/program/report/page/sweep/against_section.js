/* Every point compared with one point: the table. */

import {choice, el} from "../base/dom.js";
import {sweep} from "../base/state.js";
import {table} from "../base/table.js";
import {spaced, quantity} from "../base/text.js";
import {intervalText, ofChance, signed, verdictCell} from "../compare/verdicts.js";
import {differencesAgainst, pointText} from "./differences.js";
import {saveButton} from "./save_button.js";
import {sweepMeansOf} from "./sweep_data.js";
import {changed, sweepView} from "./sweep_view.js";
/** @import {Made} from "../base/page.d.ts" */

/** @returns {Made} */
export function sweepAgainst() {
  const {metric} = sweepView;
  if (sweep.keys.length - sweep.unfinished.length < 2) return null;
  if (!sweep.against) {
    return [el("p", {class: "faint"}, "The points have different seeds, so that their replications are not pairs.")];
  }
  const {baselines, headlines} = sweep.against;
  const place = Math.max(0, baselines.indexOf(sweepView.against));
  const baseline = baselines[place];
  const controls = el("div", {class: "controls"}, choice("Baseline", baselines.map(pointText), place, (i) => {
    sweepView.against = baselines[i];
    changed();
  }, "sweep-against"));
  const own = sweepMeansOf(metric)[baseline];
  const rows = differencesAgainst(metric, baseline);
  if (!own || rows.length === 0) {
    return {controls, content: [el("p", {class: "faint"}, own ? `${metric} is equal at every point, replication by replication.`
      : `The baseline has no value of ${metric}.`)]};
  }
  const columns = [{title: "point", class: "name"}, {title: "mean", number: true}, {title: "difference", number: true},
    {title: "95% interval", number: true}, {title: "p (Holm)", number: true}, {title: "verdict"}];
  const cells = (/** @type {boolean} */ saved) => rows.map((row) => {
    const of = sweepMeansOf(metric)[row.point];
    return [pointText(row.point), quantity(metric, of?.mean, of?.ci95), signed(row), intervalText(row), ofChance(row.p_holm),
      saved ? row.verdict : verdictCell(row)];
  });
  const family = headlines[place].includes(metric) ? `the ${headlines[place].length} headline numbers` : "all metrics but the headline numbers";
  return {
    controls,
    content: [
      el("p", {class: "lead"}, `${spaced(metric)} of each point less that of ${pointText(baseline)} (${quantity(metric, own.mean, own.ci95)}), ` +
        `in pairs of replications with one seed, with the verdict that berth compare has of the same two points: p is corrected by Holm for ${family} of each pair of points, ` +
        "so that of twenty points that do not differ one may still look different. An interval is of its own point and metric alone." +
        (baselines.length < sweep.keys.length - sweep.unfinished.length ? ` The first ${baselines.length} points can be baselines here; berth compare --against takes any.` : "")),
      table(columns, () => cells(false), {label: "Against one point", shown: 20}),
      saveButton("against", () => columns.map(({title}) => title), () => cells(true)),
    ],
  };
}
