/* The facts about a pod in the picture of pods over time. */

import {el} from "../base/dom.js";
import {amount, duration} from "../base/text.js";
import {holdsGpu} from "./gantt_data.js";
import {stretches} from "./lanes.js";
/** @import {Cell} from "../base/tables.d.ts" */
/** @import {GanttModel} from "./pods.d.ts" */

/**
 * @param {GanttModel} model
 * @param {number} pod
 */
export function ganttFacts(model, pod) {
  const {gantt, pods} = model;
  const server = model.servers[pods.server[pod]];
  /** @type {number[]} */
  const held = [];
  for (let g = 0; g < server.gpus; ++g) {
    if (holdsGpu(pods, pod, g)) held.push(g);
  }
  return {
    quota: gantt.quotas[pods.quota[pod]],
    group: pods.group[pod] < 0 ? "" : gantt.groups[pods.group[pod]],
    server: server.name,
    place: server.place,
    gpus: stretches(held).map(([first, count]) => (count === 1 ? first : `${first}–${first + count - 1}`)).join(", "),
    size: pods.size[pod],
    submit: pods.submit[pod],
    start: pods.start[pod],
    end: pods.end[pod] === Infinity ? null : pods.end[pod],
  };
}

/** @type {(model: GanttModel, pod: number) => HTMLElement[]} */
export function ganttTip(model, pod) {
  const fact = ganttFacts(model, pod);
  const line = (/** @type {string} */ name, /** @type {Cell} */ value) => (value === "" || value == null ? null : el("tr", {}, el("td", {}, name), el("td", {}, value)));
  const {resource} = model.gantt;
  return [el("b", {}, model.pods.names[pod]), el("table", {class: "tip"}, el("tbody", {}, [
    line("quota", fact.quota), line("group", fact.group), line(model.gantt.leaf, fact.server), line("in", fact.place),
    line("GPUs", fact.gpus), fact.size > 0 ? line(resource, amount(resource, fact.size)) : null,
    line("waited", duration(Math.max(0, Number((fact.start - fact.submit).toPrecision(6))))), line("start", duration(fact.start)),
    line("finish", fact.end == null ? "after the end" : duration(fact.end)),
    fact.end == null ? null : line("ran", duration(Number((fact.end - fact.start).toPrecision(6)))),
  ].filter(Boolean)))];
}

/**
 * Whether the filter finds each pod, by pod; null: all of them. It looks at names, groups and
 * quotas.
 * @param {GanttModel} model
 * @param {string} wanted
 */
export function ganttMatch(model, wanted) {
  if (wanted === "") return null;
  const {gantt, pods} = model;
  const has = (/** @type {string} */ text) => text.toLowerCase().includes(wanted);
  const groups = gantt.groups.map(has);
  const quotas = gantt.quotas.map(has);
  return Uint8Array.from(pods.names, (name, i) =>
    Number(quotas[pods.quota[i]] || (pods.group[i] >= 0 && groups[pods.group[i]]) || has(name)));
}
