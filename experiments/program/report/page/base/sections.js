/* The page's sections: rendered, drawn anew one by one, and their charts started and dropped. */

import {byId, el} from "./dom.js";
import {charts, data, state} from "./state.js";
/** @import {Children, Section} from "./page.d.ts" */

/** @type {Section[]} */
let shownSections = [];

/**
 * A section, or null when it has nothing to show.
 * @param {Section} section
 */
export function renderSection([id, title, make]) {
  const made = make(data.runs[state.run]);
  if (!made) return null;
  const {controls, content} = Array.isArray(made) ? {content: made} : made;
  return el("section", {id, "aria-labelledby": `${id}-title`},
    el("div", {class: "head"}, el("h2", {id: `${id}-title`}, title),
      controls && controls.childNodes.length > 0 ? controls : null),
    content.filter(Boolean));
}

/** @type {(() => void)[]} */
const waiting = [];  // what draws itself when its box is in the page

/**
 * Has something done when what is made now is in the page.
 * @param {() => void} start
 */
export function whenShown(start) {
  waiting.push(start);
}

/** Does what waited for the page to have its boxes. */
export function startCharts() {
  waiting.splice(0).forEach((start) => start());
}

/**
 * Disposes of the charts in a part of the page that goes away.
 * @param {Element} within
 */
export function dropCharts(within) {
  for (const [id, chart] of charts) {
    if (within.contains(chart.getDom())) {
      chart.observer.disconnect();
      chart.dispose();
      charts.delete(id);
    }
  }
}

/**
 * Fills the page: its heading, what it begins with, its sections and the links to them.
 * @param {{sections: Section[]; title: string; answer: Children}} content
 */
export function showPage({sections, title, answer}) {
  shownSections = sections;
  const main = byId("main");
  dropCharts(document.body);
  const made = sections.map(renderSection).filter((section) => section !== null);
  main.replaceChildren(...made);
  document.title = `${title} – berth`;
  byId("title").textContent = title;
  byId("answer").replaceChildren(...el("div", {}, answer).childNodes);
  byId("contents").replaceChildren(...made.map((section) =>
    el("a", {href: `#${section.id}`}, section.querySelector("h2")?.textContent)));
  startCharts();
}

/**
 * Renders some sections anew and keeps the focus where it was.
 * @param {string[]} ids
 */
export function redrawSections(ids) {
  const focused = document.activeElement?.id;
  for (const section of shownSections.filter(([id]) => ids.includes(id))) {
    const old = byId(section[0]);
    const made = renderSection(section);
    dropCharts(old);
    if (made) old.replaceWith(made);
  }
  startCharts();
  if (focused) document.getElementById(focused)?.focus();
}
