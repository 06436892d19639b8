/* The pods of a server: when each was there, and in which colour. */

import {remembered} from "../base/lists.js";
import {crosses} from "./nearness.js";
import {grouped} from "./server_layout.js";
/** @import {DeviceServer, Machine} from "../data.d.ts" */
/** @import {ServerStays, Stay} from "./devices.d.ts" */

export const podColours = 12;

/**
 * For each stay, a colour that no other stay has at that time; of several, the one that has been
 * free the longest.
 * @param {Pick<Stay, "start" | "finish">[]} stays
 */
function stayColours(stays) {
  const freeSince = Array.from({length: podColours}, (_, i) => i - podColours - 1e9);
  const until = freeSince.map(() => -Infinity);
  return stays.map(({start, finish}, i) => {
    let best = -1;
    for (let c = 0; c < podColours; ++c) {
      if (until[c] <= start && (best < 0 || freeSince[c] < freeSince[best])) best = c;
    }
    if (best < 0) best = i % podColours;
    until[best] = finish;
    freeSince[best] = finish;
    return best;
  });
}

/**
 * The stays of a server as objects, and the instants at which one begins or ends.
 * @type {(server: DeviceServer, machine: Machine, last: number) => ServerStays}
 */
export function readStays(server, machine, last) {
  const read = server.stays.map(([name, start, finish, gpus, nics, reached, attainable, reason]) =>
    ({name, start, finish: finish ?? Infinity, gpus, nics, reached, attainable, reason}));
  const colours = stayColours(read);
  const stays = read.map((stay, i) => ({...stay, colour: colours[i], split: crosses(stay) && stay.gpus.length <= numaMost(machine)}));
  const events = [...new Set(stays.flatMap(({start, finish}) => [start, finish]))].filter((t) => t <= last).sort((a, b) => a - b);
  return {stays, events, at: (time) => stays.filter(({start, finish}) => start <= time && time < finish)};
}

/** The number of GPUs of the largest NUMA node. */
const numaMost = remembered((/** @type {Machine} */ machine) => Math.max(0,
  ...grouped(machine.devices.filter((d) => d.kind === "gpu" && d.numa !== ""), "numa").map(([, gpus]) => gpus.length)));
