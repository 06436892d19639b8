/* A figure in the page: its chart, its text, its table and its CSV. */

import {byId, download, el} from "../base/dom.js";
import {initChart} from "../base/echarts.js";
import {whenShown} from "../base/sections.js";
import {charts} from "../base/state.js";
import {table} from "../base/table.js";
import {csvOf} from "../base/text.js";
import {fontFamily} from "../base/theme.js";
import {palette} from "./colours.js";
/** @import {Figure, FigureMaker, Painter} from "./figure.d.ts" */

/**
 * The picture of a figure that draws itself.
 * @param {Painter} chart
 */
const painted = (chart) => ({chart, draw: () => {
  chart.resize();
  chart.draw();
}});

/**
 * The picture of a figure that ECharts draws.
 * @param {Figure} spec
 * @param {HTMLElement} box
 */
function plotted(spec, box) {
  const chart = initChart(box, null, {renderer: spec.renderer ?? "svg"});
  return {chart, draw: () => {
    chart.resize();
    chart.setOption({animation: false, aria: {enabled: false}, color: palette(), textStyle: {fontFamily: fontFamily()},
      ...spec.option?.(box.clientWidth)}, {notMerge: true});
  }};
}

/**
 * A figure with its chart, its summary in words, and its data as a table for readers who want it.
 * `start` draws the chart once its box is in the page.
 * @param {Figure} spec
 * @param {{before?: Node | null; after?: Node[]}} [more] what stands above and below the chart
 */
export function figureParts(spec, more = {}) {
  const box = el("div", {class: "chart", role: spec.role ?? "img", id: `chart-${spec.id}`,
    "aria-label": `${spec.title ?? ""}. ${spec.summary}`});
  const details = el("details", {class: "data"}, el("summary", {}, "The data as a table"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) {
      details.append(table(spec.columns, spec.rows, {label: spec.title ?? spec.id}));
    }
  });
  const csv = () => csvOf(spec.csv?.columns ?? spec.columns, spec.csv?.rows ?? spec.rows);
  const save = el("button", {type: "button", class: "csv", "aria-label": `CSV: the data of ${spec.title ?? spec.id}`,
    onclick: () => download(`${byId("title").textContent}-${spec.id}.csv`, csv())}, "CSV");
  const node = el("figure", {class: spec.class},
    spec.title ? el("h3", {}, spec.title) : null, more.before, box, more.after,
    el("figcaption", {}, spec.caption ?? spec.summary), el("div", {class: "data-line"}, details, save));
  const start = () => {
    const size = () => (typeof spec.height === "function" ? spec.height(box.clientWidth) : spec.height);
    box.style.height = `${size()}px`;
    const draw = () => {
      box.style.height = `${size()}px`;
      picture.draw();
    };
    let width = box.clientWidth;
    const observer = new ResizeObserver(() => {
      if (box.clientWidth !== width && box.clientWidth > 0) {
        width = box.clientWidth;
        draw();
      }
    });
    const picture = spec.paint ? painted(spec.paint(box)) : plotted(spec, box);
    draw();
    charts.set(spec.id, Object.assign(picture.chart, {redraw: draw, csv, observer}));
    observer.observe(box);
  };
  return {node, box, start};
}

/**
 * A figure that is drawn as soon as the elements that are being made are in the page.
 * @type {(spec: Figure, more?: {before?: Node | null; after?: Node[]}) => HTMLElement}
 */
export function figure(spec, more) {
  const {node, start} = figureParts(spec, more);
  whenShown(start);
  return node;
}

/**
 * Makes a figure from its data and shows it; null if there is nothing to see.
 * @template Given
 * @param {FigureMaker<Given>} make
 * @param {Given} given
 */
export function shownFigure(make, given) {
  const made = make(given);
  return made && figure(made);
}
