/* The selectors that all figures of a sweep share. */

import {choice, el} from "../base/dom.js";
import {sweep} from "../base/state.js";
import {otherAxes} from "./sweep_data.js";
import {changed, setRole, sweepView} from "./sweep_view.js";
/** @import {Role} from "./sweep.d.ts" */

/** @type {[string, "by" | "panel"][]} */
const otherRoles = [["Lines", "by"], ["Panels", "panel"]];

/** Select boxes for the metric, for the roles of the axes, and for values of the remaining axes. */
export function sweepControls() {
  const axes = sweep.axes.filter((a) => a.values.length > 1 || sweep.axes.length === 1).map((a) => a.name);
  const metrics = sweep.metrics.map((m) => m.name);
  const setAxis = (/** @type {Role} */ role, /** @type {string | null} */ name) => {
    setRole(role, name);
    changed();
  };
  const roles = [
    choice("Metric", metrics, metrics.indexOf(sweepView.metric), (i) => {
      sweepView.metric = metrics[i];
      changed();
    }, "sweep-metric"),
    choice("Over", axes, axes.indexOf(sweepView.x), (i) => setAxis("x", axes[i]), "sweep-x"),
  ];
  if (axes.length > 1) {
    const withNone = ["–", ...axes];
    for (const [title, key] of otherRoles) {
      roles.push(choice(title, withNone, axes.findIndex((name) => name === sweepView[key]) + 1, (i) => setAxis(key, i === 0 ? null : axes[i - 1]), `sweep-${key}`));
    }
  }
  const rest = otherAxes([sweepView.x, sweepView.by]);
  const filters = rest.map((a) => choice(a.name, ["averaged", ...a.values],
    a.name in sweepView.where ? a.values.indexOf(sweepView.where[a.name]) + 1 : 0, (i) => {
      if (i === 0) delete sweepView.where[a.name];
      else sweepView.where[a.name] = a.values[i - 1];
      changed();
    }, `sweep-where-${sweep.axes.indexOf(a)}`));
  return el("form", {class: "sweep-controls", "aria-label": "What the figures show", onsubmit: (e) => e.preventDefault()},
    el("div", {class: "controls"}, roles),
    filters.length > 0 ? el("div", {class: "controls"}, el("span", {class: "faint"}, "With"), filters) : null);
}
