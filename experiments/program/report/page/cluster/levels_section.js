/* Use level by level, and histograms of the servers. */

import {el} from "../base/dom.js";
import {state} from "../base/state.js";
import {shownFigure} from "../figures/show.js";
import {clusterUse, nothingOn} from "./cluster_use.js";
import {fillFigure} from "./fill_figure.js";
import {levelFigure} from "./level_figure.js";
import {membersFigure} from "./members_figure.js";
/** @import {Made} from "../base/page.d.ts" */
/** @import {Run} from "../data.d.ts" */

/** @type {(run: Run) => Made} */
export function levelsSection(run) {
  const cluster = run.cluster;
  if (!cluster || nothingOn(cluster)) return null;
  const use = clusterUse(cluster, state.view, state.resource);
  const shown = cluster.levels.map((_, l) => l).filter((l) => {
    const count = cluster.domains[l].names.length;
    return count > 1 && count <= 1000;
  });
  const whose = use.view && (use.view.label === "all pods" ? use.view.label : `${cluster.member}s of ${use.view.label}`);
  return [
    el("p", {class: "lead"}, `Share of ${use.resource} in use` +
      (whose ? `: ${use.backgroundName} in blue, ${whose} in orange on top.` : ` by ${use.backgroundName}.`)),
    shown.length > 0 ? el("div", {class: "pair"}, shown.map((l) => shownFigure(levelFigure, {cluster, use, level: l}))) : null,
    el("div", {class: "pair"}, shownFigure(fillFigure, {cluster, use}), shownFigure(membersFigure, {cluster, use})),
  ];
}
