/* Tables of a sweep: its points with all metrics, filtered and sorted. */

import {byId, el} from "../base/dom.js";
import {sweep} from "../base/state.js";
import {number, plural} from "../base/text.js";
import {wantedMetrics, wantedPoints} from "./point_filter.js";
import {holdAxes, pointRowsShown, pointsTable} from "./points_table.js";
import {savePoints} from "./save_button.js";
import {keepSweepHash, sweepView} from "./sweep_view.js";
/** @import {Made} from "../base/page.d.ts" */

/** @returns {Made} */
export function sweepPoints() {
  const body = el("div", {id: "sweep-points-body"});
  const draw = (/** @type {string | undefined} */ focusName = undefined) => {
    const points = wantedPoints();
    const {shown, all} = wantedMetrics();
    const pages = Math.max(1, Math.ceil(points.length / pointRowsShown));
    sweepView.page = Math.min(sweepView.page, pages - 1);
    const first = sweepView.page * pointRowsShown;
    const turn = (/** @type {number} */ by) => el("button", {type: "button", id: by < 0 ? "points-before" : "points-after",
      disabled: sweepView.page + by < 0 || sweepView.page + by >= pages, onclick: (e) => {
        sweepView.page += by;
        const {id} = e.currentTarget;
        draw();
        byId(id).focus();
      }}, by < 0 ? "Previous" : "Next");
    body.replaceChildren(
      el("p", {class: "tally", role: "status"}, points.length === sweep.keys.length ? plural(points.length, "point")
        : `${number(points.length)} of ${plural(sweep.keys.length, "point")}`,
      all > shown.length ? `; ${number(shown.length)} of ${plural(all, "metric")}: narrow them down by a part of their name` : ""),
      pointsTable(points, shown, draw),
      el("div", {class: "controls pages"}, turn(-1),
        el("span", {class: "faint"}, points.length === 0 ? "no rows"
          : `rows ${number(first + 1)} to ${number(Math.min(first + pointRowsShown, points.length))} of ${number(points.length)}`),
        turn(1), savePoints()));
    keepSweepHash();
    requestAnimationFrame(() => holdAxes(body.querySelector(".scroll")));
    if (focusName !== undefined) {
      const head = [...body.querySelectorAll("button.sort")].find((b) => b.textContent?.replace(/ [▲▼]$/, "") === focusName);
      if (head instanceof HTMLElement) head.focus();
    }
  };
  const input = (/** @type {"filter" | "names"} */ key, /** @type {string} */ id, /** @type {string} */ placeholder) => el("input", {type: "search", id, placeholder, value: sweepView[key], oninput: (e) => {
    sweepView[key] = e.target.value;
    sweepView.page = 0;
    draw();
  }});
  draw();
  const a = sweep.axes[0];
  return {
    controls: el("div", {class: "controls"},
      el("label", {}, "Filter", input("filter", "points-filter", `${a.name}${a.numbers === null ? "=" : ">"}${a.values[0]}`)),
      el("label", {}, "Metrics", input("names", "points-names", "part of a name"))),
    content: [el("p", {class: "lead"}, "Means over the replications ± half-width of the 95% confidence interval, by Student's t over them; a heading sorts. A filter is a part of a value, " +
      `or conditions on axes and metrics such as ${a.name}=${a.values[0]}, ${sweepView.metric}>0; spaces between them mean “and”. ` +
      "Pointing at a point's number tells its folder, as the CSV does."), body],
  };
}
