/* Every point against one: the table. */

import {choice, el} from "../base/dom.js";
import {sweep} from "../base/state.js";
import {table} from "../base/table.js";
import {isPlain, plural, spaced, toInterval, withInterval} from "../base/text.js";
import {ofChance} from "../compare/verdicts.js";
import {againstVerdict, differencesAgainst, pointText} from "./differences.js";
import {saveButton} from "./save_button.js";
import {metricNamed, sweepMeansOf} from "./sweep_data.js";
import {changed, sweepView} from "./sweep_view.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {PointDifference} from "./sweep.d.ts" */

/** @returns {Made} */
export function sweepAgainst() {
  const finished = [...sweep.keys.keys()].filter((p) => !sweep.unfinished.includes(p));
  const {metric} = sweepView;
  if (finished.length < 2) return null;
  if (sweep.seeds.length === 0) {
    return [el("p", {class: "faint"}, "The points have different seeds, so that their replications are not pairs.")];
  }
  const baseline = finished.includes(sweepView.against) ? sweepView.against : finished[0];
  const controls = el("div", {class: "controls"}, choice("Baseline", finished.map(pointText), finished.indexOf(baseline), (i) => {
    sweepView.against = finished[i];
    changed();
  }, "sweep-against"));
  const summed = metricNamed(metric).summed;
  const own = sweepMeansOf(metric)[baseline];
  if (summed || sweep.replications.length < 2 || !own) {
    return {controls, content: [el("p", {class: "faint"}, summed
      ? "To stay small, this page has no single replications of this metric: berth compare has the pairs."
      : `There are no pairs of replications with ${metric}: expected two replications or more.`)]};
  }
  const {rows, tests} = differencesAgainst(metric, baseline);
  const ends = (/** @type {PointDifference} */ {mean, ci95}) => (ci95 == null ? "–"
    : `${toInterval(metric, mean - ci95, ci95)} to ${toInterval(metric, mean + ci95, ci95)}`);
  const columns = [{title: "point", class: "name"}, {title: "mean", number: true}, {title: "difference", number: true},
    {title: "95% interval", number: true}, {title: "p (Holm)", number: true}, {title: "verdict"}];
  const cells = () => rows.map((row) => {
    const of = sweepMeansOf(metric)[row.point];
    const sign = row.mean > 0 && !isPlain() ? "+" : "";
    return [pointText(row.point), withInterval(metric, of?.mean, of?.ci95), `${sign}${toInterval(metric, row.mean, row.ci95)}`, ends(row),
      ofChance(row.holm), againstVerdict(row)];
  });
  return {
    controls,
    content: [
      el("p", {class: "lead"}, `${spaced(metric)} of each point less that of ${pointText(baseline)} (${withInterval(metric, own.mean, own.ci95)}), ` +
        "in pairs of replications with one seed: Student's t for pairs, p corrected for " +
        `${plural(tests, "test")} by Holm, verdicts at 5% of them all together. An interval is of its own point alone.`),
      table(columns, cells, {label: "Against one point", shown: 20}),
      saveButton("against", () => columns.map(({title}) => title), cells),
    ],
  };
}
