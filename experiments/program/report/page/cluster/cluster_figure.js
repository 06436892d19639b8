/* The picture of a cluster: each server is a rectangle, which is darker the fuller the server
   is. */

import {amount, markup, number, percent, shortNames} from "../base/text.js";
import {colour, fontFamily} from "../base/theme.js";
import {mixed} from "../figures/colours.js";
import {tooltip} from "../figures/look.js";
import {layOut} from "./cluster_layout.js";
import {clusterSummary, pathOf} from "./cluster_use.js";
/** @import {ChartOption, FigureMaker, RenderApi, RenderParams, Shape, TipPoint} from "../figures/figure.d.ts" */
/** @import {Cluster, ClusterShape} from "../data.d.ts" */
/** @import {ClusterUse} from "./cluster.d.ts" */

/** @type {(cluster: Cluster, use: ClusterUse, cell: number) => string} */
function clusterTooltip(cluster, use, cell) {
  const path = pathOf(cluster, cell);
  const line = (/** @type {string} */ name, /** @type {string} */ value) =>
    `<tr><td class="faint">${markup(name)}</td><td class="number">${markup(value)}</td></tr>`;
  const capacity = use.capacity(cell);
  const show = (/** @type {number} */ value) => `${amount(use.resource, value)}` +
    (capacity > 0 ? ` (${percent(value / capacity)})` : "");
  let rows = cluster.levels.map((level, l) => line(level, cluster.domains[l].names[path[l]])).join("");
  if (cluster.serversPerCell) rows += line("servers", number(cluster.serversPerCell[cell]));
  rows += line(`${use.resource} capacity`, amount(use.resource, capacity));
  rows += line("background", show(use.background(cell) - use.otherAmounts[cell]));
  if (use.others[cell] > 0) {
    rows += line("other pods", number(use.others[cell]) +
      (use.view?.others.amounts ? ` with ${show(use.otherAmounts[cell])}` : ""));
  }
  if (use.view) {
    rows += line(`${cluster.member}s`, number(use.members[cell]) +
      (use.known && use.members[cell] > 0 ? ` with ${show(use.group[cell])}` : ""));
  }
  rows += line("free", show(Math.max(0, capacity - use.background(cell) - use.group[cell])));
  return `<b>${markup(cluster.names[cell])}</b><table class="tip">${rows}</table>`;
}

/**
 * @template {ClusterUse} Use
 * @template {ClusterShape} Tree
 * @param {Tree} cluster
 * @param {number} width
 * @param {Use} use
 * @param {(cluster: Tree, use: Use, cell: number) => string} tip
 * @returns {ChartOption}
 */
export function clusterOption(cluster, width, use, tip) {
  const depth = cluster.levels.length;
  const layout = layOut(cluster, width - 60);
  const [none, some, most] = ["busy-none", "busy-some", "busy-full"].map(colour);
  const [group, onGroup, muted, line, ink] = ["group", "on-group", "muted", "line", "ink"].map(colour);
  const ramp = (/** @type {number} */ share) => share < 0.5 ? mixed(none, some, share * 2) : mixed(some, most, share * 2 - 1);
  const short = cluster.domains.map((level) => shortNames(level.names));
  const names = cluster.domains.map((level) => level.names);
  const longest = depth > 0 ? Math.max(...names[depth - 1].map((t) => t.length)) * 6.7 : 0;
  const narrowest = Math.min(...layout.labels.filter((l) => l.level === depth - 1).map((l) => l.x1 - l.x0));
  const wideNames = longest > narrowest * (width - 60) / layout.total;
  const pixel = (/** @type {RenderApi} */ api, /** @type {number} */ x, /** @type {number} */ y) => api.coord([x, y]);
  const cells = {
    id: "cells",
    type: "custom",
    clip: true,
    data: layout.place.map(([x, y], i) => [x, y, i]),
    encode: {x: 0, y: 1, tooltip: []},
    progressive: 0,
    renderItem: (/** @type {RenderParams} */ _params, /** @type {RenderApi} */ api) => {
      const i = api.value(2);
      const [x, y] = pixel(api, api.value(0), api.value(1));
      const [w, h] = api.size([1, layout.cellHeight]);
      const capacity = use.capacity(i);
      const share = capacity > 0 ? Math.min(1, use.background(i) / capacity) : 0;
      const space = w > 12 ? 1.5 : w > 4 ? 1 : 0.4;
      const shape = {x, y, width: Math.max(w - space, 0.5), height: Math.max(h - space, 0.5)};
      // A server without the resource is crossed out, so that it does not look idle.
      const {x: x1, y: y2} = shape;
      const [x2, y1] = [x1 + shape.width, y2 + shape.height];
      /** @type {Shape[]} */
      const children = capacity > 0 ? [{type: "rect", shape, style: {fill: ramp(share)}}]
        : [{type: "rect", shape, style: {fill: "transparent", stroke: muted, lineWidth: 1, opacity: 0.5}},
          {type: "line", shape: {x1, y1, x2, y2}, style: {stroke: muted, opacity: 0.5}}];
      if (use.members[i] > 0) {
        const text = String(use.members[i]);
        const fits = shape.width >= 7 * text.length + 5 && shape.height >= 9;
        const taken = use.known ? use.group[i] / capacity : 0;
        const least = fits ? 7 * text.length + 5 : Math.min(shape.width, 5);
        children.push({
          type: "rect",
          shape: {...shape, width: Math.min(shape.width, Math.max(taken * shape.width, least))},
          style: {fill: group},
        });
        if (fits) {
          children.push({type: "text", silent: true, style: {text, x: shape.x + 4,
            y: shape.y + shape.height / 2 + 0.5, fill: onGroup, align: "left", verticalAlign: "middle",
            font: `600 ${Math.min(11, h - 3)}px ${fontFamily()}`}});
        }
      }
      return {type: "group", children};
    },
  };
  const labels = {
    id: "domains",
    type: "custom",
    silent: true,
    clip: true,
    data: layout.labels.map((label, i) => [label.x0, label.y, i]),
    encode: {x: 0, y: 1},
    progressive: 0,
    renderItem: (/** @type {RenderParams} */ _params, /** @type {RenderApi} */ api) => {
      const label = layout.labels[api.value(2)];
      const [x0, y] = pixel(api, label.x0, label.y);
      const [x1, bottom] = pixel(api, label.x1, label.bottom);
      const lowest = label.level === depth - 1;
      const full = cluster.domains[label.level].names[label.domain];
      const room = x1 - x0 - 3;
      const brief = short[label.level][label.domain];
      let text = [full, brief].find((t) => t.length * 6.7 <= room);
      if (lowest) {
        // All labels have the same form. If not even the short form fits, only every second, third,
        // ... domain has a label.
        const need = Math.max(...(wideNames ? short : names)[label.level].map((t) => t.length)) * 6.7 + 3;
        text = label.domain % Math.ceil(need / (x1 - x0)) === 0 ? (wideNames ? brief : full) : undefined;
      }
      /** @type {Shape[]} */
      const children = [];
      if (!lowest) {
        // The boundary: a bracket over the whole domain, with side lines down to the end.
        const inset = 0.16 * label.level;
        children.push({type: "line", shape: {x1: x0 - inset, y1: y + 17, x2: x1 - 1.5, y2: y + 17},
          style: {stroke: label.level === 0 ? ink : muted, lineWidth: label.level === 0 ? 1.5 : 1}});
      }
      if (label.level === 0 && depth > 1) {
        const edge = x0 - Math.min(7, api.size([gapBefore, 1])[0]);
        if (label.x0 > 0) {
          children.push({type: "line", shape: {x1: edge, y1: y + 2, x2: edge, y2: bottom},
            style: {stroke: line, lineWidth: 1}});
        }
      }
      if (text !== undefined) {
        children.push({type: "text", style: {text, x: lowest ? (x0 + x1) / 2 : x0 + 1, y: y + 9,
          fill: lowest ? muted : ink, align: lowest ? "center" : "left", verticalAlign: "middle",
          font: `${lowest ? 400 : 600} 12px ${fontFamily()}`}});
      }
      return {type: "group", children};
    },
  };
  const gapBefore = depth > 1 ? (0.22 + 0.5 * (depth - 1)) / 2 : 0.2;
  const heads = cluster.levels.map((level, l) => ({type: "text", left: 0, top: 18 * l + 8, silent: true,
    style: {text: level, fill: muted, font: `12px ${fontFamily()}`}}));
  return {
    grid: {outerBoundsMode: "none", left: depth > 0 ? 56 : 0, right: 4, top: 4, bottom: 0},
    graphic: heads,
    xAxis: {type: "value", min: 0, max: layout.total, show: false},
    yAxis: {type: "value", min: 0, max: layout.height, inverse: true, show: false},
    dataZoom: [0].map(() => ({type: "inside", xAxisIndex: 0, filterMode: "none",
      zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, moveOnMouseMove: true})),
    tooltip: tooltip({trigger: "item", formatter: (/** @type {TipPoint<number, number[]>} */ p) =>
      p.seriesId === "cells" ? tip(cluster, use, p.data[2]) : ""}),
    series: [labels, cells],
  };
}

/**
 * The cluster at one instant.
 * @type {FigureMaker<{cluster: Cluster; use: ClusterUse}>}
 */
export function clusterFigure({cluster, use}) {
  return {
    id: "cluster",
    renderer: "canvas",
    height: (width) => layOut(cluster, width - 60).height + 4,
    option: (width) => clusterOption(cluster, width, use, clusterTooltip),
    summary: clusterSummary(cluster, use),
    columns: [{title: cluster.leaf, class: "name"}, ...cluster.levels.map((title) => ({title})),
      {title: "capacity", number: true}, {title: "background", number: true},
      {title: `${cluster.member}s`, number: true}],
    rows: () => cluster.names.map((name, i) => [name,
      ...pathOf(cluster, i).map((domain, l) => cluster.domains[l].names[domain]),
      amount(use.resource, use.capacity(i)), amount(use.resource, use.background(i)),
      number(use.members[i])]),
  };
}
