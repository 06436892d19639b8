/* Waits and completion times of all runs. */

import {choice, el} from "../base/dom.js";
import {redrawSections} from "../base/sections.js";
import {data, runNames, state} from "../base/state.js";
import {palette} from "../figures/colours.js";
import {shownFigure} from "../figures/show.js";
import {cumulativeFigure, cumulativeNames} from "./cumulative_figure.js";
/** @import {Made} from "../base/page.d.ts" */

/** @returns {Made} */
export function cumulativeSection() {
  const figures = cumulativeNames.map((name) => {
    const rows = data.runs.flatMap((run, i) => {
      const curve = run.cumulatives.find((c) => c.name === name);
      return curve ? [{name: runNames[i], curve, colour: palette()[i % 7], dash: ["solid", "dashed", "dotted"][Math.floor(i / 7) % 3]}] : [];
    });
    // If no pod waits, there is nothing to see.
    return rows.some(({curve}) => curve.value.length > 1) ? shownFigure(cumulativeFigure, {name, rows, log: state.cumulativeLog}) : null;
  }).filter(Boolean);
  if (figures.length === 0) return null;
  return {
    controls: el("div", {class: "controls"}, choice("Times", ["in powers of ten", "even"], state.cumulativeLog ? 0 : 1, (i) => {
      state.cumulativeLog = i === 0;
      redrawSections(["cumulative"]);
    }, "cumulative-axis")),
    content: [
      el("p", {class: "lead"}, "How many of the pods waited, or were done, within a time: pods of all replications together" +
        (data.runs.some((run) => run.window) ? ", of the whole run, also of what is outside of the measured window." : ".") +
        (data.runs.some((run) => run.cumulatives.some((c) => c.goingOn > 0)) ? " Those that had not ended count as longer than what ended before (Kaplan and Meier); " +
          "a curve ends below 100% where the rest had not ended." : "") +
        (state.cumulativeLog ? " A curve begins with all that are below the first time of its axis." : "")),
      el("div", {class: "pair"}, figures),
    ],
  };
}
