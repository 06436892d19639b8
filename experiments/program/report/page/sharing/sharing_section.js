/* Shared GPUs: what was left while the workload arrived, why it could not be used, and how the
   GPU time was used. */

import {el} from "../base/dom.js";
import {data, runNames} from "../base/state.js";
import {shownFigure} from "../figures/show.js";
import {arrivalFigure} from "./arrival_figure.js";
import {classesFigure} from "./classes_figure.js";
import {gpuTimeFigure} from "./gpu_time_figure.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @type {(run: Run) => Made} */
export function sharingSection(run) {
  const time = shownFigure(gpuTimeFigure, {all: data.runs, allNames: runNames});
  const any = data.runs.some((other) => other.arrival);
  if (!any && !time) return null;
  const several = data.runs.some((other) => other.replications > 1);
  return [
    any ? el("p", {class: "lead"}, "Free GPUs are a fragment where typical pods, each by its weight, cannot use them." +
      (several ? " Lines are medians over the replications, the shade is their middle half." : "")) : null,
    any ? shownFigure(arrivalFigure, {runs: data.runs, names: runNames, id: "unallocated", title: "GPUs not allocated, while the workload arrives", field: "unallocated", ideal: true,
      summary: "Dashed: what would be left without any fragment."}) : null,
    any ? shownFigure(arrivalFigure, {runs: data.runs, names: runNames, id: "fragmentation", title: "Fragments, of the free GPUs", field: "ratio", summary: "The share of the free GPUs that typical pods cannot use."}) : null,
    any ? shownFigure(classesFigure, {run, several: data.runs.length > 1}) : null,
    time,
  ];
}
