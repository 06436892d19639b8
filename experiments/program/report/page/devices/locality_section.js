/* How near to each other the pods' devices are, how many free GPUs were in broken islands, and
   why it was not better. */

import {choice, el} from "../base/dom.js";
import {redrawSections} from "../base/sections.js";
import {state} from "../base/state.js";
import {table} from "../base/table.js";
import {number, percent1, plural} from "../base/text.js";
import {shownFigure} from "../figures/show.js";
import {freeFigure} from "./free_figure.js";
import {gpuCount, nearnessKinds, numaKind} from "./nearness.js";
import {sizesFigure} from "./sizes_figure.js";
import {windowsFigure} from "./windows_figure.js";
/** @import {Devices, Run} from "../data.d.ts" */
/** @import {Made} from "../base/page.d.ts" */

/** @param {Devices} devices */
function reasonsTable(devices) {
  const {sizes, rows} = devices.reasons;
  if (rows.length === 0) return [];
  return [
    el("h3", {class: "below"}, "Why they are not nearer"),
    el("p", {class: "lead"}, "Pods by the first thing that kept their GPUs apart. Enough GPUs are as many as the pod asked for; " +
      "“was not chosen” means that it was possible and the allocator decided otherwise."),
    table([{title: "reason", class: "message"}, {title: "pods", number: true}, ...sizes.map((s) => ({title: gpuCount(s), number: true}))],
      () => rows.map((row) => [row.text, number(row.pods), ...row.bySize.map((n) => (n === 0 ? "–" : number(n)))]), {label: "Why GPUs are not nearer", shown: 12}),
  ];
}

/** @type {(run: Run) => Made} */
export function localitySection(run) {
  const devices = run.devices;
  if (!devices || devices.sizes[0].kinds[0][0] === 0) return null;
  const counts = devices.sizes[0].kinds;
  const offered = nearnessKinds.map((kind, k) => ({...kind, k})).filter(({k}) => counts[k][0] > 0);
  if (!offered.some(({k}) => k === state.nearness)) state.nearness = numaKind;
  const [pods, reached, attainable] = counts[numaKind];
  const lead = `${plural(pods, "pod")} had devices to keep together: more than one GPU, or a GPU and a NIC. ` +
    `${percent1(reached / pods)} have their GPUs on one NUMA node, ${percent1(attainable / pods)} could have.` +
    (run.allocator ? ` The allocator: ${run.allocator}.` : "") +
    (run.replications > 1 ? " Pods of all replications together." : "") +
    (devices.evictions ? " Pods that were evicted count by their last place." : "");
  return {
    controls: devices.windows.counts.length < 2 ? null : el("div", {class: "controls"},
      choice("Over time", offered.map(({title}) => title), offered.findIndex(({k}) => k === state.nearness), (i) => {
        state.nearness = offered[i].k;
        redrawSections(["locality"]);
      }, "nearness")),
    content: [
      el("p", {class: "lead"}, lead),
      shownFigure(sizesFigure, devices),
      el("div", {class: "pair below"}, shownFigure(windowsFigure, {run, kind: state.nearness}), shownFigure(freeFigure, run)),
      ...reasonsTable(devices),
    ],
  };
}
