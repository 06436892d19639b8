/* The page of berth forecast: when waiting jobs start, why they wait, and how that is known. */

import {el} from "../base/dom.js";
import {showPage} from "../base/sections.js";
import {table} from "../base/table.js";
import {duration, number, percent, plural} from "../base/text.js";
import {shownFigure} from "../figures/show.js";
import {startsFigure} from "./starts_figure.js";
/** @import {Section} from "../base/page.d.ts" */
/** @import {Forecast, ForecastBasis, ForecastCheck, Value} from "../data.d.ts" */

const startText = (/** @type {Value} */ start) => (start === null ? "later" : duration(start));
const right = (/** @type {string} */ title) => ({title, number: true});

/** @type {(basis: ForecastBasis, waiting: number) => string[]} */
function basisTexts({ended, learns, same_user: user, same_shape: shape, moments, days, new_users: fresh, largest_share: largest}, waiting) {
  return [
    !learns ? "Run times are drawn evenly up to the limits." : `Run times are learned from ${plural(ended, "job")} that ${ended === 1 ? "has" : "have"} ended.`,
    user === null || shape === null ? "Jobs of one user are taken as independent."
      : `Jobs of one user resemble each other: ${user.toFixed(2)}, those of one size and limit: ${(user + shape * (1 - user)).toFixed(2)} ` +
        `(${moments === 0 ? "assumed, since no past moment tells it yet" : `measured at ${plural(moments, "past moment")}`}).`,
    days === 0 ? "No further jobs come, since less than a day of the past is known." : `Further jobs come as on ${plural(days, "past day")}.`,
    learns && fresh.length > 0 ? `No job of ${fresh.map((name) => name || "unknown users").join(", ")} has ended yet: their run times are those of others.` : "",
    largest > 0.5 && waiting > 1 ? "Most of the queue is of one user, whose new jobs may differ from the past." : "",
  ].filter(Boolean);
}

/** @type {(check: ForecastCheck) => HTMLElement[]} */
function checkParts({moments, days, jobs, intervals, groups, crps_s: error, crps_of_limits_s: limits}) {
  if (moments === 0) return [el("p", {}, "No past moment had five waiting jobs, so that nothing tells how well this predicts.")];
  return [
    el("p", {}, `${plural(moments, "past moment")} on ${plural(days, "day")}, with ${plural(jobs, "waiting job")}, were forecast from what was known then. ` +
      `The error (CRPS) was ${duration(error)}, ${number(Number((error / limits).toFixed(2)))} of that of limits alone.`),
    table([right("intervals of"), right("held"), right("at least"), right("at most"), right("of all jobs")], () => intervals.map((one) =>
      [one.level, one.by_moment, one.least, one.most, one.by_job].map((share) => percent(share / 100))), {label: "How well intervals held"}),
    table([{title: "of the jobs", class: "name"}, right("jobs"), right("intervals of 80 % held")], () => groups.map((one) =>
      [one.group, number(one.jobs), percent(one.covered / 100)]), {label: "Intervals of 80 % by group"}),
  ];
}

/** @type {(forecast: Forecast) => Section[]} */
const sectionsOf = ({jobs, changes, cheapest, basis, check, notes}) => [
  ["starts", "When they start", () => (jobs ? [shownFigure(startsFigure,
    {id: "forecast-starts", noun: "job", rows: jobs.map(({job, start_s: start}) => ({name: job, start}))})] : null)],
  ["changes", "What would change it", () => {
    const job = jobs?.find(({asked}) => asked);
    if (!job || !changes) return null;
    return [el("p", {}, cheapest ? `The cheapest change that brings ${job.job} forward: ${cheapest}.` : `None of these brings ${job.job} forward.`),
      shownFigure(startsFigure, {id: "forecast-changes", noun: "form",
        rows: [{name: "as it is", start: job.start_s}, ...changes.map(({change, start_s: start}) => ({name: change, start}))]})];
  }],
  ["jobs", "What they wait for", () => (jobs ? [table([{title: "job", class: "name"}, {title: "user"}, right("start by 50 %"),
    ...(jobs.some(({preempted}) => preempted !== null) ? [right("preempted")] : []), {title: "waits for", class: "message"}],
  () => jobs.map(({job, user, start_s: start, preempted, waits_for: why}) => [job, user, startText(start.p50),
    ...(preempted === null ? [] : [percent(preempted)]), why || "–"]), {label: "Waiting jobs"})] : null)],
  ["basis", "How that is known", () => basis ? [el("ul", {}, [...basisTexts(basis, jobs?.length ?? 0), ...notes.map((note) => `${note[0].toUpperCase()}${note.slice(1)}.`)]
    .map((text) => el("li", {}, text)))] : null],
  ["check", "How well it predicted the past", () => check ? checkParts(check) : null],
];

/** @type {(forecast: Forecast) => string} */
function headline({jobs, basis, check}) {
  if (!jobs || !basis) return `Forecasts of ${plural(check?.moments ?? 0, "past moment")}, and what came.`;
  const job = jobs.find(({asked}) => asked);
  return job ? `${job.job} starts within ${startText(job.start_s.p50)} with even chances, and within ${startText(job.start_s.p90)} with 90 %.`
    : `${plural(jobs.length, "job")} ${jobs.length === 1 ? "waits" : "wait"}, and ${number(basis.running)} ${basis.running === 1 ? "runs" : "run"}.`;
}

/** @param {Forecast} forecast */
export function startForecast(forecast) {
  showPage({sections: sectionsOf(forecast), title: forecast.name, answer: [
    el("p", {class: "question"}, headline(forecast)),
    el("p", {class: "lead wide"}, `Now is ${duration(forecast.now_s)} on the clock of its past. Each fan shows when a job starts, counted from now.`),
  ]});
}
