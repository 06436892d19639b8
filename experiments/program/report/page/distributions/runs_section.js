/* One metric in all runs, if there are several. */

import {choice, el} from "../base/dom.js";
import {redrawSections} from "../base/sections.js";
import {data, runNames, state} from "../base/state.js";
import {shownFigure} from "../figures/show.js";
import {runsFigure} from "./runs_figure.js";
/** @import {Made} from "../base/page.d.ts" */

/**
 * One metric in all runs, if there are several.
 * @returns {Made}
 */
export function compareSection() {
  if (data.runs.length < 2) return null;
  const names = [...new Set(data.runs.flatMap((run) => run.metrics.map((m) => m.name)))].filter((name) =>
    data.runs.filter((run) => run.metrics.some((m) => m.name === name && m.mean != null)).length > 1);
  if (names.length === 0) return null;
  const differs = (/** @type {string} */ name) => new Set(data.runs.map((run) => run.metrics.find((m) => m.name === name)?.mean)).size > 1;
  const usual = data.runs[0].answer.numbers.map(({metric}) => metric);
  const rank = (/** @type {string} */ name) => (differs(name) ? (usual.includes(name) ? usual.indexOf(name) : usual.length) : usual.length + 1);
  names.sort((a, b) => rank(a) - rank(b));
  const equal = names.filter((name) => !differs(name));
  names.splice(names.length - equal.length, equal.length);
  if (names.length === 0) return [el("p", {class: "lead"}, "No metric differs between the runs.")];
  state.compared = Math.min(state.compared, names.length - 1);
  const name = names[state.compared];
  const rows = data.runs.flatMap((run, i) => {
    const metric = run.metrics.find((m) => m.name === name);
    const box = run.distributions.find((d) => d.of === "replication" && d.name === name);
    return metric?.mean == null ? [] : [{label: runNames[i], metric: {...metric, mean: metric.mean}, box}];
  });
  return {
    controls: el("div", {class: "controls"}, choice("Metric", names, state.compared, (i) => {
      state.compared = i;
      redrawSections(["compare"]);
    }, "compared")),
    content: [shownFigure(runsFigure, {name, rows})],
  };
}
