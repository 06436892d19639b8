/* The page of berth calibrate: how near a run comes to the starts that its trace recorded. */

import {el} from "../base/dom.js";
import {showPage} from "../base/sections.js";
import {table} from "../base/table.js";
import {duration, number, percent, plural} from "../base/text.js";
import {shownFigure} from "../figures/show.js";
import {dayWaitsFigure} from "./day_waits_figure.js";
import {useFigure} from "./use_figure.js";
/** @import {Section} from "../base/page.d.ts" */
/** @import {Calibration, WaitAgreement} from "../data.d.ts" */

/** What is more than twice as long is told as a factor: +757 % says little. */
const biasText = (/** @type {number | null} */ bias) => (bias === null ? "–"
  : bias > 1 ? `× ${number(Number((1 + bias).toPrecision(3)))}` : `${bias < 0 ? "−" : "+"}${percent(Math.abs(bias))}`);

/** @type {(noun: string, rows: WaitAgreement[]) => HTMLElement} */
function agreementTable(noun, rows) {
  const right = (/** @type {string} */ title) => ({title, number: true});
  return table([{title: noun, class: "name"}, ...["jobs", "recorded wait", "wait in the run", "bias", "p95 recorded", "p95 in the run", "ranks",
    "within 1 min", "10 min", "1 h"].map(right)], () => rows.map((row) => [row.label, number(row.jobs + row.unstarted),
    duration(row.recorded_mean_s), duration(row.simulated_mean_s), biasText(row.bias), duration(row.recorded_quantiles_s[2]),
    duration(row.simulated_quantiles_s[2]), row.rank_correlation === null ? "–" : row.rank_correlation.toFixed(2), ...row.within.map(percent)]),
  {label: `Waits by ${noun}`, shown: 12});
}

/** @type {(of: Calibration) => string} */
function intervalText({all}) {
  if (!all.within_10m_ci95) return "There are no intervals: they need jobs on at least ten days.";
  const bias = all.bias_ci95 ? `the bias is between ${biasText(all.bias_ci95[0])} and ${biasText(all.bias_ci95[1])}, and ` : "";
  return `Drawn by whole days, with 95 % confidence, ${bias}between ${percent(all.within_10m_ci95[0])} and ${percent(all.within_10m_ci95[1])} ` +
    "start within ten minutes.";
}

/** @type {(of: Calibration) => string} */
function leftOutText({all, without_start: without, start_before_submit: before, outside_window: outside, not_in_trace: others}) {
  return [
    all.unstarted > 0 ? `${plural(all.unstarted, "job")} had not started when the run ended.` : "",
    without > 0 ? `${plural(without, "job")} without a recorded start ${without === 1 ? "is" : "are"} left out.` : "",
    before > 0 ? `${plural(before, "job")} ${before === 1 ? "is" : "are"} left out, which the recording starts before ${before === 1 ? "it was" : "they were"} submitted.` : "",
    outside > 0 ? `${plural(outside, "job")} outside of the window ${outside === 1 ? "is" : "are"} left out.` : "",
    others > 0 ? `${plural(others, "job")} of the run ${others === 1 ? "is" : "are"} in no trace.` : "",
  ].filter(Boolean).join(" ");
}

/** @type {(of: Calibration) => Section[]} */
const sectionsOf = (calibration) => [
  ["days", "Mean wait by day", () => {
    const days = calibration.groups.find(({by}) => by === "day");
    return days ? [shownFigure(dayWaitsFigure, days.rows)] : null;
  }],
  ["use", "In use over time", () => [shownFigure(useFigure, calibration.use)]],
  ["causes", "What the rules of the run do not explain", () => (calibration.causes.length === 0 ? null
    : [el("ul", {}, calibration.causes.map(({text}) => el("li", {}, `${text[0].toUpperCase()}${text.slice(1)}.`)))])],
  ["groups", "Who is reproduced", () => [agreementTable("all", [calibration.all]),
    ...calibration.groups.flatMap(({by, rows}) => [el("h3", {style: "margin-top:22px"}, `By ${by}`), agreementTable(by, rows)])]],
  ["largest", "The jobs that differ most", () => (calibration.largest.length === 0 ? null : [
    table([{title: "job", class: "name"}, {title: "recorded wait", number: true}, {title: "start in the run", number: true},
      {title: "why it waited in the run", class: "message"}],
    () => calibration.largest.map(({job, submit_s: submit, recorded_start_s: recorded, start_s: start, why}) => [job, duration(recorded - submit),
      start === null ? "never" : start < recorded ? `${duration(recorded - start)} earlier` : `${duration(start - recorded)} later`, why]),
    {label: "The jobs that differ most"})])],
];

/** @param {Calibration} calibration */
export function startCalibration(calibration) {
  const {headline, name} = calibration;
  showPage({sections: sectionsOf(calibration), title: name, answer: [
    el("p", {class: "question"}, `${headline[0].toUpperCase()}${headline.slice(1)}.`),
    el("p", {class: "lead wide"}, intervalText(calibration), " ", leftOutText(calibration)),
  ]});
}
