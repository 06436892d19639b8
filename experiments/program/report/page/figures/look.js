/* The look that all charts share: axes, tooltips, legends. */

import {lastOf} from "../base/lists.js";
import {colour, fontFamily} from "../base/theme.js";
import {mixedAlpha} from "./colours.js";
/** @import {AxisOption, Tooltip} from "./figure.d.ts" */

/** @param {AxisOption} more */
export const axis = (more = {}) => ({
  axisLine: {lineStyle: {color: colour("line")}, ...more.axisLine},
  axisTick: {show: false},
  axisLabel: {color: colour("muted"), fontSize: 12, hideOverlap: true, ...more.axisLabel},
  nameTextStyle: {color: colour("muted"), fontSize: 12, ...more.nameTextStyle},
  splitLine: {lineStyle: {color: colour("line"), opacity: 0.7}, ...more.splitLine},
  ...Object.fromEntries(Object.entries(more).filter(([key]) =>
    !["axisLine", "axisLabel", "nameTextStyle", "splitLine"].includes(key))),
});

/** @type {(more: Tooltip) => Tooltip} */
export const tooltip = (more = {}) => ({
  confine: true,
  backgroundColor: colour("surface"),
  borderColor: colour("line"),
  textStyle: {color: colour("ink"), fontSize: 13, fontFamily: fontFamily()},
  ...more,
});

/** @param {object} more */
export const legend = (more = {}) => ({
  textStyle: {color: colour("muted"), fontSize: 13},
  inactiveColor: colour("line"),
  icon: "roundRect",
  itemWidth: 14,
  itemHeight: 9,
  ...more,
});

/**
 * The number of rows of a legend that does not scroll.
 * @type {(names: string[], width: number, icon?: number, gap?: number) => number}
 */
export function legendRows(names, width, icon = 14, gap = 18) {
  let rows = 1;
  let x = 0;
  for (const name of names) {
    const wide = icon + 6 + 7.3 * name.length + gap;
    if (x > 0 && x + wide > width) {
      ++rows;
      x = 0;
    }
    x += wide;
  }
  return rows;
}

/**
 * A name in lines of at most this width in pixels. It breaks behind its separators, and nothing is
 * left out.
 * @type {(text: string | number, width: number, letter?: number) => string}
 */
function wrapped(text, width, letter = 6.8) {
  const most = Math.max(4, Math.floor(width / letter));
  const lines = [""];
  for (const part of String(text).split(/(?<=[\s_/\-,.:])/)) {
    if (lastOf(lines).length > 0 && lastOf(lines).length + part.trimEnd().length > most) lines.push("");
    let rest = part;
    while (rest.length > most) {
      lines[lines.length - 1] += rest.slice(0, most);
      rest = rest.slice(most);
      lines.push("");
    }
    lines[lines.length - 1] += rest;
  }
  return lines.map((line) => line.trimEnd()).join("\n");
}

const narrow = 34;  // names with less room side by side stand upright

/**
 * How many lines the longest of the names takes; an upright name takes as many as it is long.
 * @type {(names: string[], width: number) => number}
 */
export const linesOf = (names, width) => Math.max(...names.map((name) => (width < narrow ? Math.ceil(name.length * 7 / 13) : wrapped(name, width).split("\n").length)));

/**
 * Labels with names, beside or below an axis.
 * @param {number} width
 * @param {object} more
 */
export const nameLabels = (width, more = {}) => ({interval: 0, hideOverlap: false, lineHeight: 13, formatter: (/** @type {string | number} */ text) => wrapped(text, width), ...more});

/**
 * Labels with names below an axis, side by side or upright.
 * @param {number} width
 */
export const labelsBelow = (width) => (width < narrow ? nameLabels(Infinity, {rotate: 90}) : nameLabels(width));

/**
 * A legend that shows each line as it is drawn, with its dashes and points.
 * @param {object} more
 */
export const lineLegend = (more = {}) => legend({icon: undefined, itemWidth: 28, itemHeight: 10, ...more});

/**
 * A legend for lines without points.
 * @param {object} more
 */
export const plainLineLegend = (more = {}) => lineLegend({itemStyle: {opacity: 0}, ...more});

export const sliderColours = () => ({
  borderColor: colour("line"),
  backgroundColor: "transparent",
  fillerColor: mixedAlpha(colour("bar"), 0.18),
  dataBackground: {lineStyle: {color: colour("line")}, areaStyle: {color: colour("line"), opacity: 0.5}},
  selectedDataBackground: {lineStyle: {color: colour("bar")}, areaStyle: {color: colour("bar"), opacity: 0.25}},
  handleStyle: {color: colour("surface"), borderColor: colour("muted")},
  moveHandleStyle: {color: colour("line")},
  emphasis: {handleStyle: {borderColor: colour("accent")}, moveHandleStyle: {color: colour("muted")}},
  textStyle: {color: colour("muted")},
});
