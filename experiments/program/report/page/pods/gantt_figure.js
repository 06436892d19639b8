/* Pods over time, as a picture and as a table. */

import {amount, duration, plural} from "../base/text.js";
import {ganttFacts} from "./gantt_facts.js";
import {ganttSpace} from "./gantt_paint.js";
/** @import {GanttModel} from "./pods.d.ts" */
/** @import {Painter, SureFigureMaker} from "../figures/figure.d.ts" */

/**
 * Pods as bars on their rows. `paint` makes the canvas, which the controls beside it move.
 * @type {SureFigureMaker<{model: GanttModel; gpus: number; paint: (box: HTMLElement) => Painter}>}
 */
export function ganttFigure({model, gpus, paint}) {
  const {gantt, pods} = model;
  return {
    id: "gantt",
    role: "group",
    height: (width) => Math.min(width < 600 ? 420 : 560, Math.max(150, ganttSpace.top + ganttSpace.bar + 12 * model.servers.reduce((sum, s) => sum + s.height + 0.3, 0))),
    summary: `${plural(gantt.pods, "pod")} on ${plural(model.servers.length, gantt.leaf)}${gpus > 0 ? ` with ${plural(gpus, "GPU")}` : ""} over ${duration(gantt.last)}.`,
    columns: [{title: "pod", class: "name"}, {title: "quota"}, {title: "group"}, {title: gantt.leaf}, {title: "GPUs"},
      ...[gantt.resource, "submit", "start", "finish"].map((title) => ({title, number: true}))],
    rows: () => pods.names.map((name, pod) => {
      const fact = ganttFacts(model, pod);
      return [name, fact.quota, fact.group, fact.server, fact.gpus, fact.size > 0 ? amount(gantt.resource, fact.size) : "–",
        ...[fact.submit, fact.start, fact.end].map((t) => (t == null ? "–" : duration(Number(t.toPrecision(9)))))];
    }),
    paint,
  };
}
