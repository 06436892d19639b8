/* Members on the nodes of a level, as a published figure shows them and as measured. */

import {markup, number, plural, shortNames} from "../base/text.js";
import {colour} from "../base/theme.js";
import {clusterUse} from "../cluster/cluster_use.js";
import {levelUse} from "../cluster/level_figure.js";
import {axis, legend, tooltip} from "../figures/look.js";
/** @import {ClaimFigure, Cluster, Run} from "../data.d.ts" */
/** @import {Figure, NumberTip, SureFigureMaker} from "../figures/figure.d.ts" */

/** @typedef {Pick<Figure, "height" | "columns" | "rows" | "option">} Picture */

const shadow = () => ({type: "shadow", shadowStyle: {color: colour("muted"), opacity: 0.12}});
const nodesMost = 60;  // more bars than this are not readable

/**
 * The share of a level's nodes in use before the run, and the share that a member adds; null if
 * they are not known.
 * @type {(cluster: Cluster | null, level: string) => {names: string[]; parents: string[]; background: number[]; member: number} | null}
 */
function placesOf(cluster, level) {
  const at = cluster?.levels.indexOf(level) ?? -1;
  if (!cluster || at < 0 || cluster.domains[at].names.length > nodesMost) return null;
  const use = clusterUse(cluster, 0, cluster.paid);
  const sums = levelUse(cluster, use, at);
  const amounts = sums.filter(({members}) => members > 0);
  if (!use.known || amounts.length === 0 || sums.some(({capacity}) => capacity !== sums[0].capacity)) return null;
  const {names, parents} = cluster.domains[at];
  return {names, parents: at === 0 ? [] : parents.map((parent) => cluster.domains[at - 1].names[parent]),
    background: sums.map(({background, capacity}) => background / capacity),
    member: amounts[0].group / amounts[0].members / amounts[0].capacity};
}

/** Labels such as `room-0` above racks 0 to 7. Every other group has a darker background. */
const groundOf = (/** @type {string[]} */ parents) => ({silent: true,
  label: {position: "insideTop", color: colour("muted"), fontSize: 11, distance: 2},
  data: [...new Set(parents)].map((parent, i) => [{name: parent, xAxis: parents.indexOf(parent), itemStyle: {color: i % 2 === 0 ? "transparent" : colour("hover")}},
    {xAxis: parents.lastIndexOf(parent)}])});

/**
 * The picture by node: the published numbers above the measured ones, over the same nodes.
 * @type {(figure: ClaimFigure, run: Run) => Picture}
 */
function byNode(figure, run) {
  const places = placesOf(run.cluster, figure.level);
  const names = places?.names ?? [...new Set([...Object.keys(figure.published), ...Object.keys(figure.measured)])];
  const background = places?.background ?? names.map(() => 0);
  const member = places?.member ?? 1;
  const sides = /** @type {const} */ (["published", "measured"]);
  const most = Math.max(...sides.flatMap((side) => names.map((name, i) => background[i] + member * (figure[side][name] ?? 0))));
  const height = 118;
  return {
    height: 2 * height + 34,
    columns: [{title: figure.level, class: "name"}, {title: "published", number: true}, {title: "measured", number: true}],
    rows: () => names.map((name) => [name, ...sides.map((side) => number(figure[side][name] ?? 0))]),
    option: () => ({
      title: sides.map((side, i) => ({text: side === "published" ? "Published" : "Measured", left: 0, padding: 0, top: 6 + i * height, textStyle: {color: colour("ink"), fontSize: 12, fontWeight: 600}})),
      legend: places ? legend({top: 2, right: 0, itemGap: 14, data: ["members", "in use before"], textStyle: {color: colour("muted"), fontSize: 12}}) : undefined,
      grid: sides.map((_, i) => ({outerBoundsMode: "none", left: 44, right: 2, top: 26 + i * height, height: height - 30})),
      tooltip: tooltip({trigger: "axis", axisPointer: shadow(), formatter: (/** @type {NumberTip[]} */ [{dataIndex: i}]) =>
        `<b>${markup(names[i])}</b><br>published ${number(figure.published[names[i]] ?? 0)}, measured ${number(figure.measured[names[i]] ?? 0)} members` +
        (places ? `<br>${Math.round(100 * background[i])}% in use before` : "")}),
      axisPointer: {link: [{xAxisIndex: "all"}]},
      xAxis: sides.map((_, i) => axis({gridIndex: i, type: "category", data: shortNames(names), splitLine: {show: false},
        axisLabel: {show: i === 1, fontSize: 11}, ...(i === 1 ? {name: figure.level, nameLocation: "middle", nameGap: 20} : {})})),
      yAxis: sides.map((_, i) => axis({gridIndex: i, type: "value", min: 0, ...(places ? {max: Math.max(1.4, most), interval: 0.5} : {}), axisLine: {show: false}, splitNumber: 2,
        axisLabel: {fontSize: 11, showMaxLabel: !places, formatter: (v) => (places ? `${Math.round(100 * v)}%` : number(v))}})),
      series: sides.flatMap((side, i) => [
        {name: "in use before", type: "bar", stack: side, xAxisIndex: i, yAxisIndex: i, barCategoryGap: "18%", itemStyle: {color: colour("bar")}, data: background,
          ...(places && places.parents.length > 0 ? {markArea: groundOf(places.parents)} : {})},
        {name: "members", type: "bar", stack: side, xAxisIndex: i, yAxisIndex: i, itemStyle: {color: colour("group")},
          data: names.map((name) => member * (figure[side][name] ?? 0)),
          label: {show: true, position: "top", distance: 2, color: colour("group"), fontSize: names.length > 16 ? 10 : 11, fontWeight: 600,
            formatter: (/** @type {NumberTip} */ p) => { const count = figure[side][names[p.dataIndex]]; return count ? number(count) : ""; }}},
      ]),
    }),
  };
}

/**
 * The picture by number of members: how many nodes have each number.
 * @type {(figure: ClaimFigure) => Picture}
 */
function byMembers(figure) {
  const counts = [...new Set([...Object.keys(figure.published), ...Object.keys(figure.measured)].map(Number))].sort((a, b) => a - b);
  const sides = /** @type {const} */ ([["published", "series-7"], ["measured", "group"]]);
  return {
    height: 146,
    columns: [{title: `members on a ${figure.level}`, number: true}, {title: "published", number: true}, {title: "measured", number: true}],
    rows: () => counts.map((count) => [number(count), ...sides.map(([side]) => number(figure[side][count] ?? 0))]),
    option: () => ({
      legend: legend({top: 0, right: 0, itemGap: 14, textStyle: {color: colour("muted"), fontSize: 12}}),
      grid: {outerBoundsMode: "none", left: 38, right: 2, top: 36, bottom: 36},
      tooltip: tooltip({trigger: "axis", axisPointer: shadow(), formatter: (/** @type {NumberTip[]} */ [{dataIndex: i}]) =>
        `${number(counts[i])} on one: ` + sides.map(([side]) => `${side} ${plural(figure[side][counts[i]] ?? 0, figure.level)}`).join(", ")}),
      xAxis: axis({type: "category", data: counts, splitLine: {show: false}, name: `members on a ${figure.level}`, nameLocation: "middle", nameGap: 20, axisLabel: {fontSize: 11}}),
      yAxis: axis({type: "value", minInterval: 1, splitNumber: 2, axisLine: {show: false}, axisLabel: {fontSize: 11}}),
      series: sides.map(([side, name]) => ({name: side, type: "bar", barCategoryGap: "30%", barMaxWidth: 28, itemStyle: {color: colour(name)},
        data: counts.map((count) => figure[side][count] ?? 0),
        label: {show: counts.length <= 10, position: "top", distance: 2, color: colour("muted"), fontSize: 11,
          formatter: (/** @type {NumberTip} */ p) => (p.value > 0 ? number(p.value) : "")}})),
    }),
  };
}

/** @type {SureFigureMaker<{figure: ClaimFigure; run: Run}>} */
export function publishedFigure({figure, run}) {
  const words = (/** @type {Record<string, number>} */ counts) => Object.entries(counts).map(([key, count]) =>
    (figure.by === "node" ? `${number(count)} on ${key}` : `${plural(count, figure.level)} with ${key}`)).join(", ") || "none";
  return {
    id: `published-${run.experiment}-${figure.level}`,
    title: figure.by === "node" ? `Members by ${figure.level}` : `${figure.level[0].toUpperCase()}${figure.level.slice(1)}s by the members on them`,
    summary: `Published: ${words(figure.published)}. Measured: ${words(figure.measured)}.`,
    caption: "",
    ...(figure.by === "node" ? byNode(figure, run) : byMembers(figure)),
  };
}
