/* Use level by level, and histograms of the servers. */

import {el} from "../base/dom.js";
import {clusterUse, nothingOn} from "./cluster_use.js";
import {cellHistogram} from "./fill_histogram.js";
import {levelFigure} from "./level_bars.js";
import {membersHistogram} from "./member_histogram.js";

export function levelsSection(run) {
  const cluster = run.cluster;
  if (!cluster || nothingOn(cluster)) return null;
  const use = clusterUse(cluster);
  const shown = cluster.levels.map((_, l) => l).filter((l) => {
    const count = cluster.domains[l].names.length;
    return count > 1 && count <= 1000;
  });
  const whose = use.view && (use.view.label === "all pods" ? use.view.label : `${cluster.member}s of ${use.view.label}`);
  return [
    el("p", {class: "lead"}, `Share of ${use.resource} in use` +
      (whose ? `: ${use.backgroundName} in blue, ${whose} in orange on top.` : ` by ${use.backgroundName}.`)),
    shown.length > 0 ? el("div", {class: "pair"}, shown.map((l) => levelFigure(cluster, use, l))) : null,
    el("div", {class: "pair"}, cellHistogram(cluster, use), membersHistogram(cluster, use)),
  ];
}
