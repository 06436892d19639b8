/* The first page of several runs that have claims or ask different questions: the claims, and a
   list of the runs. */

import {sentences, warningsBox} from "../answer/answer.js";
import {byId, el} from "../base/dom.js";
import {showPage} from "../base/sections.js";
import {data, runNames, takeData} from "../base/state.js";
import {plural} from "../base/text.js";
import {render} from "../run_page.js";
import {claimsOf, claimsTable, heldText, publishedFigures} from "./claims_section.js";
import {numbersTables} from "./numbers_tables.js";
/** @import {Section} from "../base/page.d.ts" */
/** @import {Run, WrittenPage} from "../data.d.ts" */

/** @type {(run: Run) => HTMLElement} */
const linkTo = (run) => el("a", {href: `#run-${data.runs.indexOf(run) + 1}`}, runNames[data.runs.indexOf(run)]);

const linkedClaims = () => claimsOf(data.runs).map((row) => ({...row, link: linkTo(row.run)}));

/** @type {Section[]} */
const sections = [
  ["figures", "Published and measured", () => {
    const figures = publishedFigures(linkedClaims());
    return figures.length === 0 ? null : [el("div", {class: "published-figures"}, figures)];
  }],
  ["claims", "All claims", () => {
    const rows = linkedClaims();
    return rows.length === 0 ? null : [claimsTable(rows, "All claims")];
  }],
  ["runs", "The runs", () => {
    const claimed = data.runs.some((run) => run.claims.length > 0);
    const held = (/** @type {Run} */ run) => `${run.claims.filter((c) => c.holds).length} of ${run.claims.length}`;
    return [
      el("p", {class: "lead"}, "Each name leads to all that there is of that run."),
      ...numbersTables(data.runs.map((run) => ({run, name: linkTo(run), more: claimed ? [run.claims.length > 0 ? held(run) : "–"] : []})),
        claimed ? ["Claims that hold"] : []),
      el("details", {open: !claimed}, el("summary", {}, "What each run asks"), el("ul", {class: "answer-questions"},
        data.runs.map((run) => el("li", {}, linkTo(run), ": ", run.answer.question, ` ${run.answer.window}`)))),
    ];
  }],
];

function showIndex() {
  const stated = data.runs.flatMap((run) => run.claims).filter((claim) => !claim.expectation);
  const broken = data.runs.flatMap((run, i) => run.answer.broken.map((text) => `${runNames[i]}: ${text}`));
  const warnings = data.runs.flatMap((run, i) => run.answer.warnings.map((text) => `${runNames[i]}: ${text}`));
  const runs = plural(data.runs.length, "run");
  showPage({sections, title: stated.length > 0 ? heldText(stated) : `${runs} of different questions`, answer: [
    data.title ? el("p", {class: "question"}, data.title) : null,
    broken.length === 0 ? null : el("div", {class: "answer-warnings broken", role: "note"}, el("strong", {}, "What does not hold"), sentences(broken, "")),
    el("p", {class: "lead wide"}, stated.length > 0
      ? `A claim says what was published or is expected; ${runs} measured it. ± is half of the 95% confidence interval.`
      : "Their workloads differ, and so do their clusters: a difference between their numbers would say nothing."),
    warningsBox(warnings),
  ]});
}

/**
 * Shows the list or, for an address such as `#run-2`, only that run.
 * @param {WrittenPage} written
 */
export function startIndex(written) {
  const select = /** @type {HTMLSelectElement} */ (byId("run"));
  select.append(el("option", {value: "all"}, "all runs"), ...runNames.map((name, i) => el("option", {value: i}, name)));
  select.closest("label")?.removeAttribute("hidden");
  select.addEventListener("change", () => {
    location.hash = select.value === "all" ? "all" : `run-${Number(select.value) + 1}`;
  });
  const follow = () => {
    const [, number] = /^#run-(\d+)$/.exec(location.hash) ?? [];
    const run = written.runs[Number(number) - 1];
    if (run) {
      takeData({...written, runs: [run]});
      select.value = String(Number(number) - 1);
      render();
      byId("contents").prepend(el("a", {href: "#all"}, "← All runs"));
    } else {
      takeData(written);
      select.value = "all";
      showIndex();
    }
    window.scrollTo(0, 0);
  };
  window.addEventListener("hashchange", () => {
    // Links to parts of the current page do not change what is shown.
    if (/^#(run-\d+|all)?$/.test(location.hash || "#")) follow();
  });
  follow();
}
