/* The page's sections: rendered, drawn anew one by one, and their charts started and dropped. */

import {el} from "./dom.js";
import {charts, data, state} from "./state.js";

let shownSections = [];
/** Which sections the page has. */
export function showSections(list) {
  shownSections = list;
}

/** A section, or null when it has nothing to show. */
export function renderSection([id, title, make]) {
  const made = make(data.runs[state.run]);
  if (!made) return null;
  const {controls, content} = Array.isArray(made) ? {content: made} : made;
  return el("section", {id, "aria-labelledby": `${id}-title`},
    el("div", {class: "head"}, el("h2", {id: `${id}-title`}, title),
      controls && controls.childNodes.length > 0 ? controls : null),
    content.filter(Boolean));
}

const waiting = [];  // what draws itself when its box is in the page

/** Has something done when what is made now is in the page. */
export function whenShown(start) {
  waiting.push(start);
}

/** Does what waited for the page to have its boxes. */
export function startCharts() {
  waiting.splice(0).forEach((start) => start());
}

/** Disposes of the charts in a part of the page that goes away. */
export function dropCharts(within) {
  for (const [id, chart] of charts) {
    if (within.contains(chart.getDom())) {
      chart.observer.disconnect();
      chart.dispose();
      charts.delete(id);
    }
  }
}

/** Renders some sections anew and keeps the focus where it was. */
export function redrawSections(ids) {
  const focused = document.activeElement?.id;
  for (const section of shownSections.filter(([id]) => ids.includes(id))) {
    const old = document.getElementById(section[0]);
    dropCharts(old);
    old.replaceWith(renderSection(section));
  }
  startCharts();
  if (focused) document.getElementById(focused)?.focus();
}
