/* How the run was made, and from what. */

import {el} from "../base/dom.js";
import {table} from "../base/table.js";
import {bytes, duration, number, spaced} from "../base/text.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {Run} from "../data.d.ts" */

/**
 * The program that made the run, its inputs and its cost, for readers who want to repeat it.
 * @type {(run: Run) => Made}
 */
export function originSection(run) {
  const facts = [...run.origin, ...run.machine];
  if (facts.length === 0) return null;
  const shown = (/** @type {[string, string]} */ [key, value]) => [spaced(key).replace(/ s$/, ""), /(^|_)s$/.test(key) ? duration(Number(value)) : /bytes/.test(key) ? bytes(Number(value))
    : value !== "" && !Number.isNaN(Number(value)) && key !== "seed" ? number(Number(value)) : value];
  return [el("p", {class: "lead"}, "The machine and the time change nothing else on this page."),
    table([{title: "what"}, {title: "value", class: "message"}], facts.map(shown), {label: "How it was made", plain: true})];
}

/** @type {(run: Run) => Made} */
export function configurationSection(run) {
  if (!run.configuration) return null;
  return [el("p", {class: "lead"}, "Running this again gives the same bytes."),
    el("details", {}, el("summary", {}, "experiment.yaml"), el("pre", {tabindex: "0"}, run.configuration))];
}
