/* A figure in the page: its chart, its words, its table and its CSV. */

import {download, el} from "../base/dom.js";
import {initChart} from "../base/echarts.js";
import {whenShown} from "../base/sections.js";
import {charts} from "../base/state.js";
import {table} from "../base/table.js";
import {csvOf} from "../base/text.js";
import {fontFamily} from "../base/theme.js";
import {palette} from "./colours.js";

/**
 * A figure with a chart, its summary in words, and its data as a table for those who want to
 * read it. `spec`: {id, title, height, renderer, option(width), summary, columns, rows(), class}; {csv: {columns, rows}}
 * when there is more to save than to read.
 * `option` is asked again whenever the theme or the width changes. Instead of an ECharts option, a
 * figure may have `make(box)`, which gives a chart of its own: {getDom, getOption, resize, draw, dispose}.
 */
export function figureParts(spec) {
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
    onclick: () => download(`${document.getElementById("title").textContent}-${spec.id}.csv`, csv())}, "CSV");
  const node = el("figure", {class: spec.class},
    spec.title ? el("h3", {}, spec.title) : null, spec.before, box, spec.after,
    el("figcaption", {}, spec.caption ?? spec.summary), el("div", {class: "data-line"}, details, save));
  const start = () => {
    const size = () => (typeof spec.height === "function" ? spec.height(box.clientWidth) : spec.height);
    box.style.height = `${size()}px`;
    const chart = spec.make ? spec.make(box) : initChart(box, null, {renderer: spec.renderer ?? "svg"});
    const draw = () => {
      box.style.height = `${size()}px`;
      chart.resize();
      if (spec.make) return chart.draw();
      return chart.setOption({animation: false, aria: {enabled: false}, color: palette(),
        textStyle: {fontFamily: fontFamily()}, ...spec.option(box.clientWidth)}, {notMerge: true});
    };
    draw();
    charts.set(spec.id, chart);
    chart.redraw = draw;
    chart.csv = csv;
    let width = box.clientWidth;
    chart.observer = new ResizeObserver(() => {
      if (box.clientWidth !== width && box.clientWidth > 0) {
        width = box.clientWidth;
        draw();
      }
    });
    chart.observer.observe(box);
  };
  return {node, box, start};
}

/** The same in the page: its chart is drawn as soon as its box is there. */
export function figure(spec) {
  const {node, start} = figureParts(spec);
  whenShown(start);
  return node;
}
