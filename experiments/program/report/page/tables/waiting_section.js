/* Why pods wait. */

import {el} from "../base/dom.js";
import {table} from "../base/table.js";
import {number, plural} from "../base/text.js";
import {shownFigure} from "../figures/show.js";
import {waitingFigure} from "./waiting_figure.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @type {(run: Run) => Made} */
export function waitingSection(run) {
  const pods = run.pods;
  if (!pods || pods.causes.length === 0) return null;
  return [
    el("p", {class: "lead"}, `${plural(pods.explained, "pod")} did not run for a reason that is known; ` +
      "a pod can have more than one. All pods: " +
      pods.outcomes.map(([name, count]) => `${number(count)} ${name}`).join(", ") + "."),
    shownFigure(waitingFigure, pods.causes),
    el("h3", {style: "margin-top:22px"}, "As the scheduler said it"),
    table([{title: "message", class: "message"}, {title: "pods", number: true}],
      () => pods.messages.map(([text, count]) => [text, number(count)]), {label: "Messages", shown: 8}),
  ];
}
