/* What failed and when, which jobs that interrupted, and how much of the GPU time was left. */

import {el} from "../base/dom.js";
import {data, runNames} from "../base/state.js";
import {shownFigure} from "../figures/show.js";
import {gpuHoursFigure} from "./gpu_hours_figure.js";
import {mttfFigure} from "./mttf_figure.js";
import {outagesFigure} from "./outages_figure.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @type {(run: Run) => Made} */
export function failuresSection(run) {
  if (!run.failures) return null;
  return [
    el("p", {class: "lead"}, "Something failed in this run, by chance or as a file says: how much of the cluster was out and when jobs lost their places to that, " +
      "what became of the GPUs' time, and how long jobs of each size ran between two interruptions."),
    shownFigure(outagesFigure, {run}),
    shownFigure(gpuHoursFigure, {run}),
    shownFigure(mttfFigure, {runs: data.runs, names: runNames}),
  ];
}
