/* The axes of a sweep, and its configuration. */

import {el} from "../base/dom.js";
import {lastOf} from "../base/lists.js";
import {sweep} from "../base/state.js";
import {table} from "../base/table.js";
import {number, plural} from "../base/text.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {SweepAxis} from "../data.d.ts" */

/** @returns {Made} */
export function sweepOverview() {
  const finished = sweep.keys.length - sweep.unfinished.length;
  const kinds = (/** @type {SweepAxis} */ a) => (a.numbers === null ? "names" : "numbers") + (a.given ? ", given: the work that comes" : ", chosen");
  const values = (/** @type {SweepAxis} */ a) => (a.values.length <= 12 ? a.values.join(", ")
    : `${a.values.slice(0, 5).join(", ")}, … ${a.values.slice(-2).join(", ")}`);
  return [
    el("p", {class: "lead"}, finished === sweep.keys.length ? `All ${plural(finished, "point")} are finished.`.replace("All 1 point are", "The one point is")
      : `${number(finished)} of ${plural(sweep.keys.length, "point")} are finished.`,
    sweep.seeds.length > 0 ? ` The seeds are ${sweep.seeds.length > 3 ? `${sweep.seeds[0]} to ${lastOf(sweep.seeds)}` : sweep.seeds.join(", ")}.` : "",
    sweep.seeds.length > 0 ? " Every point has the same seeds, so that differences between points are not those between seeds." : ""),
    table([{title: "Axis", class: "name"}, {title: "values", number: true}, {title: "of"}, {title: "which"}],
      sweep.axes.map((a) => [a.name, number(a.values.length), kinds(a), values(a)]), {label: "Axes"}),
    sweep.metrics.some((m) => m.summed) ? el("p", {class: "faint"}, "To stay small, this page has means, intervals and quartiles of each point rather than " +
      "every replication. Where points are averaged, the interval is the mean of theirs: too wide rather than too narrow.") : null,
    sweep.leftOut.length > 0 ? el("p", {class: "faint"}, `This page leaves out ${plural(sweep.leftOut.length, "metric")} to stay small; ` +
      `results.csv has them: ${sweep.leftOut.slice(0, 8).join(", ")}${sweep.leftOut.length > 8 ? ", …" : ""}.`) : null,
  ];
}

/** @returns {Made} */
export function sweepConfiguration() {
  return [el("p", {class: "lead"}, "Running this again gives the same numbers."),
    el("details", {}, el("summary", {}, "sweep.yaml"), el("pre", {tabindex: "0"}, sweep.configuration))];
}
