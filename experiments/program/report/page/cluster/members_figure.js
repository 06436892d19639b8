/* Servers by the number of members on them. */

import {markup, number, plural} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, tooltip} from "../figures/look.js";
/** @import {ClusterUse} from "./cluster.d.ts" */
/** @import {Cluster} from "../data.d.ts" */
/** @import {FigureMaker, NumberTip} from "../figures/figure.d.ts" */

/** @type {FigureMaker<{cluster: Cluster; use: ClusterUse}>} */
export function membersFigure({cluster, use}) {
  if (!use.view) return null;
  const counts = new Map();
  use.view.members.counts.forEach((m) => counts.set(m, (counts.get(m) ?? 0) + 1));
  const largest = Math.max(...counts.keys());
  const step = Math.max(1, Math.ceil(largest / 40));
  /** @type {[string, number][]} */
  const bars = [];
  for (let from = 1; from <= largest; from += step) {
    let sum = 0;
    for (let m = from; m < from + step; ++m) sum += counts.get(m) ?? 0;
    bars.push([step === 1 ? String(from) : `${from}–${from + step - 1}`, sum]);
  }
  return {
    id: "members",
    title: `${cluster.leaf[0].toUpperCase()}${cluster.leaf.slice(1)}s by the number of ${cluster.member}s on them`,
    height: 250,
    summary: `${plural(use.view.count, cluster.member)} on ${plural(use.view.members.cells.length, cluster.leaf)}: ` +
      `${number(Math.min(...use.view.members.counts))} to ${number(largest)} on one.`,
    columns: [{title: `${cluster.member}s`}, {title: `${cluster.leaf}s`, number: true}],
    rows: () => bars.map(([name, count]) => [name, number(count)]),
    option: () => ({
      grid: {outerBoundsMode: "none", left: 46, right: 8, top: 34, bottom: 26},
      tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}},
        formatter: (/** @type {NumberTip[]} */ [p]) => `${plural(p.value, cluster.leaf)} with ${markup(p.name)} ${cluster.member}${p.name === "1" ? "" : "s"}`}),
      xAxis: axis({type: "category", data: bars.map((b) => b[0]), splitLine: {show: false}}),
      yAxis: axis({type: "value", minInterval: 1, axisLine: {show: false}}),
      series: [{name: `${cluster.leaf}s`, type: "bar", barCategoryGap: "22%", barMaxWidth: 60,
        itemStyle: {color: colour("group")}, data: bars.map((b) => b[1]),
        label: {show: bars.length <= 16, position: "top", color: colour("muted"), fontSize: 11,
          formatter: (/** @type {NumberTip} */ p) => (p.value > 0 ? number(p.value) : "")}}],
    }),
  };
}
