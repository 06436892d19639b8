/* The cluster at one instant. */

import {choice, el} from "../base/dom.js";
import {lastOf} from "../base/lists.js";
import {redrawSections} from "../base/sections.js";
import {state} from "../base/state.js";
import {duration, plural} from "../base/text.js";
import {shownFigure} from "../figures/show.js";
import {clusterFigure} from "./cluster_figure.js";
import {clusterUse, nothingOn, withoutKey} from "./cluster_use.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @type {(run: Run) => Made} */
export function clusterSection(run) {
  const cluster = run.cluster;
  if (!cluster || nothingOn(cluster)) return null;
  const use = clusterUse(cluster, state.view, state.resource);
  const many = cluster.names.length > 2500;
  const controls = el("div", {class: "controls"});
  if (cluster.views.length > 1) {
    controls.append(choice("Show", cluster.views.map((v) =>
      `${v.label} (${plural(v.count, cluster.member)})`), state.view, (i) => {
      state.view = i;
      redrawSections(["cluster", "levels"]);
    }, "view"));
  }
  if (cluster.resources.length > 1) {
    controls.append(choice("Resource", cluster.resources, state.resource, (i) => {
      state.resource = i;
      redrawSections(["cluster", "levels"]);
    }, "resource"));
  }
  const when = use.view && use.view.time > 0
    ? ` It is shown at ${duration(use.view.time)}, when it is fullest${state.view > 0 || !/^all /.test(use.view.label) ? " of these" : ""}.` : "";
  const what = cluster.levels.length > 0
    ? `Columns are ${lastOf(cluster.levels)}s, each rectangle is a ${cluster.leaf}.`
    : `Each rectangle is a ${cluster.leaf}.`;
  const hidden = !use.view && run.groups.rows.length > 0
    ? " Placements were not recorded, so that no members are shown." : "";
  const keys = el("ul", {class: "legend", "aria-label": "Legend"},
    use.backgroundName === "other work" ? null : el("li", {}, el("span", {class: "ramp"}), el("span", {}, `Blue: how full each ${cluster.leaf} already is with ${use.backgroundName}.`)),
    use.view ? el("li", {}, el("span", {class: "chip"}, "3"), el("span", {}, `Orange: how many ${cluster.member}s are on it` +
      (use.known ? `, as wide as what they take of the ${cluster.leaf}.` : "."))) : null, withoutKey(cluster, use));
  return {
    controls,
    content: [
      el("p", {class: "lead"}, what + when + hidden + " Hover for the numbers" +
        (many ? "; hold Ctrl and turn the wheel to zoom." : ".")),
      keys,
      shownFigure(clusterFigure, {cluster, use}),
    ],
  };
}
