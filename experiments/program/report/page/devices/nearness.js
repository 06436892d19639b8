/* How near to each other the devices of a pod are. */

import {percent1, plural} from "../base/text.js";
/** @import {Reached, Stay} from "./devices.d.ts" */

export const nearnessKinds = [
  {title: "one PCIe switch", metric: "same_pcie"},
  {title: "one NVLink island", metric: "same_nvlink"},
  {title: "one NUMA node", metric: "same_numa"},
  {title: "NIC beside each GPU", metric: "nic_beside"},
];

export const numaKind = 2;
/** @param {number} count */
export const gpuCount = (count) => plural(count, "GPU");

/** @param {Reached | null | undefined} value */
export const ofPossible = (value) => (value == null || value.reached == null ? "–"
  : value.attainable === 0 ? "not possible" : value.attainable == null ? percent1(value.reached) : `${percent1(value.reached)} of ${percent1(value.attainable)}`);

/** @type {(mask: number, kind: number) => boolean} */
export const includesKind = (mask, kind) => ((mask >> kind) & 1) === 1;
/** @param {Pick<Stay, "gpus" | "reached">} stay */
export const crosses = (stay) => stay.gpus.length > 1 && !includesKind(stay.reached, numaKind);

/**
 * How near to each other the GPUs of a stay are, in words.
 * @param {Stay} stay
 * @param {number} mask
 */
export function nearnessWords(stay, mask) {
  if (stay.gpus.length === 0) return "–";
  if (stay.gpus.length === 1) return "one GPU";
  return includesKind(mask, 0) ? "one PCIe switch" : includesKind(mask, numaKind) ? "one NUMA node" : "several NUMA nodes";
}

/** @param {Stay} stay */
export const possibleKinds = (stay) => stay.reached | stay.attainable;
