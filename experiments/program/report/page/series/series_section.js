/* Metrics over time, and the choice of the replication. */

import {choice, el} from "../base/dom.js";
import {redrawSections} from "../base/sections.js";
import {state} from "../base/state.js";
import {duration, number, plural} from "../base/text.js";
import {shownFigure} from "../figures/show.js";
import {seriesFigure} from "./series_figure.js";
import {seriesLines} from "./series_lines.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @type {(run: Run) => Made} */
export function seriesSection(run) {
  if (!run.answer.takesTime) return null;
  const {series} = run;
  const lines = seriesLines(run, state.series);
  if (!series || !lines) return null;
  const {band, one, values, constant, shown, first} = lines;
  const controls = el("div", {class: "controls"});
  if (series.band) {
    const texts = [`mean and range of ${series.count}`, ...series.runs.map((r) => `replication ${r.replication}`)];
    const selected = band ? 0 : 1 + series.runs.findIndex((r) => r === one);
    controls.append(choice("Show", texts, selected, (i) => {
      state.series = i === 0 ? "all" : series.runs[i - 1].replication;
      redrawSections(["series"]);
    }, "replication"));
  }
  return {
    controls,
    content: [
      el("p", {class: "lead"}, "Drag the slider to zoom; click a name to hide or show it." +
        (band ? ` Lines are means over ${series.count} replications, the shade is their range.` : "") +
        (run.window ? ` Metrics are of the time from ${duration(run.window.from)} to ${run.window.to == null ? "the end" : duration(run.window.to)}; what is outside is shaded.` : "") +
        (shown.length > first.length ? ` ${plural(shown.length - first.length, "line")} of the legend ${shown.length - first.length === 1 ? "is" : "are"} hidden at first.` : "") +
        (constant.length > 0 ? ` Not drawn, since they do not vary: ${constant.map(({name, c}) => `${name} (always ${number(values[c].find((v) => v != null))})`).join(", ")}.` : "")),
      shownFigure(seriesFigure, {run, lines}),
    ],
  };
}
