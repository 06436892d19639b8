/* The first screen: the question, the numbers to quote, what limits them, and the warnings. */

import {defined} from "../base/definitions.js";
import {el} from "../base/dom.js";
import {data, runNames, state} from "../base/state.js";
import {table} from "../base/table.js";
import {number, plural} from "../base/text.js";
import {numbersTables} from "../claims/numbers_tables.js";
import {verdictCell} from "../compare/verdicts.js";
import {shownFigure} from "../figures/show.js";
import {courseFigure} from "../series/course_figure.js";
/** @import {Child, Content} from "../base/page.d.ts" */
/** @import {Payers, QuotedNumber, Run, RunAnswer, RunVerdict} from "../data.d.ts" */

/**
 * A card for one number with its interval and its unit; `more` goes below it.
 * @param {QuotedNumber} quoted
 * @param {...Child} more
 */
export function numberCard({metric, title, value, interval, unit}, ...more) {
  return el("li", {class: "answer-number"},
    el("span", {class: "answer-title"}, defined(metric, title)),
    el("span", {class: "answer-value"}, value, interval ? [el("small", {}, " "), el("small", {class: "answer-interval"}, `± ${interval}`)] : null,
      unit ? el("small", {}, ` ${unit}`) : null),
    more.filter(Boolean));
}

/** @type {(list: string[], kind: string) => HTMLUListElement | null} */
export const sentences = (list, kind) => (list.length === 0 ? null
  : el("ul", {class: kind}, list.map((text) => el("li", {}, text))));

/**
 * Makes a sentence of a text that the program wrote.
 * @param {string} text
 */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

/** @param {string[]} warnings  each becomes a sentence */
export function warningsBox(warnings) {
  return warnings.length === 0 ? null : el("div", {class: "answer-warnings", role: "note"},
    el("strong", {}, warnings.length === 1 ? "A warning" : `${number(warnings.length)} warnings`), sentences(warnings.map(sentence), ""));
}

/** @type {(broken: string[], all: number) => HTMLDivElement | null} */
function brokenBox(broken, all) {
  return broken.length === 0 ? null : el("div", {class: "answer-warnings broken", role: "note"},
    el("strong", {}, `${number(broken.length)} of ${plural(all, "expectation")} ${broken.length === 1 ? "does" : "do"} not hold`), sentences(broken, ""));
}

/** @type {(payers: Payers) => HTMLElement} */
const payersTable = ({by, rows, leftOut}) => el("div", {}, el("h2", {}, `Waits by ${by}`),
  table([{title: by}, {title: "mean wait", number: true}, {title: "95th percentile", number: true}],
    rows.map(({name, metric, mean, tail}) => [defined(metric, name), mean, tail]), {label: `Waits by ${by}`, plain: true}),
  leftOut > 0 ? el("p", {class: "faint"}, `${number(leftOut)} more wait less; Metrics has all of them.`) : null);

/** @type {(answer: Omit<RunAnswer, "question" | "takesTime"> & {question: string | null}, all: number, course: HTMLElement | null) => Content} */
function runAnswer({question, window: ofTime, numbers, intervals, payers, limits, warnings, broken}, all, course) {
  return [
    question ? el("p", {class: "question"}, question, ofTime ? [" ", el("span", {class: "answer-window"}, ofTime)] : null) : null,
    numbers.length === 0 ? null : el("ul", {class: "answer-numbers"}, numbers.map((n) => numberCard(n, n.note ? el("span", {class: "answer-next"}, n.note) : null))),
    course || payers.length > 0 ? el("div", {class: "answer-course"}, course, el("div", {}, payers.map(payersTable))) : null,
    brokenBox(broken, all),
    warningsBox(warnings),
    limits.length === 0 ? null : el("div", {class: "answer-limits"}, el("h2", {}, "What limits it"), sentences(limits, "")),
    intervals ? el("p", {class: "faint answer-note"}, intervals) : null,
  ];
}

/**
 * Such as `exact is better than greedy in mean wait and worse in GPU time in use`.
 * @type {(name: string, first: string, verdict: RunVerdict) => string}
 */
function verdictSentence(name, first, {paired, rows}) {
  if (!paired) {
    return `${name} beside ${first}: the runs have no seeds in common, or one replication each, so that a difference may be chance and has no verdict.`;
  }
  const titles = (/** @type {string[]} */ ...verdicts) => rows.filter((row) => verdicts.includes(row.verdict)).map(({title}) => (/^.[a-z ]/.test(title) ? title[0].toLowerCase() + title.slice(1) : title));
  if (rows.every((row) => row.verdict === "equal")) return `${name} and ${first} have the same ${rows.length} numbers, replication by replication.`;
  /** @type {[string, string[]][]} */
  const every = [["better than", titles("better")], ["worse than", titles("worse")], ["different from", titles("higher", "lower")]];
  const said = every.filter(([, list]) => list.length > 0).map(([how, list]) => `${how} ${first} in ${list.length} of these ${rows.length} numbers (${list.join("; ")})`);
  return said.length === 0 ? `No difference between ${name} and ${first} is shown beyond chance in these ${rows.length} numbers.`
    : `${name} is ${said.join(", and ")}.${rows.some((row) => /no difference|equal/.test(row.verdict)) ? " The others show no difference beyond chance." : ""}`;
}

function verdictsAnswer() {
  const first = runNames[0];
  const compared = (/** @type {number} */ i) => (data.comparison?.comparisons ?? []).find(({place}) => place === i + 1);
  return (data.verdicts ?? []).map((verdict, i) => el("div", {class: "answer-verdict"},
    warningsBox([compared(i)?.warning].flatMap((warning) => warning || [])),
    el("p", {class: "verdict-said"}, verdictSentence(runNames[i + 1], first, verdict)),
    el("p", {class: "verdict-key faint"}, `${first} → ${runNames[i + 1]} (difference)`),
    table([{title: "number"}, {title: first, number: true}, {title: runNames[i + 1], number: true}, {title: "difference", number: true}, {title: "verdict"}],
      verdict.rows.map((row) => [defined(row.metric, row.title), row.baseline, row.run, row.difference || "–",
        row.verdict ? verdictCell(row) : "–"]), {label: `${runNames[i + 1]} against ${first}`, plain: true}),
    verdict.paired ? el("p", {class: "faint answer-note"}, "Verdicts are those of berth compare, corrected for these numbers together (Holm), " +
      "so an interval (±) may leave out 0 where no difference is shown.") : null));
}

/**
 * The beginning of the page of one run or of several.
 * @type {(run: Run) => (HTMLElement | HTMLElement[] | null)[]}
 */
export function answerOfRuns(run) {
  const {numbers, intervals, payers, limits} = run.answer;
  if (data.runs.length === 1) return runAnswer(run.answer, run.claims.length, shownFigure(courseFigure, run));
  const ofAll = (/** @type {"broken" | "warnings"} */ key, as = (/** @type {string} */ text) => text) => data.runs.flatMap(({answer}, i) => answer[key].map((text) => `${runNames[i]}: ${as(text)}`));
  return [
    data.verdicts ? verdictsAnswer() : numbersTables(data.runs.map((each, i) => ({run: each, name: runNames[i]}))),
    brokenBox(ofAll("broken"), data.runs.reduce((sum, {claims: list}) => sum + list.length, 0)),
    warningsBox(ofAll("warnings", sentence)),
    el("ul", {class: "answer-questions"}, data.runs.map((each, i) => el("li", {}, el("b", {}, `${runNames[i]}: `), each.answer.question, ` ${each.answer.window}`))),
    el("details", {class: "answer-run"}, el("summary", {}, `The numbers of ${runNames[state.run]}, and what limits it`),
      runAnswer({question: null, window: "", numbers, intervals, payers, limits, warnings: [], broken: []}, run.claims.length, null)),
  ];
}
