/* The section with pods over time: the picture and its controls. */

import {choice, el} from "../base/dom.js";
import {state} from "../base/state.js";
import {duration, number, plural} from "../base/text.js";
import {figure} from "../figures/show.js";
import {Gantt} from "./gantt.js";
import {ganttColours, ganttModel} from "./gantt_data.js";
import {ganttFacts, ganttMatch} from "./gantt_facts.js";
import {ganttFigure} from "./gantt_figure.js";
/** @import {ColourKind} from "./pods.d.ts" */
/** @import {Made} from "../base/page.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @param {{title: string; kinds: ColourKind[]}} way */
function ganttLegend(way) {
  const swatch = (/** @type {ColourKind} */ kind) => el("span", {class: "swatch", style: kind.colour ? `background:var(--${kind.colour})`
    : `background:color-mix(in srgb, var(--busy-full) ${Math.round((kind.share ?? 0) * 100)}%, var(--busy-some))`});
  const named = way.kinds.filter((kind) => kind.text !== "");
  return el("ul", {class: "legend", "aria-label": `Colours by ${way.title}`},
    named.map((kind) => el("li", {}, swatch(kind), kind.text)),
    way.kinds.length > named.length ? el("li", {}, `a colour is a ${way.title}; it is used again`) : null);
}

/** @type {(run: Run) => Made} */
export function ganttSection(run) {
  if (!run.answer.takesTime) return null;
  const {gantt} = run;
  if (!gantt) return null;
  const model = ganttModel(gantt);
  const {pods} = model;
  const ways = ganttColours(model);
  state.ganttWay = Math.min(state.ganttWay, ways.length - 1);
  const gpus = model.servers.reduce((sum, server) => sum + server.gpus, 0);
  /** @type {Gantt | null} */
  let chart = null;
  let way = {title: ways[state.ganttWay].title, ...ways[state.ganttWay].make()};
  const said = el("p", {class: "said", role: "status", id: "gantt-said"});
  const spoken = el("p", {class: "spoken", role: "status"});
  const found = el("span", {class: "faint", role: "status", id: "gantt-found"});
  const legendBox = el("div", {}, ganttLegend(way));
  const windowWords = (/** @type {Gantt} */ seen) => {
    const {view, servers} = seen;
    const [first, last] = seen.visible();
    const shown = servers.length === 0 ? "no server" : first === last ? servers[first].name : `${servers[first].name} to ${servers[last].name}`;
    said.textContent = `${duration(Number(view.from.toPrecision(5)))} to ${duration(Number(view.to.toPrecision(5)))}; ${shown}, ` +
      `${number(last - first + 1)} of ${plural(servers.length, gantt.leaf)}.`;
  };
  /** @type {(text: string, label: string, does: (chart: Gantt) => void) => HTMLElement} */
  const button = (text, label, does) => el("button", {type: "button", "aria-label": label, onclick: () => {
    if (chart) does(chart);
  }}, text);
  const filter = el("input", {type: "search", id: "gantt-filter", placeholder: "pod, group or quota", oninput: () => {
    if (!chart) return;
    const match = ganttMatch(model, filter.value.trim().toLowerCase());
    chart.match = match;
    found.textContent = match ? plural(match.reduce((a, b) => a + b, 0), "pod") : "";
    chart.setServers(match ? model.servers.filter((server) => server.pieces.some(([pod]) => match[pod])) : model.servers);
    chart.point(-1);
    chart.draw();
  }});
  const controls = el("div", {class: "controls"},
    choice("Colour by", ways.map(({title}) => title), state.ganttWay, (i) => {
      state.ganttWay = i;
      way = {title: ways[i].title, ...ways[i].make()};
      legendBox.replaceChildren(ganttLegend(way));
      if (!chart) return;
      chart.way = way;
      chart.draw();
    }, "gantt-way"),
    el("label", {}, "Filter", filter), found);
  const steps = el("div", {class: "controls gantt-steps"},
    button("−", "Zoom out in time", (c) => c.zoom(2, null, 1)), button("+", "Zoom in in time", (c) => c.zoom(0.5, null, 1)),
    button("Fewer rows", "Zoom in in rows", (c) => c.zoom(1, null, 0.5)), button("More rows", "Zoom out in rows", (c) => c.zoom(1, null, 2)),
    button("Whole run", "Show the whole run", (c) => c.show({from: 0, to: model.last, top: 0, bottom: c.total})), said);
  const paint = (/** @type {HTMLElement} */ box) => {
    chart = new Gantt(box, model, way, {window: windowWords, pod: (pod) => {
      const fact = ganttFacts(model, pod);
      spoken.textContent = `${pods.names[pod]} on ${fact.server}, ${duration(fact.start)} to ${fact.end == null ? "after the end" : duration(fact.end)}`;
    }});
    return chart;
  };
  const rest = gantt.total - gantt.pods;
  const lead = `Replication 0. Rows are ${gpus > 0 ? `the GPUs of ${gantt.leaf}s` : `${gantt.leaf}s, with as many lines as pods ran side by side`}, ` +
    "bars are pods from start to finish. Drag to move; hold Ctrl and turn the wheel to zoom in time, with Shift as well in rows." +
    (rest > 0 ? ` To keep the page small, ${number(gantt.pods)} of ${plural(gantt.total, "pod")} are here: those of the first ${plural(model.servers.length, gantt.leaf)}.` : "") +
    (run.devices?.evictions || (run.quotas?.evictions.total ?? 0) > 0 ? " A pod that was evicted stands in its last place only." : "");
  return {
    controls,
    content: [
      el("p", {class: "lead"}, lead),
      legendBox,
      figure(ganttFigure({model, gpus, paint}), {after: [steps, spoken]}),
    ],
  };
}
