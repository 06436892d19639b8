/* Servers by how full they are. */

import {zeros} from "../base/lists.js";
import {number} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, legend, tooltip} from "../figures/look.js";
/** @import {ClusterUse} from "./cluster.d.ts" */
/** @import {Cluster} from "../data.d.ts" */
/** @import {FigureMaker} from "../figures/figure.d.ts" */

/**
 * Counts cells by the share in use, in tenths. Idle and full cells are counted separately.
 * @type {FigureMaker<{cluster: Cluster; use: ClusterUse}>}
 */
export function fillFigure({cluster, use}) {
  const names = ["idle", ...Array.from({length: 10}, (_, i) => `<${i * 10 + 10}%`), "full"];
  const without = zeros(12);
  const holding = zeros(12);
  for (let i = 0; i < cluster.names.length; ++i) {
    const capacity = use.capacity(i);
    if (capacity === 0) continue;
    const share = (use.background(i) + use.group[i]) / capacity;
    const slot = share <= 0 ? 0 : share >= 1 - 1e-9 ? 11 : 1 + Math.min(9, Math.floor(share * 10));
    (use.members[i] > 0 ? holding : without)[slot] += 1;
  }
  const what = use.known || !use.view ? "in use" : "in use by the background";
  const most = without.map((w, i) => w + holding[i]);
  return {
    id: "cells",
    title: `${cluster.leaf[0].toUpperCase()}${cluster.leaf.slice(1)}s by how much is ${what}`,
    height: 250,
    summary: `${number(most[0])} idle, ${number(most[11])} full, ` +
      `${number(most.slice(1, 11).reduce((a, b) => a + b, 0))} between` +
      (use.view ? `; ${number(holding.reduce((a, b) => a + b, 0))} hold ${cluster.member}s.` : "."),
    columns: [{title: "in use"}, {title: `without ${cluster.member}s`, number: true},
      {title: `with ${cluster.member}s`, number: true}],
    rows: () => names.map((name, i) => [name, number(without[i]), number(holding[i])]),
    option: () => ({
      grid: {outerBoundsMode: "none", left: 46, right: 8, top: 34, bottom: 26},
      legend: use.view ? legend({top: 0, left: 0, itemGap: 18}) : undefined,
      tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}}}),
      xAxis: axis({type: "category", data: names, splitLine: {show: false}, axisLabel: {interval: 0, hideOverlap: false, fontSize: 11,
        formatter: (_, i) => (i % 2 === 0 && i < 10 || i === 11 ? names[i] : "")}}),
      yAxis: axis({type: "value", minInterval: 1, axisLine: {show: false}}),
      series: [
        {name: use.view ? `without ${cluster.member}s` : `${cluster.leaf}s`, type: "bar", stack: "use",
          barCategoryGap: "22%", itemStyle: {color: colour("bar")}, data: without},
        ...(use.view ? [{name: `with ${cluster.member}s`, type: "bar", stack: "use",
          itemStyle: {color: colour("group")}, data: holding}] : []),
      ],
    }),
  };
}
