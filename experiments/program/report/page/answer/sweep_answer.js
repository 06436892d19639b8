/* The first screen of a sweep. */

import {el} from "../base/dom.js";
import {sweep} from "../base/state.js";
import {number, plural} from "../base/text.js";
import {targetBox} from "../sweep/target.js";
import {numberCard, sentences, warningsBox} from "./answer.js";
/** @import {Content} from "../base/page.d.ts" */
/** @import {SweepAnswer} from "../data.d.ts" */

/** @type {(answer: SweepAnswer) => Content} */
export function answerOfSweep({question, given, nothing, numbers, averages, warnings}) {
  const unfinished = sweep.unfinished.length;
  const averaged = given ? `, averaged over ${given}` : "";
  return [
    el("p", {class: "question"}, question),
    nothing ? el("p", {class: "faint"}, nothing)
      : el("ul", {class: "answer-numbers wide"}, numbers.map((n) => numberCard(n,
        el("span", {class: "answer-place"}, `with ${n.at}${n.equal > 0 ? ` and ${plural(n.equal, "equal one")}` : ""}${averaged}`),
        el("span", {class: "answer-next"}, `Next: ${n.next}, ${n.by} ${n.more}${n.doubt}.`)))),
    targetBox(),
    warningsBox([...warnings, ...(unfinished > 0 ? [`${plural(unfinished, "point")} of ${number(sweep.keys.length)} ${unfinished === 1 ? "is" : "are"} not finished: ` +
      "run the sweep again to go on with them. All numbers are of the others."] : [])]),
    averages.length === 0 ? null : el("div", {class: "answer-limits"}, el("h2", {}, "Averaged over the other axes"), sentences(averages, "")),
    numbers.some((n) => n.interval) ? el("p", {class: "faint answer-note"}, "± is the half-width of the 95% interval of the mean, by Student's t over the replications; a difference is taken seed by seed, " +
      "and chance is judged as berth compare does.") : null,
  ];
}
