/* A server at one time: the picture, the history, and the controls to move through it. */

import {el, playButton} from "../base/dom.js";
import {whenShown} from "../base/sections.js";
import {state} from "../base/state.js";
import {table} from "../base/table.js";
import {duration, number, plural} from "../base/text.js";
import {gpuCount, nearnessWords, possibleKinds} from "./nearness.js";
import {drawHistory, lane} from "./server_history.js";
import {drawServer, gpuNames, podsOn, stayFacts} from "./server_picture.js";
import {readStays} from "./stays.js";
/** @import {DeviceServer, Devices} from "../data.d.ts" */
/** @import {ServerStays, ShowDevice, Stay} from "./devices.d.ts" */

/**
 * The last instant that any server of the run has data for; it is the same for all of them.
 * @param {Devices["servers"]} servers
 */
function lastInstant(servers) {
  return Math.max(1, ...servers.list.map(({stays}) => stays.reduce((most, [, start, finish]) => Math.max(most, finish ?? start), 0)));
}

/**
 * The time that is shown first: a pod split over NUMA nodes, or else the most pods at once.
 * @param {ServerStays} known
 */
function usualTime(known) {
  const first = known.stays.find(({split}) => split);
  if (first) return first.start;
  return known.stays.reduce((a, stay) => {
    const count = known.at(stay.start).length;
    return count > a.count ? {count, time: stay.start} : a;
  }, {count: 0, time: 0}).time;
}

/**
 * Shows which pods hold the device under the pointer or the focus, and dims the devices of other
 * pods.
 * @type {(stage: HTMLElement, devices: Devices) => ShowDevice}
 */
function tipFor(stage, devices) {
  const tip = el("div", {class: "server-tip", role: "presentation", hidden: true});
  stage.append(tip);
  return (place, name, stays = [], node = stage) => {
    tip.hidden = !place;
    const wanted = place ? stays.map((stay) => stay.name) : [];
    stage.querySelectorAll(".device").forEach((other) => {
      other.classList.toggle("dim", wanted.length > 0 && !podsOn.get(other)?.some((pod) => wanted.includes(pod)));
    });
    if (!place) return;
    tip.replaceChildren(el("b", {}, name), ...(stays.length === 0 ? [" free"] : stays.flatMap((stay) => [el("b", {}, ` ${stay.name}`),
      el("table", {class: "tip"}, el("tbody", {}, stayFacts(devices, stay).map(([key, value]) => el("tr", {}, el("td", {}, key), el("td", {}, value)))))])));
    const [box, at] = [stage.getBoundingClientRect(), node.getBoundingClientRect()];
    tip.style.left = `${Math.max(0, Math.min(at.left - box.left, box.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${at.bottom - box.top + 6}px`;
  };
}

/** @type {(devices: Devices, now: Stay[]) => HTMLElement} */
const podsTable = (devices, now) => table([{title: "pod", class: "name"}, {title: "GPUs"}, {title: "NICs"}, {title: "start"},
  {title: "finish"}, {title: "GPUs on"}, {title: "possible"}, {title: "why", class: "message"}],
now.map((stay) => [
  el("span", {}, el("span", {class: "dot", style: `background:var(--pod-${stay.colour + 1})`}), stay.name),
  gpuNames(stay.gpus) || "–", gpuNames(stay.nics) || "–", duration(stay.start),
  stay.finish === Infinity ? "–" : duration(stay.finish), nearnessWords(stay, stay.reached), nearnessWords(stay, possibleKinds(stay)),
  stay.reason === 0 ? "–" : devices.texts[stay.reason]]), {label: "Pods on the server"});

/**
 * The stays that begin and end at an instant.
 * @type {(known: ServerStays, time: number) => string}
 */
function eventWords(known, time) {
  const names = (/** @type {Stay[]} */ list) => list.slice(0, 3).map(({name}) => name).join(", ") + (list.length > 3 ? ", …" : "");
  const starts = known.stays.filter(({start}) => start === time);
  const ends = known.stays.filter(({finish}) => finish === time);
  return [starts.length > 0 ? `${names(starts)} starts` : "", ends.length > 0 ? `${names(ends)} ends` : ""].filter(Boolean).join("; ");
}

/**
 * The picture, the history, the slider and its buttons, for one server at any time.
 * @type {(devices: Devices, server: DeviceServer) => HTMLDivElement}
 */
export function serverStage(devices, server) {
  const machine = devices.machines[server.machine];
  const last = lastInstant(devices.servers);
  const known = readStays(server, machine, last);
  let time = state.serverTime ?? usualTime(known);
  const stage = el("div", {class: "server-stage"});
  const scroll = el("div", {class: "server-scroll", tabindex: "-1"});
  const history = el("div", {class: "server-lanes"});
  const pods = el("div", {class: "server-pods"});
  const said = el("p", {class: "server-said", role: "status"});
  const slider = el("input", {type: "range", id: "server-time", min: 0, max: last, step: last / 1000, "aria-label": "Time"});
  const show = tipFor(stage, devices);
  const draw = () => {
    const now = known.at(time);
    const focused = [...scroll.querySelectorAll(".device")].findIndex((device) => device === document.activeElement);
    show(null);
    scroll.replaceChildren(drawServer(devices, machine, now, show));
    const again = scroll.querySelectorAll(".device")[focused];
    if (again instanceof SVGElement) again.focus();
    pods.replaceChildren(now.length === 0 ? el("p", {class: "faint"}, "No pod has devices here now.") : podsTable(devices, now));
    slider.value = String(time);
    slider.setAttribute("aria-valuetext", duration(time));
    const held = new Set(now.flatMap(({gpus}) => gpus)).size;
    const event = known.events.indexOf(time);
    said.replaceChildren(el("b", {}, duration(time)), ` ${plural(now.length, "pod")} on ${held} of ${gpuCount(machine.devices.filter((d) => d.kind === "gpu").length)}` +
      (event < 0 ? "" : ` · event ${number(event + 1)} of ${number(known.events.length)}: ${eventWords(known, time)}`));
    const cursor = history.querySelector(".cursor");
    const wide = history.clientWidth - lane.left - lane.right;
    for (const end of ["x1", "x2"]) cursor?.setAttribute(end, String(lane.left + (wide * time) / last));
    state.serverTime = time;
  };
  const go = (/** @type {number} */ to) => {
    time = Math.max(0, Math.min(last, to));
    draw();
  };
  const next = () => known.events.find((t) => t > time);
  const before = () => known.events.findLast((t) => t < time);
  const {play, stop} = playButton("server-play", said, 600, () => {
    if (next() == null) go(known.events[0] ?? 0);
  }, () => {
    const to = next();
    if (to != null) go(to);
    return to != null;
  });
  const step = (/** @type {string} */ text, /** @type {string} */ id, /** @type {() => number | undefined} */ where) => el("button", {type: "button", id, onclick: () => {
    stop();
    const to = where();
    if (to != null) go(to);
  }}, text);
  slider.addEventListener("input", () => {
    stop();
    go(Number(slider.value));
  });
  history.addEventListener("pointerdown", (event) => {
    const box = history.getBoundingClientRect();
    stop();
    go((last * (event.clientX - box.left - lane.left)) / (box.width - lane.left - lane.right));
  });
  stage.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(null);
  });
  stage.prepend(scroll);
  const box = el("div", {class: "server-box"}, stage,
    el("div", {class: "controls server-steps"}, step("◀ Previous event", "server-before", before), play, step("Next event ▶", "server-next", next), said),
    history, slider, el("h3", {class: "below"}, "On this server at this time"), pods);
  whenShown(() => {
    const fit = () => {
      history.replaceChildren(drawHistory(machine, known.stays, last, history.clientWidth));
      draw();
    };
    fit();
    let width = history.clientWidth;
    new ResizeObserver(() => {
      if (history.clientWidth !== width && history.clientWidth > 0) {
        width = history.clientWidth;
        fit();
      }
    }).observe(history);
  });
  return box;
}
