/* The page of a sweep: what was varied, figures that share their selectors, and tables. */

import {answerOfSweep} from "../answer/sweep_answer.js";
import {byId, el} from "../base/dom.js";
import {dropCharts, renderSection} from "../base/sections.js";
import {sweep} from "../base/state.js";
import {sweepAgainst} from "./against_section.js";
import {sweepBest} from "./best_section.js";
import {sweepBoxes} from "./boxes_section.js";
import {takeSweepStarts} from "./cells.js";
import {sweepHeat} from "./heat_section.js";
import {sweepLines, sweepPanels} from "./lines_section.js";
import {sweepConfiguration, sweepOverview} from "./overview_section.js";
import {sweepPoints} from "./points_section.js";
import {sweepControls} from "./sweep_controls.js";
import {readSweepHash, whenChanged} from "./sweep_view.js";
/** @import {Section} from "../base/page.d.ts" */

/** @type {Section[]} */
const sweepFigures = [
  ["sweep-lines-part", "Lines", sweepLines],
  ["sweep-panels-part", "Panel by panel", sweepPanels],
  ["sweep-heat-part", "Two axes at once", sweepHeat],
  ["sweep-boxes-part", "Over the replications", sweepBoxes],
  ["sweep-against-part", "Against one point", sweepAgainst],
];

/** @type {Section[]} */
const sweepParts = [
  ["sweep-best-part", "The best points", sweepBest],
  ["sweep-points-part", "All points", sweepPoints],
  ["sweep-configuration", "Configuration", sweepConfiguration],
];

let sweepTurn = 0;  // the number of times that the figures were redrawn

/** Draws the visible charts now, and the others one by one when the browser has time. */
function startSweepCharts() {
  const turn = ++sweepTurn;
  const starts = takeSweepStarts();
  const near = (/** @type {{box: HTMLElement}} */ {box}) => {
    const {top, bottom} = box.getBoundingClientRect();
    return bottom > 0 && top < window.innerHeight;
  };
  const seen = starts.filter(near);
  const later = starts.filter((one) => !seen.includes(one));
  seen.forEach(({start}) => start());
  const next = () => {
    if (turn !== sweepTurn || later.length === 0) return;
    later.shift()?.start();
    setTimeout(next);
  };
  setTimeout(next);
}

/** Redraws the selectors and the figures. The focus stays where it was. */
function drawSweepFigures() {
  const focused = document.activeElement?.id;
  const box = byId("sweep-figures");
  dropCharts(box);
  // otherwise the window would scroll while the content is shorter
  box.style.minHeight = `${box.offsetHeight}px`;
  box.replaceChildren(sweepControls(), ...sweepFigures.map(renderSection).filter((section) => section !== null));
  box.style.minHeight = "";
  startSweepCharts();
  drawSweepContents();
  if (focused) document.getElementById(focused)?.focus({preventScroll: true});
}

/** Links to the parts. They only scroll, because the address holds the state of the selectors. */
function drawSweepContents() {
  const sections = [...byId("main").querySelectorAll("section")];
  byId("contents").replaceChildren(...sections.map((section) =>
    el("a", {href: `#${section.id}`, onclick: (e) => {
      e.preventDefault();
      section.scrollIntoView();
      section.setAttribute("tabindex", "-1");
      section.focus({preventScroll: true});
    }}, section.querySelector("h2")?.textContent)));
}

function renderSweep() {
  readSweepHash();
  const main = byId("main");
  dropCharts(main);
  document.title = `${sweep.name} – berth`;
  byId("title").textContent = sweep.name;
  byId("answer").replaceChildren(...answerOfSweep(sweep.answer).filter((part) => part !== null));
  const figures = sweep.metrics.length > 0;
  main.replaceChildren(...[renderSection(["sweep-overview", "What was varied", sweepOverview]),
    figures ? el("div", {id: "sweep-figures"}) : null,
    ...sweepParts.filter(([id]) => figures || id === "sweep-configuration").map(renderSection)].filter((section) => section !== null));
  if (figures) {
    drawSweepFigures();
  } else {
    drawSweepContents();
  }
}

export function startSweep() {
  whenChanged(drawSweepFigures);
  document.querySelector(".skip")?.addEventListener("click", (e) => {
    e.preventDefault();
    const main = byId("main");
    main.setAttribute("tabindex", "-1");
    main.focus();
  });
  window.addEventListener("hashchange", renderSweep);
  renderSweep();
}
