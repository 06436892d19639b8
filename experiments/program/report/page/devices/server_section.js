/* The section that shows the inside of a server that the reader chooses. */

import {el} from "../base/dom.js";
import {startCharts} from "../base/sections.js";
import {state} from "../base/state.js";
import {number, plural} from "../base/text.js";
import {serverStage} from "./server_stage.js";
/** @import {DeviceServer, Devices, Run} from "../data.d.ts" */
/** @import {Made} from "../base/page.d.ts" */

/** @param {Devices} devices */
function serverLead(devices) {
  const {servers} = devices;
  const words = ["Replication 0. A colour is a pod, as long as it is there; a red edge marks a pod on several NUMA nodes that one node would be large enough for."];
  if (servers.list.length < servers.used) {
    words.push(`To keep the page small, ${plural(servers.list.length, "server")} of the ${number(servers.used)} that had a pod ` +
      `${servers.list.length === 1 ? "is" : "are"} here, with ${number(servers.shown)} of ${plural(servers.pods, "pod")}: those with the most such pods.`);
  } else if (servers.shown < servers.pods) {
    words.push(`To keep the page small, the first ${number(servers.shown)} of ${plural(servers.pods, "pod")} are here.`);
  }
  if (devices.evictions) words.push("A pod that was evicted stands in its last place only.");
  if (devices.background) words.push("GPUs that were in use before the run look free: it was not recorded which they are.");
  return words.join(" ");
}

/** @type {(run: Run) => Made} */
export function serverSection(run) {
  const devices = run.devices;
  if (!devices || devices.servers.list.length === 0) return null;
  const {list} = devices.servers;
  state.server = Math.min(state.server, list.length - 1);
  const text = (/** @type {DeviceServer} */ {name, place, split, pods}) => `${name}${place ? ` (${place})` : ""}: ${number(split)} of ${plural(pods, "pod")} split`;
  const holder = el("div", {});
  const choose = (/** @type {number} */ i) => {
    state.server = i;
    state.serverTime = null;
    holder.replaceChildren(serverStage(devices, list[i]));
    startCharts();
  };
  const select = el("select", {id: "server-choice", onchange: () => choose(Number(select.value))});
  const fill = (/** @type {string} */ wanted) => {
    const found = list.map((server, i) => ({server, i})).filter(({server}) =>
      `${server.place}/${server.name}`.toLowerCase().includes(wanted)).slice(0, 500);
    select.replaceChildren(...found.map(({server, i}) => el("option", {value: i, selected: i === state.server}, text(server))));
    if (found.length > 0 && !found.some(({i}) => i === state.server)) choose(found[0].i);
    select.disabled = found.length === 0;
  };
  fill("");
  holder.replaceChildren(serverStage(devices, list[state.server]));
  return {
    controls: el("div", {class: "controls"}, el("label", {}, "Server", select), list.length > 8 ? el("label", {}, "Find",
      el("input", {type: "search", id: "server-find", placeholder: "part of a name", oninput: (e) => fill(e.target.value.trim().toLowerCase())})) : null),
    content: [el("p", {class: "lead"}, serverLead(devices)), holder],
  };
}
