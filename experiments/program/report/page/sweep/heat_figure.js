/* A metric over two axes, as a field of colours. */

import {bytes, markup, number, plural, quantity} from "../base/text.js";
import {colour} from "../base/theme.js";
import {axis, labelsBelow, linesOf, nameLabels, tooltip} from "../figures/look.js";
import {cellsTable, extremesInWords, missingInWords} from "./cells.js";
import {axisOf} from "./sweep_data.js";
/** @import {SureFigureMaker, TipPoint} from "../figures/figure.d.ts" */
/** @import {SweepCell, SweepView} from "./sweep.d.ts" */

/**
 * How bright a colour appears, from 0 to 1 (WCAG's relative luminance).
 * @param {number[]} rgb
 */
function brightness(rgb) {
  const [r, g, b] = rgb.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Which of ink and paper is more readable at a place of the colour ramp. */
function inkOnRamp() {
  const rgb = (/** @type {string} */ name) => [1, 3, 5].map((i) => parseInt(colour(name).slice(i, i + 2), 16) / 255);
  const ramp = ["busy-none", "busy-some", "busy-full"].map(rgb);
  const [ink, paper] = ["ink", "paper"].map((name) => ({colour: colour(name), light: brightness(rgb(name))}));
  const contrast = (/** @type {number} */ a, /** @type {number} */ b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  return (/** @type {number} */ share) => {
    const [from, to, part] = share < 0.5 ? [ramp[0], ramp[1], share * 2] : [ramp[1], ramp[2], share * 2 - 1];
    const light = brightness(from.map((v, i) => v + (to[i] - v) * part));
    return (contrast(ink.light, light) >= contrast(paper.light, light) ? ink : paper).colour;
  };
}

/** @type {SureFigureMaker<{view: SweepView & {by: string}; cells: SweepCell[]}>} */
export function heatFigure({view, cells}) {
  const xs = axisOf(view.x).values;
  const ys = axisOf(view.by).values;
  const low = Math.min(...cells.map((c) => c.mean));
  const high = Math.max(...cells.map((c) => c.mean));
  const share = (/** @type {SweepCell} */ c) => (high > low ? (c.mean - low) / (high - low) : 0.5);
  const row = Math.max(9, Math.min(40, 480 / ys.length));
  const left = (/** @type {number} */ width) => Math.min(width * 0.28, 34 + 7 * Math.max(...ys.map((y) => y.length)));
  const wideOf = (/** @type {number} */ width) => (width - left(width) - 12) / xs.length;
  const below = (/** @type {number} */ width) => (axisOf(view.x).numbers === null ? linesOf(xs, wideOf(width) - 4) : 1);
  const short = (/** @type {number} */ v) => (/(^|_)bytes(_|$)/.test(view.metric) ? bytes(v) : number(Number(v.toPrecision(Math.abs(v) >= 1000 ? 4 : 3))));
  return {
    ...cellsTable(view, cells),
    id: "sweep-heat",
    title: `${view.metric} over ${view.x} and ${view.by}`,
    height: (width) => 104 + row * ys.length + 13 * (below(width) - 1),
    renderer: cells.length > 300 ? "canvas" : "svg",
    summary: `${view.metric} over ${view.x} and ${view.by}: ${extremesInWords(view, cells)}.` +
      (cells.length < xs.length * ys.length ? ` ${plural(xs.length * ys.length - cells.length, "place")} without a value.` : "") + missingInWords(cells),
    option: (width) => {
      const wide = wideOf(width);
      const labels = row >= 16 && wide >= 7.2 * Math.max(...cells.map((c) => short(c.mean).length)) + 4;
      const tick = {show: false};
      const inkAt = inkOnRamp();
      return {
        grid: {outerBoundsMode: "none", left: left(width), right: 12, top: 48, bottom: 50 + 13 * (below(width) - 1)},
        tooltip: tooltip({trigger: "item", formatter: (/** @type {TipPoint<number[], {cell: SweepCell}>} */ p) => {
          const c = p.data.cell;
          return `<b>${markup(`${view.x} ${xs[c.x]}, ${view.by} ${ys[c.by]}`)}</b><br>${markup(view.metric)} ` +
            `${quantity(view.metric, c.mean, c.ci95)}<br>${plural(c.n, "replication")}${c.points > 1 ? `, mean of ${c.points} points` : ""}`;
        }}),
        visualMap: {type: "continuous", min: low, max: high > low ? high : low + 1, orient: "horizontal", left: left(width) - 4, top: 0,
          itemHeight: 160, itemWidth: 13, padding: 4, text: [quantity(view.metric, high), quantity(view.metric, low)], calculable: false,
          hoverLink: true, textStyle: {color: colour("muted"), fontSize: 13},
          inRange: {color: [colour("busy-none"), colour("busy-some"), colour("busy-full")]}},
        xAxis: axis({type: "category", data: xs, name: view.x, nameLocation: "middle", nameGap: 28 + 13 * (below(width) - 1), axisTick: tick, splitLine: {show: false},
          axisLabel: axisOf(view.x).numbers === null ? labelsBelow(wide - 4) : {}}),
        yAxis: axis({type: "category", data: ys, inverse: axisOf(view.by).numbers === null, name: view.by, nameGap: 8,
          nameLocation: axisOf(view.by).numbers === null ? "start" : "end", nameTextStyle: {align: "right"}, axisTick: tick, splitLine: {show: false},
          axisLabel: nameLabels(left(width) - 12, {color: colour("ink")})}),
        series: [{type: "heatmap", itemStyle: {borderColor: colour("paper"), borderWidth: wide > 8 && row > 8 ? 1.5 : 0},
          emphasis: {itemStyle: {borderColor: colour("ink"), borderWidth: 2}},
          label: {show: labels, fontSize: 12, formatter: (/** @type {TipPoint<number[], {cell: SweepCell}>} */ p) => short(p.data.cell.mean)},
          data: cells.map((c) => ({value: [c.x, c.by, c.mean], cell: c,
            label: {color: inkAt(share(c))}}))}],
      };
    },
  };
}
