/* The page's sections: rendered, redrawn one by one, with their charts started and dropped. */

import {byId, el} from "./dom.js";
import {charts, data, state} from "./state.js";
/** @import {Children, Section} from "./page.d.ts" */

/** @type {Section[]} */
let shownSections = [];

/** @type {(() => void)[]} */
const waiting = [];  // functions that draw once their box is in the page

/**
 * A section, or null if it has nothing to show. A closed section draws its charts when it is
 * opened.
 * @param {Section} section
 */
export function renderSection([id, title, make, closed]) {
  const before = waiting.length;
  const run = data.runs[state.run];
  const made = make(run);
  if (!made) return null;
  const {controls, content} = Array.isArray(made) ? {content: made} : made;
  const heading = el("h2", {id: `${id}-title`}, title);
  const shown = controls && controls.childNodes.length > 0 ? controls : null;
  const section = (/** @type {Children[]} */ ...parts) => el("section", {id, "aria-labelledby": `${id}-title`}, parts);
  if (!closed?.(run)) return section(el("div", {class: "head"}, heading, shown), content.filter(Boolean));
  const starts = waiting.splice(before);
  const fold = el("details", {class: "fold"}, el("summary", {}, heading), shown, content.filter(Boolean));
  fold.addEventListener("toggle", () => starts.splice(0).forEach((start) => start()));
  return section(fold);
}

/**
 * Calls `start` when the elements that are being made are in the page.
 * @param {() => void} start
 */
export function whenShown(start) {
  waiting.push(start);
}

/** Calls the functions that waited until their boxes are in the page. */
export function startCharts() {
  waiting.splice(0).forEach((start) => start());
}

/**
 * Disposes of the charts in a part of the page that is removed.
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
 * Fills the page: its heading, its beginning, its sections and the links to them.
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
    el("a", {href: `#${section.id}`, onclick: () => section.querySelector(".fold")?.setAttribute("open", "")},
      section.querySelector("h2")?.textContent)));
  startCharts();
}

/**
 * Redraws some sections and keeps the focus where it was.
 * @param {string[]} ids
 */
export function redrawSections(ids) {
  const focused = document.activeElement?.id;
  for (const section of shownSections.filter(([id]) => ids.includes(id))) {
    const old = byId(section[0]);
    const open = old.querySelector(".fold[open]");
    const made = renderSection(section);
    dropCharts(old);
    if (made) old.replaceWith(made);
    const fold = open && made?.querySelector(".fold");
    fold?.setAttribute("open", "");
    fold?.dispatchEvent(new Event("toggle"));
  }
  startCharts();
  if (focused) document.getElementById(focused)?.focus();
}
