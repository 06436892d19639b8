/* The GPUs of a server over time, as plain SVG. */

import {svg, svgText} from "../base/dom.js";
import {duration} from "../base/text.js";
import {timeTicks} from "../figures/time_axis.js";
import {layoutOf} from "./server_layout.js";
import {podColours} from "./stays.js";
/** @import {Machine} from "../data.d.ts" */
/** @import {Stay} from "./devices.d.ts" */

export const lane = {left: 76, right: 12, top: 4, height: 15, bottom: 24};

/**
 * The rows of the history: GPUs in the order of the picture, and where each NUMA node begins.
 * @param {Machine} machine
 */
function lanesOf(machine) {
  const layout = layoutOf(machine);
  return layout.gpus.map(({device}, i) => ({index: device.index, numa: device.numa,
    first: i === 0 || layout.gpus[i - 1].device.numa !== device.numa}));
}

/**
 * All stays of a server over time, with a row for each GPU. There is one path for each colour,
 * however many stays there are.
 * @type {(machine: Machine, stays: Stay[], last: number, width: number) => SVGSVGElement}
 */
export function drawHistory(machine, stays, last, width) {
  const lanes = lanesOf(machine);
  const x = (/** @type {number} */ time) => lane.left + ((width - lane.left - lane.right) * Math.min(time, last)) / last;
  const rowOf = new Map(lanes.map(({index}, i) => [index, i]));
  const paths = Array.from({length: podColours}, () => "");
  let split = "";
  for (const stay of stays) {
    for (const gpu of stay.gpus) {
      const [left, right] = [x(stay.start), x(stay.finish)];
      const y = lane.top + (rowOf.get(gpu) ?? 0) * lane.height + 1;
      paths[stay.colour] += `M${left.toFixed(1)},${y}H${right.toFixed(1)}v${lane.height - 2}H${left.toFixed(1)}z`;
      if (stay.split) split += `M${left.toFixed(1)},${y + lane.height - 3.5}H${right.toFixed(1)}`;
    }
  }
  const bottom = lane.top + lanes.length * lane.height;
  const step = timeTicks(last).interval ?? last;
  /** @type {number[]} */
  const ticks = [];
  for (let t = 0; t <= last; t += step) ticks.push(t);
  const every = Math.ceil((ticks.length * 64) / (width - lane.left));
  return svg("svg", {class: "server-history", viewBox: `0 0 ${width} ${bottom + lane.bottom}`, width, height: bottom + lane.bottom, "aria-hidden": "true"},
    lanes.map(({index, numa, first}, i) => svg("g", {},
      first && i > 0 ? svg("path", {class: "divide", d: `M4,${lane.top + i * lane.height}H${width - lane.right}`}) : null,
      first && numa !== "" ? svgText(4, lane.top + i * lane.height + 12, `N${numa}`, {class: "faint"}) : null,
      svgText(lane.left - 8, lane.top + i * lane.height + 12, `GPU ${index}`, {"text-anchor": "end"}))),
    svg("rect", {class: "ground", x: lane.left, y: lane.top, width: width - lane.left - lane.right, height: bottom - lane.top}),
    paths.map((d, c) => (d === "" ? null : svg("path", {d, style: `fill:var(--pod-${c + 1})`, class: "stay"}))),
    split === "" ? null : svg("path", {d: split, class: "split"}),
    ticks.filter((_, i) => i % every === 0).map((t) => svgText(x(t), bottom + 17, duration(t), {"text-anchor": t === 0 ? "start" : x(t) > width - 40 ? "end" : "middle", class: "faint"})),
    svg("line", {class: "cursor", y1: 0, y2: bottom + 4, x1: lane.left, x2: lane.left}));
}
