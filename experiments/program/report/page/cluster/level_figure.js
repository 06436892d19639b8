/* Use level by level: a bar for each domain. */

import {amount, markup, number, percent, plural, shortNames} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, legend, sliderColours, tooltip} from "../figures/look.js";
import {pathOf} from "./cluster_use.js";
/** @import {ClusterUse} from "./cluster.d.ts" */
/** @import {Cluster} from "../data.d.ts" */
/** @import {FigureMaker, NumberTip} from "../figures/figure.d.ts" */

/**
 * @param {Cluster} cluster
 * @param {ClusterUse} use
 * @param {number} level
 */
export function levelUse(cluster, use, level) {
  const count = cluster.domains[level].names.length;
  const sums = Array.from({length: count}, () => ({capacity: 0, background: 0, group: 0, members: 0}));
  for (let i = 0; i < cluster.names.length; ++i) {
    const sum = sums[pathOf(cluster, i)[level]];
    sum.capacity += use.capacity(i);
    sum.background += use.background(i);
    sum.group += use.group[i];
    sum.members += use.members[i];
  }
  return sums;
}

/**
 * Such as `, 12 to 108 in each of these`; empty if there is only one.
 * @param {number[]} counts
 */
function eachOf(counts) {
  if (counts.length < 2) return "";
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? `, ${number(least)} in each of these` : `, ${number(least)} to ${number(most)} in each of these`;
}

/** @type {FigureMaker<{cluster: Cluster; use: ClusterUse; level: number}>} */
export function levelFigure({cluster, use, level}) {
  const names = cluster.domains[level].names;
  const sums = levelUse(cluster, use, level);
  const share = (/** @type {number} */ value, /** @type {{capacity: number}} */ sum) => (sum.capacity > 0 ? value / sum.capacity : 0);
  const most = Math.max(...sums.map((s) => share(s.background + s.group, s)));
  const holders = sums.filter((s) => s.members > 0).length;
  const title = `By ${cluster.levels[level]}`;
  const summary = use.view
    ? `${plural(use.view.count, cluster.member)} in ${holders} of ${plural(names.length, cluster.levels[level])}` +
      `${eachOf(sums.map((s) => s.members).filter((m) => m > 0))}.`
    : `Background of ${plural(names.length, cluster.levels[level])}.`;
  return {
    id: `level-${level}`,
    class: names.length <= 6 ? "narrow" : names.length <= 30 ? "wide" : "full",
    title,
    height: 250,
    summary,
    columns: [{title: cluster.levels[level], class: "name"}, {title: "capacity", number: true},
      {title: "background", number: true}, {title: `${cluster.member}s`, number: true},
      {title: "used", number: true}],
    rows: () => sums.map((s, i) => [names[i], amount(use.resource, s.capacity),
      amount(use.resource, s.background), number(s.members), percent(share(s.background + s.group, s))]),
    option: (width) => ({
      grid: {outerBoundsMode: "none", left: 46, right: 8, top: 34, bottom: names.length > 80 ? 76 : 44},
      legend: use.view ? legend({top: 0, left: 0, itemGap: 18}) : undefined,
      tooltip: tooltip({trigger: "axis", axisPointer: {type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}},
        formatter: (/** @type {NumberTip[]} */ list) => {
          const i = list[0].dataIndex;
          const s = sums[i];
          return `<b>${markup(names[i])}</b><br>${use.backgroundName} ${amount(use.resource, s.background)} of ` +
            `${amount(use.resource, s.capacity)} ${markup(use.resource)} (${percent(share(s.background, s))})` +
            (use.view ? `<br>${plural(s.members, cluster.member)}` +
            (use.known ? ` (${percent(share(s.group, s))})` : "") : "");
        }}),
      dataZoom: names.length > 80 ? [{type: "slider", height: 18, bottom: 6, ...sliderColours()}, {type: "inside", zoomOnMouseWheel: "ctrl"}] : [],
      xAxis: axis({type: "category", data: shortNames(names), splitLine: {show: false}, name: cluster.levels[level], nameLocation: "middle", nameGap: 24}),
      yAxis: axis({type: "value", min: 0, max: most > 1.0001 ? null : 1, ...(most > 1.0001 ? {} : {interval: 0.25}), axisLine: {show: false}, axisLabel: {formatter: percent}}),
      series: [
        {name: use.backgroundName, type: "bar", stack: "use", barCategoryGap: "22%", itemStyle: {color: colour("bar")},
          data: sums.map((s) => share(s.background, s))},
        ...(use.view ? [{name: `${cluster.member}s`, type: "bar", stack: "use",
          itemStyle: {color: colour("group")},
          data: sums.map((s) => share(s.group, s)),
          label: {show: names.length <= 30, position: use.known ? "inside" : "top",
            color: use.known ? colour("on-group") : colour("group"), fontSize: 11, fontWeight: 600,
            formatter: (/** @type {NumberTip} */ p) => (sums[p.dataIndex].members > 0 && 7 * String(sums[p.dataIndex].members).length < 0.78 * (width - 54) / names.length &&
              (!use.known || share(sums[p.dataIndex].group, sums[p.dataIndex]) > 0.055)
              ? number(sums[p.dataIndex].members) : "")}}] : []),
      ],
    }),
  };
}
