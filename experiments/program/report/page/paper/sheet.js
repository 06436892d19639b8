/* Figures of the page below each other on one sheet, as SVG. A sheet is measured in pixels, of
   which three are two points: twelve pixels are eight-point type. */

import {initChart} from "../base/echarts.js";
import {colour} from "../base/theme.js";
import {svgRectangle, svgText} from "./pen.js";
import {textWidth} from "./metric.js";
import {still} from "./still.js";
/** @import {Figure} from "../figures/figure.d.ts" */
/** @import {Key, Panel, Sheet} from "./given.d.ts" */

const perPoint = 1.5;
const margin = 6;
const titleHeight = 24;

/**
 * The SVG of ECharts without what is for pointers, and with attributes that every reader of SVG knows.
 * @param {string} svg
 */
const plainSvg = (svg) => svg.replace("<svg ", '<svg overflow="visible" ').replace(/<style[^]*?<\/style>/g, "").replace(/ (class|pointer-events)="[^"]*"/g, "")
  .replace(/ (x|y|width|height|cx|cy|r)="(-?\d+\.\d{3,})"/g, (_, name, value) => ` ${name}="${Math.round(Number(value) * 100) / 100}"`)
  .replaceAll(' dominant-baseline="central"', ' dy="0.35em"')
  .replace(/ style="font: ?(?:(\w+) )?([\d.]+px) ([^"]*)"/g, (_, weight, size, family) =>
    ` font-size="${size}" font-family="${family}"${weight && weight !== "400" ? ` font-weight="${weight}"` : ""}`);

/** @type {(figure: Figure, width: number) => {svg: string; height: number}} */
function drawnFigure(figure, width) {
  const {option, more} = still(figure.option?.(width) ?? {}, width);
  const height = Math.ceil((typeof figure.height === "function" ? figure.height(width) : figure.height) + more);
  const chart = initChart(null, null, {renderer: "svg", ssr: true, width, height});
  chart.setOption(option, {notMerge: true});
  const svg = chart.renderToSVGString();
  chart.dispose();
  return {svg: plainSvg(svg), height};
}

/** @type {(panel: Panel, width: number) => string[]} */
function titleLines({title = ""}, width) {
  /** @type {string[]} */
  const lines = [];
  for (const word of title.split(" ").filter((one) => one !== "")) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`, 13, 600) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/**
 * A panel with its title, at a place of the sheet. `rows`: those of the longest title beside it.
 * @type {(panel: Panel, x: number, y: number, width: number, rows: number) => {svg: string; height: number}}
 */
function drawnPanel(panel, x, y, width, rows) {
  const drawn = panel.paint ? panel.paint(width) : panel.figure ? drawnFigure(panel.figure, width) : {svg: "", height: 0};
  const lines = titleLines(panel, width);
  const head = rows > 0 ? titleHeight + 16 * (rows - 1) : 0;
  return {height: head + drawn.height, svg: lines.map((line, i) => svgText(x, y + 9 + 16 * i, line, {size: 13, weight: 600, fill: colour("ink")})).join("") +
    `<g transform="translate(${x},${y + head})">${drawn.svg}</g>`};
}

/**
 * Coloured squares with texts, in rows.
 * @type {(keys: Key[], width: number) => {svg: string; height: number}}
 */
export function drawnKeys(keys, width) {
  let svg = "";
  let [x, y] = [0, 0];
  for (const {colours, text} of keys) {
    const wide = 9 * (colours.length + 1) + textWidth(text, 12);
    if (x > 0 && x + wide > width) {
      x = 0;
      y += 18;
    }
    svg += colours.map((fill, i) => svgRectangle(x + 9 * i, y + 2, 9.3, 9, fill)).join("") +
      svgText(x + 9 * colours.length + 5, y + 7, text, {fill: colour("muted")});
    x += wide + 14;
  }
  return {svg, height: keys.length > 0 ? y + 22 : 0};
}

/** @type {(notes: string[], width: number) => string[]} */
function wrapped(notes, width) {
  /** @type {string[]} */
  const lines = [];
  for (const note of notes) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last}; ${note}`, 12) <= width) lines[lines.length - 1] = `${last}; ${note}`;
    else lines.push(note);
  }
  return lines;
}

/**
 * Gives the names that ECharts numbers across all charts a beginning that no other sheet has, since a notebook shows several
 * sheets in one document.
 * @param {string} svg
 */
function withOwnNames(svg) {
  /** @type {string[]} */
  const charts = [];
  const numbered = svg.replace(/(id="|url\(#)zr(\d+)-/g, (_, start, chart) => {
    if (!charts.includes(chart)) charts.push(chart);
    return `${start}chart${charts.indexOf(chart)}-`;
  });
  let digest = 0x811c9dc5;  // FNV-1a
  for (let i = 0; i < numbered.length; ++i) digest = Math.imul(digest ^ numbered.charCodeAt(i), 0x01000193) >>> 0;
  return numbered.replace(/(id="|url\(#)chart/g, `$1f${digest.toString(16)}-`);
}

/**
 * The whole sheet. Panels of one row stand side by side, as wide as their weights say.
 * @param {Sheet} sheet
 */
export function drawnSheet({points, rows, keys = [], notes = []}) {
  const all = points * perPoint;
  const width = all - 2 * margin;
  let y = margin;
  const head = drawnKeys(keys, width);
  let svg = `<g transform="translate(${margin},${y})">${head.svg}</g>`;
  y += head.height;
  for (const row of rows) {
    const gap = 18;
    const each = (width - gap * (row.length - 1)) / row.reduce((sum, {weight = 1}) => sum + weight, 0);
    const wideOf = (/** @type {Panel} */ {weight = 1}) => Math.floor(each * weight);
    const titleRows = Math.max(0, ...row.map((panel) => titleLines(panel, wideOf(panel)).length));
    let x = margin;
    let height = 0;
    for (const panel of row) {
      const wide = wideOf(panel);
      const drawn = drawnPanel(panel, x, y, wide, titleRows);
      svg += drawn.svg;
      height = Math.max(height, drawn.height);
      x += wide + gap;
    }
    y += height + 10;
  }
  for (const line of wrapped(notes, width)) {
    svg += svgText(margin, y + 4, line, {fill: colour("muted")});
    y += 17;
  }
  const height = Math.ceil(y + (notes.length > 0 ? 2 : 0));
  return withOwnNames(`<?xml version="1.0" encoding="utf-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${points}pt" height="${Math.round(height / perPoint * 100) / 100}pt" viewBox="0 0 ${all} ${height}">` +
    `${svgRectangle(0, 0, all, height, "#ffffff")}${svg}</svg>\n`);
}
