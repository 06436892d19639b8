/* Where each metric of a sweep is best. */

import {defined} from "../base/definitions.js";
import {el} from "../base/dom.js";
import {sweep} from "../base/state.js";
import {table} from "../base/table.js";
import {isPlain, quantity} from "../base/text.js";
import {saveButton} from "./save_button.js";
import {metricVaries, sweepMeansOf} from "./sweep_data.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {SweepMean} from "./sweep.d.ts" */

/**
 * For each metric, the points with the least and the greatest mean.
 * @returns {Made}
 */
export function sweepBest() {
  const names = sweep.metrics.map((m) => m.name).filter(metricVaries);
  if (names.length === 0) return null;
  const place = (/** @type {number} */ p) => sweep.axes.filter((a) => a.values.length > 1).map((a) => `${a.name} ${a.values[a.points[p]]}`).join(", ");
  const rows = names.map((name) => {
    const known = sweepMeansOf(name).flatMap((s, p) => (s ? [{s, p}] : []));
    const least = known.reduce((a, b) => (b.s.mean < a.s.mean ? b : a));
    const most = known.reduce((a, b) => (b.s.mean > a.s.mean ? b : a));
    const more = (/** @type {{s: SweepMean}} */ {s: {mean}}) => known.filter(({s}) => s.mean === mean).length - 1;
    const at = (/** @type {{s: SweepMean; p: number}} */ one) => `${place(one.p)}${more(one) > 0 ? ` and ${more(one)} more` : ""}`;
    return {name, least, most, leastAt: at(least), mostAt: at(most)};
  });
  const value = (/** @type {string} */ name, /** @type {{s: SweepMean}} */ {s}) => quantity(name, s.mean, s.ci95);
  const box = table([{title: "Metric", class: "name"}, {title: "least", number: true}, {title: "at", class: "place"},
    {title: "greatest", number: true}, {title: "at", class: "place"}],
    () => rows.map(({name, least, most, leastAt, mostAt}) => [isPlain() ? name : el("code", {}, defined(name)), value(name, least), leastAt, value(name, most), mostAt]), {label: "Best points", shown: 12});
  return [
    el("p", {class: "lead"}, "The points with the least and with the greatest mean of each metric; the first, and how many more are equal. " +
      "Neighbours may differ from them by chance alone: see the intervals."),
    box,
    saveButton("best-points", () => ["metric", "least", "least ci95", "least at", "greatest", "greatest ci95", "greatest at"],
      () => rows.map(({name, least, most, leastAt, mostAt}) => [name, least.s.mean, least.s.ci95, leastAt, most.s.mean, most.s.ci95, mostAt])),
  ];
}
