/* The places of a server's devices in its picture. */

import {remembered} from "../base/lists.js";
/** @import {Machine, MachineDevice} from "../data.d.ts" */
/** @import {ServerLayout} from "./devices.d.ts" */

export const tile = {width: 116, height: 84, gap: 8, nic: 34, pad: 10, label: 20};

/**
 * Sorts places as numbers if they are numbers: 10 comes after 9. Unknown places come last.
 * @type {(a: string, b: string) => number}
 */
function byPlace(a, b) {
  if (a === "" || b === "") return Number(a === "") - Number(b === "");
  return a.localeCompare(b, "en", {numeric: true});
}

/**
 * @param {MachineDevice[]} devices
 * @param {"numa" | "pcie" | "nvlink"} place
 */
export function grouped(devices, place) {
  /** @type {Map<string, MachineDevice[]>} */
  const groups = new Map();
  for (const device of devices) {
    groups.set(device[place], [...(groups.get(device[place]) ?? []), device]);
  }
  return [...groups].sort(([a], [b]) => byPlace(a, b));
}

/**
 * Rectangles for NUMA nodes, PCIe switches, GPUs and other devices, and the NVLink islands above
 * them. Boxes are side by side, so that an island is a single line, whichever devices it spans. The
 * name of a box is below its content.
 * @type {(machine: Machine) => ServerLayout}
 */
function serverLayout(machine) {
  const islands = grouped(machine.devices.filter((d) => d.kind === "gpu" && d.nvlink !== ""), "nvlink");
  const top = islands.length === 0 ? 12 : 44;
  const hasOthers = machine.devices.some((d) => d.kind !== "gpu");
  const rowTop = top + tile.pad;
  const inner = tile.height + (hasOthers ? tile.gap + tile.nic : 0);
  const switchBottom = rowTop + inner + 6 + tile.label;
  const numaBottom = switchBottom + 4 + tile.label;
  /** @type {ServerLayout} */
  const out = {numas: [], switches: [], gpus: [], others: [], islands: [], width: 0, height: numaBottom + 12};
  let x = 12;
  for (const [numa, ofNuma] of grouped(machine.devices, "numa")) {
    const numaLeft = x;
    x += tile.pad;
    for (const [pcie, devices] of grouped(ofNuma, "pcie")) {
      const left = x;
      const gpus = devices.filter((d) => d.kind === "gpu");
      const others = devices.filter((d) => d.kind !== "gpu");
      const wide = Math.max(gpus.length * (tile.width + tile.gap) - tile.gap, others.length * (58 + tile.gap) - tile.gap);
      gpus.forEach((device, i) => out.gpus.push({device, x: left + tile.pad + i * (tile.width + tile.gap), y: rowTop, width: tile.width, height: tile.height}));
      const each = (wide + tile.gap) / Math.max(others.length, 1) - tile.gap;
      others.forEach((device, i) => out.others.push({device, x: left + tile.pad + i * (each + tile.gap), y: rowTop + tile.height + tile.gap, width: each, height: tile.nic}));
      x = left + wide + 2 * tile.pad;
      if (pcie !== "") out.switches.push({label: `PCIe switch ${pcie}`, x: left, y: rowTop - tile.pad + 3, width: x - left, height: switchBottom - rowTop + tile.pad - 3});
      x += tile.gap;
    }
    x += tile.pad - tile.gap;
    if (numa !== "") out.numas.push({label: `NUMA node ${numa}`, x: numaLeft, y: top - 5, width: x - numaLeft, height: numaBottom - top + 5});
    x += 14;
  }
  out.width = x - 2;
  for (const [island, devices] of islands) {
    const at = out.gpus.filter(({device}) => devices.includes(device)).map((g) => g.x + g.width / 2);
    out.islands.push({label: `NVLink island ${island}`, at, bottom: rowTop});
  }
  return out;
}

/** The same layout, computed only once for each machine. */
export const layoutOf = remembered(serverLayout);
