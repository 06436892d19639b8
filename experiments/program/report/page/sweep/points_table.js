/* The table of points with all metrics. */

import {el} from "../base/dom.js";
import {lastOf} from "../base/lists.js";
import {sweep} from "../base/state.js";
import {number, quantity} from "../base/text.js";
import {sweepMeansOf} from "./sweep_data.js";
import {sweepView} from "./sweep_view.js";

export const pointRowsShown = 25;

/** @type {(name: string, isNumber: boolean, redraw: (name: string) => void) => HTMLTableCellElement} */
function sortHead(name, isNumber, redraw) {
  const ascending = sweepView.sort === name;
  const descending = sweepView.sort === `-${name}`;
  return el("th", {scope: "col", class: isNumber ? "number" : null, "aria-sort": ascending ? "ascending" : descending ? "descending" : "none"},
    el("button", {type: "button", class: "sort", onclick: () => {
      sweepView.sort = ascending ? `-${name}` : descending ? "" : name;
      redraw(name);
    }}, `${name}${ascending ? " ▲" : descending ? " ▼" : ""}`));
}

/** @type {(points: number[], metrics: string[], redraw: (name: string) => void) => HTMLDivElement} */
export function pointsTable(points, metrics, redraw) {
  const shown = points.slice(sweepView.page * pointRowsShown, (sweepView.page + 1) * pointRowsShown);
  const unfinished = new Set(sweep.unfinished);
  const head = el("tr", {}, el("th", {scope: "col", class: "number"}, "point"),
    sweep.axes.map((a) => sortHead(a.name, a.numbers !== null, redraw)), metrics.map((name) => sortHead(name, true, redraw)));
  const rows = shown.map((p) => el("tr", {},
    el("th", {scope: "row", class: "number", title: `points/${sweep.keys[p]}`}, number(p)),
    sweep.axes.map((a) => el("td", {class: a.numbers !== null ? "number" : null}, a.values[a.points[p]])),
    unfinished.has(p) ? el("td", {class: "faint", colspan: metrics.length}, "not finished")
      : metrics.map((name) => {
        const s = sweepMeansOf(name)[p];
        return el("td", {class: "number"}, s ? quantity(name, s.mean, s.ci95) : "–");
      })));
  return el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Points"},
    el("table", {class: "points", "aria-label": "Points"}, el("thead", {}, head), el("tbody", {}, rows)));
}

/**
 * Keeps the axes in view while the metrics are scrolled, if there is room for that.
 * @param {HTMLElement | null} box
 */
export function holdAxes(box) {
  if (!box) return;
  const heads = [...box.querySelectorAll("th")].slice(0, 1 + sweep.axes.length);
  const last = lastOf(heads);
  if (!last || last.offsetLeft + last.offsetWidth > box.clientWidth * 0.5) return;
  const places = heads.map((head) => head.offsetLeft);
  for (const row of box.querySelectorAll("tr")) {
    places.forEach((place, i) => {
      const cell = row.cells[i];
      cell.classList.add("held");
      cell.style.left = `${place}px`;
    });
  }
}
