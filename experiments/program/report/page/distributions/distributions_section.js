/* Distributions of one run. */

import {choice, el} from "../base/dom.js";
import {redrawSections} from "../base/sections.js";
import {state} from "../base/state.js";
import {plural} from "../base/text.js";
import {shownFigure} from "../figures/show.js";
import {distributionFigure} from "./distribution_figure.js";
/** @import {Distribution, Run} from "../data.d.ts" */
/** @import {Made} from "../base/page.d.ts" */

/** @type {(run: Run) => Made} */
export function distributionsSection(run) {
  if (run.distributions.length === 0) return null;
  const varies = (/** @type {Distribution} */ d) => d.box[0] < d.box[4];
  const usual = run.answer.numbers.map(({metric}) => metric);
  const rank = (/** @type {Distribution} */ d) => (usual.includes(d.name) ? usual.indexOf(d.name) : usual.length);
  const all = run.distributions.filter(varies).sort((a, b) => rank(a) - rank(b));
  const constant = run.distributions.filter((d) => !varies(d));
  if (all.length === 0) return null;
  state.distribution = Math.min(state.distribution, all.length - 1);
  const names = all.map((d) => (d.of === "replication" ? d.name : `${d.of}: ${d.name}`));
  return {
    controls: el("div", {class: "controls"}, choice("Metric", names, state.distribution, (i) => {
      state.distribution = i;
      redrawSections(["distributions"]);
    }, "metric")),
    content: [
      el("p", {class: "lead"}, "The box holds the middle half, its line is the median, the whiskers are the extremes; " +
        "the point is the mean of the replications with its 95% confidence interval. Pods and groups of one run depend on " +
        "one another, so that only replications have an interval." +
        (constant.length > 0 ? ` ${plural(constant.length, "metric")} ${constant.length === 1 ? "does" : "do"} not vary and ${constant.length === 1 ? "is" : "are"} not offered: ` +
          `${constant.slice(0, 6).map((d) => d.name).join(", ")}${constant.length > 6 ? ` and ${constant.length - 6} others` : ""}.` : "")),
      shownFigure(distributionFigure, {d: all[state.distribution], title: names[state.distribution]}),
    ],
  };
}
