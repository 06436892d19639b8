/* GPUs that are shared: what was left over while the workload arrived, why it was of no use, and where the GPU time went. */

import {el} from "../base/dom.js";
import {data} from "../base/state.js";
import {arrivalFigure} from "./arrival_figure.js";
import {classesFigure} from "./classes_figure.js";
import {gpuTimeFigure} from "./gpu_time_figure.js";

export function sharingSection(run) {
  const time = gpuTimeFigure();
  const any = data.runs.some((other) => other.arrival);
  if (!any && !time) return null;
  const several = data.runs.some((other) => other.replications > 1);
  return [
    any ? el("p", {class: "lead"}, "Free GPUs are a fragment where typical pods, each by its weight, cannot use them." +
      (several ? " Lines are medians over the replications, the shade is their middle half." : "")) : null,
    any ? arrivalFigure({id: "unallocated", title: "GPUs not allocated, while the workload arrives", field: "unallocated", ideal: true,
      summary: "Dashed: what would be left without any fragment."}) : null,
    any ? arrivalFigure({id: "fragmentation", title: "Fragments, of the free GPUs", field: "ratio", summary: "The share of the free GPUs that typical pods cannot use."}) : null,
    any ? classesFigure(run) : null,
    time,
  ];
}
